"""A call of three levels, handed on."""

from __future__ import annotations

from placet.model.errors import NotFound
from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.heads import Head
from placet.service import review
from placet.service.decide import Decided
from placet.service.inbox import inbox
from placet.service.reassign import Reassigned, reassign
from tests.gateway import Gateway

LEVELS = (Level(("finance",)), Level(("leads",), 3600), Level(("board",), 7200))


def hand(gateway: Gateway, head: Head, who: Reviewer | None = None, **to: str) -> Reassigned:
    return reassign(gateway.ports, who or gateway.maria, call_id(head.pause, 1), **to)


def may(gateway: Gateway, head: Head, who: Reviewer) -> bool:
    """Whether they see it in the inbox and on its page as theirs to decide."""
    listed = head.pause in {row.pause for row in inbox(gateway.ports, who).rows}
    try:
        shown = review.detail(gateway.ports, who, head.pause).calls[0].may_decide
    except NotFound:
        shown = False
    assert listed == shown
    return shown


def accept(gateway: Gateway, head: Head, who: Reviewer) -> Decided:
    return gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, who)
