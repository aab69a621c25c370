"""The quarter of a year at its small size, and bugs planted into the product that the logs of its surroundings tell of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from placet.model.absences import Absences
from placet.records import writes
from placet.records.writes import deciding
from placet.service import asking, decide, escalate, notify, short
from tests.proofs import Size, time
from tests.proofs.timing.cast import BEGINS_MS, POLICY
from tests.proofs.timing.judging import Judge
from tests.proofs.timing.presence import Away
from tests.proofs.timing.quarter import Asked, Mailed, Said

PAUSES = 60


def test_everybody_is_reminded_once_every_level_is_asked_and_nothing_accepts_itself() -> None:
    proof = time.prove(lambda line: None, Size(quick=True))
    assert proof.violations == []
    assert {name: proof.figures[name] for name in time.WRONG} == dict.fromkeys(time.WRONG, 0)


def figures(*, swept: bool = True, seed: int = 1) -> dict[str, float]:
    return time.judged(time.quick(seed, swept=swept, pauses=PAUSES).plays(), PAUSES).figures


def test_a_reminder_without_its_clause_comes_twice() -> None:
    def remind(*given: Any, real: Callable[..., Any] = writes.remind) -> Any:
        head, event = real(*given)
        kept = tuple(one for one in head.clauses if one.name != "reminded_as_seen")
        return [replace(head, clauses=kept), replace(event, clauses=())]

    # A mailbox lets one mail through in five minutes, so it hides most of it: that is taken away as well.
    with mock.patch.object(writes, "remind", remind), mock.patch.object(notify, "may_mail", return_value=True):
        assert figures()["reminders_doubled"] > 0


def test_a_level_that_is_skipped_is_seen() -> None:
    def widen(keys: Any, head: Any, levels: dict[int, int], *rest: Any, real: Any = writes.widen) -> Any:
        beyond = {number: level + (head.call(number).action_class == "ladder") for number, level in levels.items()}
        return real(keys, head, beyond, *rest)

    with mock.patch.object(writes, "widen", widen):
        assert figures()["escalations_wrong"] > 0


def test_time_by_the_wall_instead_of_working_time_is_seen() -> None:
    with mock.patch("placet.service.plan.moment_after", lambda start, seconds, hours: start + 1000 * seconds):
        wrong = figures()
    assert wrong["escalations_wrong"] > 0
    assert wrong["reminders_missing"] > 0


def test_a_lost_timer_without_a_sweep_is_seen() -> None:
    assert figures(swept=False)["waiting_forever"] > 0


def test_people_who_are_not_told_are_seen() -> None:
    with mock.patch.object(escalate, "asked", return_value={}):
        assert figures()["reminders_missing"] > 0


def test_a_delegate_whom_nobody_asks_is_seen() -> None:
    with mock.patch.object(Absences, "instead_of", return_value=()):
        wrong = figures()
    assert wrong["silent"] + wrong["reminders_missing"] > 0


def test_a_group_that_is_away_and_that_a_sweep_takes_for_here_is_seen() -> None:
    with mock.patch.object(short, "_is_short", return_value=False):
        assert figures()["silent"] > 0


def test_a_vote_of_somebody_and_one_in_their_place_that_count_as_two_are_seen() -> None:
    def others(call: Any, standing: Any, *_: Any) -> dict[str, str]:
        return {sub: call.votes[sub] for sub in standing}

    # A vote leaves the marks of whose right it is, and they hide it: they are taken away as well.
    with (
        mock.patch.object(decide, "_others", others),
        mock.patch.object(deciding, "address_marks", return_value=frozenset()),
    ):
        assert figures(seed=3)["auto_accepts"] > 0


def test_a_vote_that_has_ended_and_counts_still_is_seen() -> None:
    def agreed(ports: Any, head: Any, call: Any) -> list[frozenset[str]]:
        return [frozenset({sub, call.stand_ins.get(sub, sub)}) for sub, to in call.votes.items() if to == call.digest]

    with mock.patch.object(asking, "_agreed", agreed):
        assert figures()["silent"] > 0


@pytest.mark.parametrize(
    ("dia", "alarms", "wrong"),
    [
        ("leaves", 0, ["silent"]),
        ("leaves", 1, []),
        ("names fay", 0, ["silent"]),
        ("names fay", 1, []),
        ("stays", 0, []),
        ("stays", 1, ["silent"]),
    ],
)
def test_whoever_stands_in_for_somebody_who_has_agreed_is_not_waited_for(
    dia: str, alarms: int, wrong: list[str]
) -> None:
    """Fay agrees and goes away; Cem, whom she named, has nothing to decide by her right, nor by one that comes through her, and is
    no second person."""
    kind, hour = POLICY.classes["pair"], 3_600_000
    closed = BEGINS_MS + 24 * hour
    call = Asked("p", 1, kind, "elif", BEGINS_MS, closed, "expired", [Said(BEGINS_MS + hour, "fay", "")])
    groups = [(0, "floor", frozenset({"dia", "fay"})), (0, "desk", frozenset({"cem"}))]
    groups += [(BEGINS_MS + 2 * hour, "floor", frozenset({"fay"}))] * (dia == "leaves")
    away = [Away(BEGINS_MS + hour, "fay", BEGINS_MS + hour + 1, closed, "cem")]
    away += [Away(BEGINS_MS + 2 * hour, "dia", BEGINS_MS + 2 * hour, closed, "fay")] * (dia == "names fay")
    mails = [Mailed(BEGINS_MS, sub, "p", "") for sub in ("dia", "fay")]
    mails += [Mailed(BEGINS_MS + 1000 * s, "dia", "p", "reminded") for s in kind.remind_after_s if dia == "stays"]
    played: Any = SimpleNamespace(calls={"p": [call]}, mails=mails, digests=[], people=None, now=closed)
    played.alarms = [(BEGINS_MS + 2 * hour, "p", "too_few_people")] * alarms
    played.people = SimpleNamespace(groups=groups, away=away)
    assert [one.partition(":")[0] for one in Judge(played).judges().wrong] == wrong


def test_a_play_in_which_something_never_happens_is_no_proof() -> None:
    quarter = time.quick(1, pauses=2).plays()
    assert any(one.startswith("never happened") for one in time.judged(quarter, 2).violations)
    assert "too little was played" in time.judged(quarter, time.PAUSES).violations
