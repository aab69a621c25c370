"""Where a run stands, from what is stored alone: each state of its record, each of its pause, and a run without a record."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.errors import NotFound
from placet.model.limits import LONGEST_NAME
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.records.keys import Key
from placet.records.ops import Item
from placet.records.runs import Run, RunState, put_completion, put_run
from placet.service.bedrock.following import MOST_PAUSES, NOT_TAKEN, SAY, WAITS, Following, follow
from placet.service.cancel import cancel
from placet.service.loading import store
from placet.service.resume import take
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed
from tests.gateway import REFUND, SUPPORT, Gateway

RUN = "conversation-1"


def stored(gateway: Gateway, **facts: Any) -> Run:
    """The record of a run, as the last turn left it."""
    run = Run(**{"agent": SUPPORT.name, "run": RUN, "session": RUN, "turn": 3, **facts})
    item = put_run(gateway.keys, run)
    gateway.table.items[Key(item["pk"], item["sk"])] = item
    return run


def stands(gateway: Gateway, **more: Any) -> Following:
    return follow(gateway.ports, SUPPORT, RUN, **more)


def shown(gateway: Gateway, **facts: Any) -> Head:
    return gateway.shown(REFUND, run=RUN, **facts)


@pytest.mark.parametrize("run", ["", "x" * (LONGEST_NAME + 1), "x", "x" * LONGEST_NAME])
def test_a_run_that_never_was_is_absent(gateway: Gateway, run: str) -> None:
    with pytest.raises(NotFound):
        follow(gateway.ports, SUPPORT, run)


def test_a_name_of_one_character_and_one_of_the_longest_are_names(gateway: Gateway) -> None:
    for name in ("x", "x" * LONGEST_NAME):
        stored(gateway, run=name)
        assert follow(gateway.ports, SUPPORT, name).status == "finished"


@pytest.mark.parametrize(("left_ms", "status"), [(1, "running"), (0, "inconclusive"), (-1, "inconclusive")])
def test_a_turn_that_is_out_is_running_until_it_cannot_come_back(gateway: Gateway, left_ms: int, status: str) -> None:
    stored(gateway, state=RunState.RUNNING, until_ms=gateway.clock.now_ms() + left_ms)
    found = stands(gateway)
    assert (found.status, found.say, found.pause, found.completion) == (status, SAY[status], "", "")


def test_what_the_agent_said_is_told_when_it_has_finished_and_only_then(gateway: Gateway) -> None:
    run = stored(gateway, completed=3)
    store(gateway.ports, put_completion(gateway.keys, run, 3, "Done.", 0))
    assert stands(gateway) == Following(RUN, SUPPORT.name, "finished", completion="Done.", say=SAY["finished"])
    stored(gateway, completed=3, state=RunState.INCONCLUSIVE, code="timed_out")
    assert stands(gateway) == Following(RUN, SUPPORT.name, "inconclusive", code="timed_out", say=SAY["inconclusive"])


def test_what_was_too_long_to_keep_says_that_it_is_cut(gateway: Gateway) -> None:
    run = stored(gateway, completed=3)
    store(gateway.ports, put_completion(gateway.keys, run, 3, "x" * 300_000, 0))
    found = stands(gateway)
    assert (found.cut, found.completion) == (True, "x" * 200_000)


@pytest.mark.parametrize(("why", "say"), [("", SAY["failed"]), ("No such function.", NOT_TAKEN)])
def test_a_turn_that_failed_says_what_was_wrong_with_what_the_agent_asked_for(
    gateway: Gateway, why: str, say: str
) -> None:
    stored(gateway, state=RunState.FAILED, code="control_invalid", why=why)
    found = stands(gateway)
    assert (found.status, found.code, found.why, found.say) == ("failed", "control_invalid", why, say)
    stored(gateway, why=why)
    assert (stands(gateway).why, stands(gateway).say) == ("", SAY["finished"])


@pytest.mark.parametrize("state", [RunState.WAITING, RunState.ANSWERING])
def test_a_run_that_waits_stands_where_its_pause_stands(gateway: Gateway, state: RunState) -> None:
    head = shown(gateway)
    stored(gateway, state=state, pause=head.pause)
    money = gateway.policy.classes["money-out"].say
    assert (stands(gateway).status, stands(gateway).pause) == ("waiting", head.pause)
    assert stands(gateway).say == money != ""
    list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    assert stands(gateway).status == "waiting", "people may still decide it"
    gateway.table.items[gateway.keys.head(head.pause)].pop("stuck")
    gateway.table.items[gateway.keys.head(head.pause)].update(wpk=head.wpk, wsk=head.wsk)
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    assert (stands(gateway).status, stands(gateway).say) == ("resuming", SAY["resuming"])
    list_stuck(gateway.ports, gateway.head(head.pause), "resume_failed")
    assert (stands(gateway).status, stands(gateway).say) == ("stuck", SAY["stuck"])


def test_of_a_class_that_is_gone_a_plain_sentence_says_that_a_person_has_to_agree(gateway: Gateway) -> None:
    head = shown(gateway)
    stored(gateway, state=RunState.WAITING, pause=head.pause)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["class"] = "of-before"
    assert stands(gateway).say == WAITS


def test_a_pause_that_was_withdrawn_is_cancelled_whatever_else_it_is(gateway: Gateway) -> None:
    head = shown(gateway)
    stored(gateway, state=RunState.WAITING, pause=head.pause)
    cancel(gateway.ports, SUPPORT, head.pause, "not needed")
    assert (stands(gateway).status, stands(gateway).say) == ("cancelled", SAY["cancelled"])


def test_a_pause_that_cannot_be_read_is_stuck_and_one_that_never_was_is_inconclusive(gateway: Gateway) -> None:
    head = shown(gateway)
    stored(gateway, state=RunState.WAITING, pause=head.pause)
    gateway.table.items[gateway.keys.head(head.pause)]["schema_version"] = 99
    assert stands(gateway).status == "stuck"
    stored(gateway, state=RunState.WAITING, pause="a" * 26)
    assert stands(gateway).status == "inconclusive"


@pytest.mark.parametrize(("left_ms", "status"), [(1, "resuming"), (0, "inconclusive")])
def test_a_pause_that_ended_without_word_of_its_answer_is_waited_for_and_then_given_up(
    gateway: Gateway, left_ms: int, status: str
) -> None:
    head = shown(gateway)
    stored(gateway, state=RunState.ANSWERING, pause=head.pause, until_ms=gateway.clock.now_ms() + left_ms)
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert stands(gateway).status == status


def test_a_record_that_is_gone_when_it_is_read_again_is_given_up_as_one_that_stayed(gateway: Gateway) -> None:
    head = shown(gateway)
    run = stored(gateway, state=RunState.ANSWERING, pause=head.pause)
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    key, get = gateway.keys.session_run(SUPPORT.name, RUN), gateway.table.get
    answers = iter([put_run(gateway.keys, run)])

    def once(asked: Key) -> Item | None:
        return next(answers, None) if asked == key else get(asked)

    gateway.table.get = once
    assert stands(gateway).status == "inconclusive"


def test_of_a_run_without_a_record_its_last_pause_says_where_it_stands(gateway: Gateway) -> None:
    head = shown(gateway)
    found = stands(gateway)
    assert (found.status, found.pause, found.pauses, found.more) == ("waiting", head.pause, (head.pause,), False)
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert (stands(gateway).status, stands(gateway).pause) == ("resuming", head.pause)
    take(gateway.ports, SUPPORT)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert stands(gateway) == Following(RUN, SUPPORT.name, "ended", say=SAY["ended"], pauses=(head.pause,))
    later = shown(gateway, checkpoint="cp-2")
    assert stands(gateway).pauses == (head.pause, later.pause)
    cancel(gateway.ports, SUPPORT, later.pause, "not needed")
    assert (stands(gateway).status, stands(gateway).pause) == ("cancelled", "")


def test_an_older_pause_that_cannot_be_read_and_has_not_ended_is_what_a_run_without_a_record_waits_for(
    gateway: Gateway,
) -> None:
    first, last = shown(gateway), shown(gateway, checkpoint="cp-2")
    gateway.table.items[gateway.keys.head(first.pause)]["schema_version"] = 99
    found = stands(gateway)
    assert (found.status, found.pause, found.pauses) == ("stuck", first.pause, (last.pause,))
    assert (found.say, found.more) == (SAY["stuck"], False)
    del gateway.table.items[gateway.keys.head(first.pause)]["wpk"]
    assert stands(gateway).status == "waiting"


@pytest.mark.parametrize(("count", "more"), [(MOST_PAUSES, False), (MOST_PAUSES + 1, True)])
def test_the_latest_pauses_are_listed_oldest_first_and_that_there_are_more(
    gateway: Gateway, count: int, more: bool
) -> None:
    made = [gateway.capture(REFUND, run=RUN, checkpoint=f"cp-{n}").head.pause for n in range(count)]
    found = stands(gateway)
    assert (found.pauses, found.more) == (tuple(made[-MOST_PAUSES:]), more)


def test_the_pauses_of_a_run_with_a_record_are_listed_only_when_they_are_asked_for(gateway: Gateway) -> None:
    head = shown(gateway)
    stored(gateway)
    assert stands(gateway).pauses == ()
    assert stands(gateway, with_pauses=True).pauses == (head.pause,)
