"""Three levels of people, and the moments at which each is asked."""

from __future__ import annotations

from placet.policy import Level
from placet.records.heads import Head
from placet.service.escalate import escalate
from placet.service.notify import mail_again
from tests.gateway import Gateway

HOUR = 3_600
LEVELS = (Level(("finance",)), Level(("leads",), 2 * HOUR), Level(("board",), 3 * HOUR))


def carried(gateway: Gateway) -> None:
    """What the verbs asked each other for is done."""
    while gateway.verbs.called:
        verb, payload = gateway.verbs.called.pop(0)
        {"notify": mail_again, "escalate": escalate}[verb](gateway.ports, payload["pause"])


def at(gateway: Gateway, head: Head, seconds: int, result: str) -> list[str]:
    """The timer fires so long after the pause became visible; who is mailed then, with why."""
    gateway.clock.at_ms = head.notified_ms + 1000 * seconds
    gateway.mail.sent.clear()
    assert escalate(gateway.ports, head.pause) == result
    carried(gateway)
    return sorted(f"{note.to_email.partition('@')[0]} {note.why}" for note in gateway.mail.sent)


def moments(gateway: Gateway, head: Head) -> list[int]:
    return [(moment - head.notified_ms) // 1000 for moment in gateway.timers.moments.values()]
