"""A stored record of a shape that no release wrote is one error, of its own pause, and everything else goes on."""

from __future__ import annotations

from typing import Any

import pytest

from placet.http.problems import status_of
from placet.model.errors import Damaged, Frozen, Lost, NotFound, Unreadable
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.service import members, operate, review, sessions
from placet.service.asking import reviewers_of
from placet.service.bedrock.following import follow
from placet.service.decide import Decision, decide
from placet.service.find import find
from placet.service.inbox import inbox
from placet.service.resume import pick_up, take
from placet.service.sweep import sweep
from placet.service.unreadable import list_unreadable
from placet.service.went_on import resumed
from tests.gateway import BILLING, REFUND, SMALL, SUPPORT, Gateway, approved

LONG = ("delete_records", {"table": "contacts", "where": "x" * 20_000})
HEADS: dict[str, dict[str, Any]] = {
    "calls are text": {"calls": "x"},
    "calls are a list": {"calls": []},
    "no calls": {"calls": {}},
    "a call is text": {"calls": {"1": "x"}},
    "a call has no number": {"calls": {"one": {}}},
    "a text for a number": {"gen": "1"},
    "a truth for a number": {"level": True},
    "a number for a text": {"run": 7},
    "a fraction": {"deadline_ms": 1.5},
    "nothing for a text": {"requester": None},
    "an unknown state": {"state": "sleeping"},
    "a count of its own": {"open_calls": 3},
    "no map": {"card": "x"},
    "a text for a list": {"card": {"title": "t", "tools": "abc"}},
    "an unknown framework": {"framework": "abacus"},
    "no version": {"schema_version": "1"},
}


def hurt(gateway: Gateway, pause: str, **changes: Any) -> None:
    gateway.table.items[gateway.keys.head(pause)].update(changes)


@pytest.mark.parametrize("changes", HEADS.values(), ids=HEADS)
def test_a_head_of_another_shape_is_damaged(gateway: Gateway, changes: dict[str, Any]) -> None:
    head = gateway.shown(REFUND)
    hurt(gateway, head.pause, **changes)
    with pytest.raises(Damaged) as caught:
        review.detail(gateway.ports, gateway.maria, head.pause)
    assert (caught.value.code, caught.value.pause, status_of(caught.value)) == ("damaged", head.pause, 409)


@pytest.mark.parametrize("name", ["state", "calls", "body", "gen", "card", "framework", "schema_version"])
def test_a_head_without_an_attribute_is_damaged(gateway: Gateway, name: str) -> None:
    head = gateway.shown(REFUND)
    del gateway.table.items[gateway.keys.head(head.pause)][name]
    with pytest.raises(Damaged):
        decide(gateway.ports, gateway.maria, call_id(head.pause, 1), Decision(Verdict.ACCEPT, 1, head.calls[0].digest))


@pytest.mark.parametrize("changes", HEADS.values(), ids=HEADS)
def test_the_sweep_repairs_what_stands_behind_it(gateway: Gateway, changes: dict[str, Any]) -> None:
    hurt(gateway, gateway.capture(REFUND, checkpoint="a").head.pause, **changes)
    fine = gateway.capture(REFUND, checkpoint="b").head
    gateway.table.changes.clear()  # their stream records were lost
    gateway.clock.move(120)
    assert sweep(gateway.ports).started == 1
    assert f"{fine.pause}-1" in gateway.waits.started


def bodies(gateway: Gateway, pause: str) -> list[dict[str, Any]]:
    return [item for key, item in gateway.table.items.items() if key.pk.endswith(pause) and key.sk.startswith("BODY")]


BODIES: dict[str, dict[str, Any]] = {
    "no JSON": {"content": "{"},
    "no text": {"content": 5},
    "another text": {"content": "{}"},
    "too deep": {"content": "[" * 5_000 + "]" * 5_000},
    "far too deep": {"content": "[" * 200_000},
    "no object": {"content": "[]"},
}


