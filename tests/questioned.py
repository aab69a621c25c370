"""Questions about calls and their answers, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placet.model.errors import PlacetError
from placet.model.pauses import Evidence, Reviewer, call_id
from placet.records.heads import Head
from placet.records.ops import Op
from placet.service import review
from placet.service.answer import Answered, answer
from placet.service.ask import Asked, ask
from tests.gateway import SUPPORT, Gateway

TERMS = Evidence("Refund terms", "wiki/9", False, "Within 30 days.", "retrieved", 7)


def asks(
    house: Gateway, head: Head, text: str = "Which order?", who: Reviewer | None = None, number: int = 1, rev: int = 0
) -> Asked:
    call = head.calls[number - 1]
    return ask(house.ports, who or house.maria, call_id(head.pause, number), text, rev or call.rev)


def answers(
    house: Gateway, head: Head, question: int = 1, text: str = "Order 1182.", number: int = 1, **more: Any
) -> Answered:
    given = {"agent": SUPPORT, "evidence": (TERMS,), **more}
    return answer(house.ports, given["agent"], call_id(head.pause, number), question, text, given["evidence"])


def refused(house: Gateway, head: Head, do: Callable[[], object]) -> PlacetError:
    before = house.head(head.pause)
    with pytest.raises(PlacetError) as raised:
        do()
    assert house.head(head.pause) == before
    return raised.value


def meanwhile(house: Gateway, action: Callable[[], object]) -> None:
    """`action` happens between the read and the next write of a head."""
    write = house.table.write

    def once(ops: list[Op]) -> None:
        if ops[0].key.sk == "HEAD":
            house.table.write = write  # type: ignore[method-assign]
            action()
        write(ops)

    house.table.write = once  # type: ignore[method-assign]


def told(house: Gateway, head: Head) -> list[tuple[str, str, int, str | None, int | None]]:
    found = review.detail(house.ports, house.jonas, head.pause).questions
    return [
        (one.by, one.text, one.revision, one.answer and one.answer.text, one.answer and one.answer.revision)
        for one in found
    ]
