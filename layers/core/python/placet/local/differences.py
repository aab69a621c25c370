"""Every way in which what runs here differs from what ``cdk deploy`` would make of the same ``cdk.out``.

Each difference has a name, the reason, and the function that makes it. There is no other place where the local mode
changes what is deployed; ``python -m placet.local differences`` prints this list and a test holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from placet.local import adaptations as to
from placet.local.assembly import Stack
from placet.local.deployment import Deployment

When = Literal["before", "after"]


@dataclass(frozen=True)
class Difference:
    """One allowed difference; ``when`` tells whether it changes the template or what was deployed from it."""

    name: str
    when: When
    why: str
    apply: Callable[[Deployment, Stack], None]


DIFFERENCES = (
    Difference(
        "cross-stack values",
        "before",
        "The emulator does not know Fn::GetStackOutput; the value of the stack deployed before is written in its place.",
        to.write_stack_outputs,
    ),
    Difference(
        "login page branding",
        "before",
        "The emulator refuses a template with AWS::Cognito::ManagedLoginBranding; it has a login page of its own.",
        to.drop_unknown_types,
    ),
    Difference(
        "second factor",
        "before",
        "The demo's people have no device that makes codes, and the emulator's login page enrols none: here a password is enough.",
        to.demand_no_second_factor,
    ),
    Difference(
        "rules of the demo",
        "before",
        "The demo and the tests play a quorum and moments that are minutes away, by rules beside the shipped ones; "
        "`make run` has the shipped ones alone.",
        to.lay_rules,
    ),
    Difference(
        "layers",
        "before",
        "They hold wheels and compiled modules for the functions' arm64 Python 3.13; the same requirements and the same "
        "sources are installed and compiled for this machine.",
        to.remake_layers,
    ),
    Difference(
        "addresses",
        "after",
        "Functions are told the local inbox, login and key addresses, and where the state machine's interpreter listens.",
        to.set_addresses,
    ),
    Difference(
        "bedrock agents",
        "after",
        "There are no models here: a small runtime with scripted agents speaks Bedrock's protocol, and functions are told where.",
        to.set_bedrock,
    ),
    Difference(
        "sign-in callback",
        "before",
        "The login page may send the browser back to the local inbox only.",
        to.set_callbacks,
    ),
    Difference(
        "time to live",
        "after",
        "The emulator ignores TimeToLiveSpecification in a template; it is switched on through the API.",
        to.enable_time_to_live,
    ),
    Difference(
        "mail identity",
        "after",
        "Nobody can click the verification mail of the sender's identity here; it is verified through the API.",
        to.verify_mail_identity,
    ),
    Difference(
        "state machine",
        "after",
        "It runs in moto's interpreter beside the emulator, as the same definition under the same role, "
        "whose trust policy lets the interpreter take it.",
        to.move_state_machines,
    ),
)


# What the emulator takes from the template and does not do; tests/infra assert on the template what can be asserted there.
NOT_DONE_HERE = (
    "throttling, account limits and the sizes that API Gateway and Lambda refuse",
    "conflicts between transactions, and indexes that lag behind",
    "encryption at rest, point-in-time recovery, deletion by time to live",
    "reserved concurrency, and retries and the dead-letter queue of a schedule",
    "the rights of whoever invokes a Bedrock agent",
    "mail that leaves this machine, bounces and complaints",
    "an alarm's mail, and log retention",
    "Python 3.13 on arm64: functions run on the Python that make found",
)
# Who is let in, where it is not as on AWS; tests/proofs/origin tries all of it.
GUARDED_OTHERWISE = (
    "every port takes requests to this machine's names only, from its own pages or from programs: other hosts, other origins, "
    "preflights and web sockets are refused (403) before anything else is read",
    "root has a key that is made for each start; there is no other, and it ends with the start",
    "signatures are those of version 4 in a header or an address, and 15 minutes old at most, for every service; of a body that is "
    "streamed in pieces root's first signature is checked and the pieces' are not",
    "a route for IAM refuses a request without a good signature as API Gateway does, and says why in other words",
    "there is no web application firewall, no TLS, and no limit of requests by address",
    "the demo's people have passwords that stand in the source: who is signed in on this machine can sign in as one of them",
)


def lines() -> list[str]:
    """The list as it is printed."""
    width = max(len(one.name) for one in DIFFERENCES)
    made = [f"{one.name:<{width}}  {one.why}" for one in DIFFERENCES]
    missing = ["What the emulator does not do at all:", *(f"  {one}" for one in NOT_DONE_HERE)]
    guarded = ["Who is let in, where that is not as on AWS:", *(f"  {one}" for one in GUARDED_OTHERWISE)]
    return [*made, "", *missing, "", *guarded]
