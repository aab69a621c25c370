"""One pause per state, written by whatever code is on the path, printed as JSON. `make.py` runs it on an earlier commit's code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from placet.aws.expressions import to_wire
from placet.model.canonical import digest, parse
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway

LESS = '{"order_id":"1182","amount":200.00}'
LONG = ("issue_refund", {"order_id": "1182" + "0" * 6_000, "amount": 240.5})
Scene = Callable[[Gateway, str], str]


def about(name: str) -> dict[str, Any]:
    return {"run": f"run-{name}", "checkpoint": f"cp-{name}", "requester": "elif@example.com"}


def captured(gateway: Gateway, name: str) -> str:
    return gateway.capture(REFUND, **about(name)).head.pause


def notified(gateway: Gateway, name: str) -> str:
    return gateway.shown(REFUND, **about(name)).pause


def two_calls(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, DELETE, **about(name))
    gateway.decide(head, 2, Verdict.REJECT, gateway.jonas)
    return head.pause


def voted(gateway: Gateway, name: str) -> str:
    head = two_are_needed(gateway, name)
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def edit_proposed(gateway: Gateway, name: str) -> str:
    """Two are needed, one of them has edited."""
    head = two_are_needed(gateway, name)
    gateway.decide(head, 1, Verdict.EDIT, arguments=LESS, new_digest=digest(parse(LESS)))
    return head.pause


def two_are_needed(gateway: Gateway, name: str) -> Any:
    before = gateway.policy
    classes = {key: replace(one, quorum=2) if key == "money-out" else one for key, one in before.classes.items()}
    gateway.policy = replace(before, classes=classes)
    head = gateway.shown(REFUND, **about(name))
    gateway.policy = before
    return head


def edited(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, **about(name))
    gateway.decide(head, 1, Verdict.EDIT, arguments=LESS, new_digest=digest(parse(LESS)))
    return head.pause


def accepted(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, **about(name))
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def long_accepted(gateway: Gateway, name: str) -> str:
    head = gateway.shown(LONG, **about(name))
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def called_agent(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, agent=BILLING, **about(name))
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def rejected(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, **about(name))
    gateway.decide(head, 1, Verdict.REJECT)
    return head.pause


def claimed(gateway: Gateway, name: str) -> str:
    pause = accepted(gateway, name)
    claim(gateway.ports, SUPPORT, call_id(pause, 1), gateway.head(pause).calls[0].digest, "w1")
    return pause


def done(gateway: Gateway, name: str) -> str:
    pause = claimed(gateway, name)
    outcome(gateway.ports, SUPPORT, call_id(pause, 1), "w1", PermitState.DONE, "refund r-1")
    return pause


def expired(gateway: Gateway, name: str) -> str:
    head = gateway.shown(REFUND, **about(name))
    now, gateway.clock.at_ms = gateway.clock.at_ms, head.deadline_ms
    escalate(gateway.ports, head.pause)
    gateway.clock.at_ms = now
    return head.pause


def passed(gateway: Gateway, name: str) -> str:
    return gateway.capture(SMALL, **about(name)).head.pause


def cancelled(gateway: Gateway, name: str) -> str:
    from placet.service.cancel import cancel

    head = gateway.shown(REFUND, **about(name))
    cancel(gateway.ports, SUPPORT, head.pause, "asked again")
    return head.pause


SCENES: list[Scene] = [
    captured,
    notified,
    two_calls,
    voted,
    edit_proposed,
    edited,
    accepted,
    long_accepted,
    called_agent,
    rejected,
    claimed,
    done,
    expired,
    passed,
    cancelled,
]


def main(commit: str, date: str, subject: str) -> None:
    gateway = Gateway()
    pauses = {}
    for scene in SCENES:
        try:
            pauses[scene.__name__] = scene(gateway, scene.__name__)
        except ImportError:
            continue  # that release did not have the verb
        gateway.deliver()
    items = [to_wire(item) for _, item in sorted(gateway.table.items.items())]
    texts = getattr(getattr(gateway, "bodies", None), "texts", {})
    written = {
        "commit": commit,
        "date": date,
        "subject": subject,
        "at_ms": gateway.clock.at_ms,
        "pauses": pauses,
        "bodies": texts,
        "items": items,
    }
    print(json.dumps(written, indent=1, ensure_ascii=True, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
