"""A small Bedrock Agents runtime on loopback: what an unmodified ``bedrock-agent-runtime`` client of boto3 talks to here.

    with BedrockServer(BedrockRuntime(AGENTS)) as bedrock:
        boto3.client("bedrock-agent-runtime", endpoint_url=bedrock.url, ...)

Frames, shapes and names of errors are the service model's. What the service does not document is an assumption, and each
is said where it is made: a late, repeated or partial answer is a ValidationException, a text while a pause is open a
ConflictException, and every request that is not refused by its shape restarts the idle clock.
"""

from local.bedrock.agents import AGENTS, Action, Agent, Mode, Parameter, refund_agent
from local.bedrock.faults import Fault, Faults
from local.bedrock.runtime import BedrockRuntime
from local.bedrock.server import BedrockServer

__all__ = [
    "AGENTS",
    "Action",
    "Agent",
    "BedrockRuntime",
    "BedrockServer",
    "Fault",
    "Faults",
    "Mode",
    "Parameter",
    "refund_agent",
]
