"""Every way in which what runs here differs from what ``cdk deploy`` makes of the same ``cdk.out`` in an account.

Stacks are deployed as they were synthesized: each difference is made inside the emulator (``emulator/exchanges.py``) or arranged
around a deployment (``arrangements.py``). It has a name, the reason, and the function that makes it. There is no other place
where the local mode changes what is deployed; ``python -m local differences`` prints this list and a test holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local import arrangements
from local.emulator import exchanges


@dataclass(frozen=True)
class Difference:
    """One allowed difference, why it is there, and what makes it."""

    name: str
    why: str
    made_by: Callable[..., Any]


DIFFERENCES = (
    Difference(
        "login page branding",
        "The emulator does not know AWS::Cognito::ManagedLoginBranding and takes it without an effect; it has a login page of its "
        "own.",
        exchanges.accept_unknown_types,
    ),
    Difference(
        "rules of the demo",
        "The demo and the tests play a quorum and moments that are minutes away, by rules beside the shipped ones; "
        "`make run` has the shipped ones alone.",
        arrangements.lay_rules,
    ),
    Difference(
        "layers",
        "They hold wheels and compiled modules for the functions' arm64 Python 3.13; the same requirements and the same "
        "sources are installed and compiled for this machine.",
        arrangements.exchange_layers,
    ),
    Difference(
        "layers' bytes",
        "What was published stays as it is; a function that runs here gets those made for this machine.",
        exchanges.lay_layers,
    ),
    Difference(
        "addresses",
        "A function's process is told the local inbox, login and key addresses, and where the state machine's interpreter and "
        "Bedrock's runtime listen; its configuration is as deployed. There are no models here: the runtime has scripted agents.",
        exchanges.give_addresses,
    ),
    Difference(
        "address of the API",
        "It has a port of its own, because agents do not resolve the emulator's names; outputs and links say that port.",
        exchanges.answer_locally,
    ),
    Difference(
        "sign-in callback",
        "The login page may send the browser back to the local inbox only.",
        exchanges.come_back_here,
    ),
    Difference(
        "second factor",
        "The demo's people have no device that makes codes, and the emulator's login page enrols none: here a password is enough.",
        exchanges.ask_for_passwords_only,
    ),
    Difference(
        "time to live",
        "The emulator ignores time to live and point-in-time recovery of a table in a template; both are set as asked for.",
        exchanges.keep_tables_as_asked,
    ),
    Difference(
        "mail identity",
        "Nobody can click the verification mail of the sender's identity here; it is verified through the API.",
        arrangements.verify_mail_identity,
    ),
    Difference(
        "state machine",
        "It runs in moto's interpreter beside the emulator, as the same definition under the same role.",
        exchanges.interpret_elsewhere,
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
