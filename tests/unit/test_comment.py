"""comment: what is said about a pause stays with it, in order, bounded, and changes nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.memory import MemoryTable
from placet.model.errors import Busy, Conflict, Invalid, NotFound
from placet.model.states import Verdict
from placet.records import writes
from placet.records.ops import ConditionFailed
from placet.service import review
from placet.service.comment import comment
from tests.gateway import REFUND, Gateway


@pytest.fixture
def house() -> Gateway:
    return Gateway()


def said(house: Gateway, pause: str) -> list[tuple[str, bool, str]]:
    detail = review.detail(house.ports, house.maria, pause)
    return [(one.by, one.by_you, one.text) for one in detail.comments]


def test_comments_stand_in_order_with_name_and_time_and_the_head_stays(house: Gateway) -> None:
    head = house.shown(REFUND)
    first = comment(house.ports, house.maria, head.pause, " I called them. ")
    house.clock.move(60)
    second = comment(house.ports, house.jonas, head.pause, "And?")
    assert (first.number, second.number, second.at_ms - first.at_ms) == (1, 2, 60_000)
    assert said(house, head.pause) == [("Maria Keller", True, "I called them."), ("Jonas Weber", False, "And?")]
    assert house.head(head.pause) == replace(head, said=True)


def test_a_decision_is_in_nobodys_way_and_afterwards_it_goes_on(house: Gateway) -> None:
    head = house.shown(REFUND)
    comment(house.ports, house.jonas, head.pause, "Fine by me.")
    house.decide(head, 1, Verdict.REJECT)
    comment(house.ports, house.jonas, head.pause, "Why?")
    assert [text for _, _, text in said(house, head.pause)] == ["Fine by me.", "Why?"]


def test_the_requester_may_speak_and_a_stranger_sees_nothing(house: Gateway) -> None:
    head = house.shown(REFUND, requester="maria@example.com")
    assert comment(house.ports, house.maria, head.pause, "It was me.").number == 1
    with pytest.raises(NotFound):
        comment(house.ports, house.person("olga", "Olga Brandt", "gardeners"), head.pause, "Me too.")
    with pytest.raises(NotFound):
        comment(house.ports, house.maria, "a" * 26, "Nobody is here.")


def test_sent_again_it_is_the_same_and_said_again_it_is_another(house: Gateway) -> None:
    head = house.shown(REFUND)
    first = comment(house.ports, house.maria, head.pause, "yes")
    again = comment(house.ports, house.maria, head.pause, "yes")
    assert (again.number, again.at_ms, again.replayed) == (1, first.at_ms, True)
    comment(house.ports, house.jonas, head.pause, "yes")
    assert comment(house.ports, house.maria, head.pause, "yes").number == 3
    house.clock.move(600)
    assert comment(house.ports, house.maria, head.pause, "yes").number == 4


@pytest.mark.parametrize(
    ("text", "code"), [("", "text_missing"), (" \u200b\n", "text_missing"), ("x" * 1_001, "text_too_long")]
)
def test_a_text_is_seen_and_bounded(house: Gateway, text: str, code: str) -> None:
    head = house.shown(REFUND)
    with pytest.raises(Invalid) as raised:
        comment(house.ports, house.maria, head.pause, text)
    assert raised.value.code == code
    assert comment(house.ports, house.maria, head.pause, "x" * 1_000).number == 1


def test_a_pause_takes_fifty(house: Gateway) -> None:
    head = house.shown(REFUND)
    people = [house.person(f"p{number}", f"P {number}", "finance") for number in range(5)]
    for number in range(50):
        comment(house.ports, people[number % 5], head.pause, f"{number}")
    with pytest.raises(Conflict) as raised:
        comment(house.ports, house.jonas, head.pause, "one more")
    assert (raised.value.code, raised.value.members) == ("comments_full", {"limit": 50})
    assert [text for _, _, text in said(house, head.pause)] == [f"{number}" for number in range(50)]


def test_one_person_takes_fifteen_of_them(house: Gateway) -> None:
    head = house.shown(REFUND, requester="maria@example.com")
    for number in range(15):
        comment(house.ports, house.maria, head.pause, f"{number}")
    with pytest.raises(Conflict) as raised:
        comment(house.ports, house.maria, head.pause, "one more")
    assert (raised.value.code, raised.value.members) == ("comments_full", {"limit": 15})
    assert comment(house.ports, house.maria, head.pause, "14").replayed
    assert comment(house.ports, house.jonas, head.pause, "mine").number == 16


class Crowded(MemoryTable):
    """A table where others speak just before each comment, so often."""

    def __init__(self, house: Gateway, others: int) -> None:
        super().__init__()
        self.house, self.others, self.speaking = house, others, False

    def write(self, ops: list[Any]) -> None:
        (op, *_) = ops
        if "#comment#" in "#".join(op.key) and self.others and not self.speaking:
            self.others, self.speaking = self.others - 1, True
            number = int(op.key.sk.rpartition("#")[2])
            pause = op.key.pk.rpartition("#")[2]
            super().write(
                writes.comment(
                    self.house.keys,
                    replace(self.house.head(pause), said=True),
                    number,
                    self.house.jonas,
                    f"first {self.others}",
                    1,
                )
            )
            self.speaking = False
        super().write(ops)


@pytest.mark.parametrize("others", [1, 7, 8])
def test_of_two_at_once_both_are_kept(house: Gateway, others: int) -> None:
    house = Gateway()
    house.table = Crowded(house, 0)
    house.__post_init__()
    head = house.shown(REFUND)
    house.table.others = others
    if others == 8:
        with pytest.raises(Busy):
            comment(house.ports, house.maria, head.pause, "mine")
        return
    assert comment(house.ports, house.maria, head.pause, "mine").number == others + 1
    assert len(said(house, head.pause)) == others + 1


def test_what_was_written_although_its_answer_was_lost_is_not_said_twice(house: Gateway) -> None:
    """The table's client sends the write again, finds its own, and somebody else speaks before it is looked at."""
    head = house.shown(REFUND)
    write = house.table.write

    def loses(ops: list[Any]) -> None:
        house.table.write = write  # type: ignore[method-assign]
        write(ops)
        comment(house.ports, house.jonas, head.pause, "Me too.")
        raise ConditionFailed(0, None)

    house.table.write = loses  # type: ignore[method-assign]
    answer = comment(house.ports, house.maria, head.pause, "Please wait.")
    assert (answer.number, answer.replayed) == (1, False)
    assert [text for _, _, text in said(house, head.pause)] == ["Please wait.", "Me too."]