@pytest.mark.parametrize("changes", BODIES.values(), ids=BODIES)
def test_a_body_that_cannot_be_read_hides_no_other_pause(gateway: Gateway, changes: dict[str, Any]) -> None:
    damaged, _ = approved(gateway, checkpoint="a")
    fine, _ = approved(gateway, checkpoint="b")
    gateway.deliver()
    bodies(gateway, damaged.pause)[0].update(changes)
    with pytest.raises(Damaged):
        review.detail(gateway.ports, gateway.maria, damaged.pause)
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [fine.pause]
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, limit=5)] == [fine.pause]


def test_a_text_that_is_gone_from_the_bucket_is_lost(gateway: Gateway) -> None:
    head = gateway.shown(LONG)
    gateway.bodies.texts.clear()
    with pytest.raises(Lost) as caught:
        review.detail(gateway.ports, gateway.maria, head.pause)
    assert (caught.value.code, status_of(caught.value)) == ("body_lost", 409)


def test_a_body_of_another_pause_is_not_believed(gateway: Gateway) -> None:
    one, other = gateway.shown(REFUND, checkpoint="a"), gateway.shown(LONG, checkpoint="b")
    bodies(gateway, one.pause)[0].update(content="", place=bodies(gateway, other.pause)[0]["place"])
    with pytest.raises(Damaged):
        review.detail(gateway.ports, gateway.maria, one.pause)


def test_find_names_it_beside_the_others(gateway: Gateway) -> None:
    damaged, fine = gateway.shown(REFUND, checkpoint="a"), gateway.shown(REFUND, checkpoint="b")
    hurt(gateway, damaged.pause, calls="x")
    assert {one["pause"]: one["stuck"] for one in find(gateway.ports, "order:1182")} == {
        damaged.pause: "damaged",
        fine.pause: "",
    }


def test_a_membership_that_cannot_be_read_gives_no_right_and_takes_nobody_elses(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    for key in (gateway.keys.member("maria", "finance"), gateway.keys.group_member("finance", "maria")):
        gateway.table.items[key]["email"] = 5
    assert members.reviewer(gateway.ports, "maria").groups == {"approvers"}
    assert members.reviewer(gateway.ports, "jonas").groups == {"finance", "approvers"}
    assert list(reviewers_of(gateway.ports, head)) == ["jonas"]


@pytest.mark.parametrize("changes", [{"until_ms": "x"}, {"sub": None}, {"schema_version": 2}])
def test_a_session_that_cannot_be_read_is_signed_in_again(gateway: Gateway, changes: dict[str, Any]) -> None:
    cookie = sessions.begin(gateway.ports, "maria")
    next(item for item in gateway.table.items.values() if item["kind"] == "SESSION").update(changes)
    assert sessions.find(gateway.ports, cookie) is None


@pytest.mark.parametrize("changes", [{"reason": 5}, {"at_ms": "x"}, {"schema_version": 2}, {"name": None}])
def test_an_event_that_cannot_be_read_stops_nothing(gateway: Gateway, changes: dict[str, Any]) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT, reason="Not this one.")
    gateway.table.items[gateway.keys.event(head.pause, "1#decided")].update(changes)
    assert review.detail(gateway.ports, gateway.maria, head.pause).calls[0].state == "rejected"
    (told,) = pick_up(gateway.ports, SUPPORT)
    assert (told["calls"][0]["state"], told["calls"][0]["reason"]) == ("rejected", None)


@pytest.mark.parametrize("changes", [{"held": "no"}, {"held": None}, {"schema_version": 2}])
def test_a_freeze_that_cannot_be_read_holds_until_the_thaw(gateway: Gateway, changes: dict[str, Any]) -> None:
    operate.freeze(gateway.ports, "olga", "restore")
    operate.thaw(gateway.ports, "olga")
    gateway.table.items[gateway.keys.freeze()].update(changes)
    with pytest.raises(Frozen):
        gateway.capture(SMALL)
    operate.thaw(gateway.ports, "olga")
    gateway.capture(SMALL)


