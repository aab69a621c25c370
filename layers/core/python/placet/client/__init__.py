"""The SDK for agent processes: pause, wait, claim, run, report. `placet.client.langchain` is the part for LangChain.

gateway = Gateway()                                   # PLACET_URL, AWS_REGION, the process's own role
Permits(gateway).execute(call, act)                   # claim → act(exact arguments) → report
pick_up(gateway, handler, stop)                       # decided pauses, whoever captured them
"""

from placet.client.errors import (
    ClientError,
    DigestDiffers,
    GatewayError,
    GatewayRefused,
    GatewayUnavailable,
    Misused,
    NotADelivery,
    NotCapturable,
    NotExact,
    NotGated,
    NotReleased,
    NotRun,
    NotTaken,
    OutcomeUnknown,
    RunError,
    RunIsBusy,
    RunIsPaused,
    RunNotFound,
    SaverForgets,
    StillPending,
)
from placet.client.gateway import Gateway
from placet.client.permits import Executed, Permits, current_permit
from placet.client.records import Call, Gates, Pause, Permit, Resumes
from placet.client.waiting import Pace, pick_up, wait_for

__all__ = [
    "Call",
    "ClientError",
    "DigestDiffers",
    "Executed",
    "Gates",
    "Gateway",
    "GatewayError",
    "GatewayRefused",
    "GatewayUnavailable",
    "Misused",
    "NotADelivery",
    "NotCapturable",
    "NotExact",
    "NotGated",
    "NotReleased",
    "NotRun",
    "NotTaken",
    "OutcomeUnknown",
    "Pace",
    "Pause",
    "Permit",
    "Permits",
    "Resumes",
    "RunError",
    "RunIsBusy",
    "RunIsPaused",
    "RunNotFound",
    "SaverForgets",
    "StillPending",
    "current_permit",
    "pick_up",
    "wait_for",
]