def test_the_token_that_can_be_read_is_answered(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    token = gateway.table.items[gateway.keys.token(head.pause, 1)]
    gateway.table.items[gateway.keys.token(head.pause, 2)] = {**token, "sk": "TOKEN#2", "token": 5}
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.deliver()
    assert gateway.waits.answered == [f"token of {head.pause}-1"]


def test_every_error_of_a_stored_record_is_one_family() -> None:
    assert {status_of(one) for one in (Damaged("head"), Lost("body_lost", "body"))} == {409}
    assert issubclass(Damaged, Unreadable)
    assert issubclass(Lost, Unreadable)


def test_any_number_of_unreadable_pauses_in_front_hides_nobody_from_the_inbox(gateway: Gateway) -> None:
    for number in range(60):
        hurt(gateway, gateway.shown(REFUND, checkpoint=f"p-{number}").pause, schema_version=2, card="x")
    gateway.clock.move(1)
    fine = gateway.shown(REFUND, checkpoint="fine")
    assert [row.pause for row in inbox(gateway.ports, gateway.maria).rows] == [fine.pause]


@pytest.mark.parametrize(
    "changes", [{"swept_ms": "x"}, {"swept_pause": 5}, {"swept_pause": "p"}, {"schema_version": 2}]
)
def test_a_mark_of_the_sweep_that_cannot_be_read_is_none(gateway: Gateway, changes: dict[str, Any]) -> None:
    head = gateway.capture(REFUND).head
    mark = {"swept_ms": gateway.clock.at_ms + 10**9, "swept_pause": head.pause}
    for item in gateway.table.items.values():
        if item["kind"] == "LIST":
            item.update({**mark, **changes})
    gateway.table.changes.clear()
    gateway.clock.move(120)
    assert sweep(gateway.ports).started == 1


def test_a_call_that_is_shown_and_has_no_deadline_is_damaged(gateway: Gateway) -> None:
    """Nobody could decide it, and no timer would ever end it."""
    head = gateway.shown(REFUND)
    del gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["deadline_ms"]
    with pytest.raises(Damaged):
        review.detail(gateway.ports, gateway.maria, head.pause)


def test_a_run_with_a_pause_that_cannot_be_read_is_stuck_whatever_came_before(gateway: Gateway) -> None:
    first, _ = approved(gateway, checkpoint="a")
    resumed(gateway.ports, SUPPORT, first.pause)
    last = gateway.shown(REFUND, checkpoint="b")
    hurt(gateway, last.pause, calls="x")
    found = follow(gateway.ports, SUPPORT, "thread-1")
    assert (found.status, found.pause) == ("stuck", last.pause)
    with pytest.raises(NotFound):
        follow(gateway.ports, BILLING, "thread-1")


def test_what_cannot_be_read_is_told_once_with_what_it_is(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    hurt(gateway, head.pause, card="x")
    gateway.log.clear()
    for _ in range(2):
        with pytest.raises(Damaged) as caught:
            take(gateway.ports, SUPPORT, head.pause)
        list_unreadable(gateway.ports, head.pause, caught.value)
    error = caught.value
    assert error.what
    assert gateway.log == [
        ("stuck", {"pause": head.pause, "reason": "damaged", "code": "damaged", "what": error.what}),
    ]


def test_what_ended_in_an_earlier_release_is_not_listed(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    hurt(gateway, head.pause, schema_version=99)
    del gateway.table.items[gateway.keys.head(head.pause)]["wpk"]
    assert not list_unreadable(gateway.ports, head.pause, Damaged("card"))
    hurt(gateway, head.pause, schema_version=1)
    assert list_unreadable(gateway.ports, head.pause, Damaged("card")), "one of this release always has its place"
