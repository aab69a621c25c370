"""Mail to one person: one in a while, one that is owed, none to an address that takes none."""

from __future__ import annotations

from typing import Any

from placet.records import writes
from tests.proofs.clauses.stage import Stage, scenario

APART_MS = writes.APART_MS
PAUSE = "a" * 26


def _box(stage: Stage) -> dict[str, Any]:
    return dict(stage.table.get(stage.keys.mailbox("maria")) or {})


def _owed(stage: Stage) -> int:
    """Mailed just now, and owed a mail; when it is due."""
    now = stage.clock.now_ms()
    stage.write("take_mail", "maria", PAUSE, now)
    stage.write("hold_mail", "maria", now + APART_MS)
    return now + APART_MS


@scenario("take_mail", "mail_apart")
def two_pauses_mail_one_person_at_once(stage: Stage) -> bool:
    now = stage.clock.now_ms()
    stage.meanwhile = lambda: stage.write("take_mail", "maria", PAUSE, now)
    return stage.write("take_mail", "maria", PAUSE, now)


@scenario("return_mail", "same_mail")
def a_mail_that_went_is_forgotten(stage: Stage) -> bool:
    first = stage.clock.now_ms()
    stage.write("take_mail", "maria", PAUSE, first)
    stage.meanwhile = lambda: stage.write("take_mail", "maria", PAUSE, first + APART_MS)
    stage.write("return_mail", "maria", first)
    return "sent_ms" not in _box(stage)


@scenario("take_mail", "takes_mail")
def an_address_is_mailed_that_just_refused(stage: Stage) -> bool:
    now = stage.clock.now_ms()
    stage.meanwhile = lambda: stage.write("refuse_mail", "maria", "bounced", "maria@example.com", now)
    return stage.write("take_mail", "maria", PAUSE, now)


@scenario("take_mail", "nothing_owed")
def a_mail_goes_beside_the_one_that_is_owed(stage: Stage) -> bool:
    due = _owed(stage)
    stage.clock.at_ms = due
    return stage.write("take_mail", "maria", PAUSE, due)


@scenario("hold_mail", "takes_mail")
def a_mail_is_owed_to_an_address_that_takes_none(stage: Stage) -> bool:
    now = stage.clock.now_ms()
    stage.write("take_mail", "maria", PAUSE, now)
    stage.meanwhile = lambda: stage.write("refuse_mail", "maria", "bounced", "maria@example.com", now)
    stage.write("hold_mail", "maria", now + APART_MS)
    return "wpk" in _box(stage)


@scenario("hold_mail", "nothing_owed")
def a_flood_pushes_a_mail_away(stage: Stage) -> bool:
    due = _owed(stage)
    stage.write("hold_mail", "maria", due + 60_000)
    return bool(_box(stage)["wsk"] != due)


@scenario("begin_digest", "same_moment")
def two_sweeps_send_what_is_owed(stage: Stage) -> bool:
    due = _owed(stage)
    stage.meanwhile = lambda: stage.write("begin_digest", "maria", due, due)
    return stage.write("begin_digest", "maria", due, due)


@scenario("hold_more", "same_moment")
def a_mail_is_owed_twice_that_another_pause_put_off(stage: Stage) -> bool:
    due = _owed(stage)
    stage.write("begin_digest", "maria", due, due)
    being = int(_box(stage)["wsk"])
    stage.meanwhile = lambda: stage.write("end_digest", "maria", due)
    stage.write("hold_more", "maria", being, due + APART_MS)
    return "wsk" in _box(stage)


@scenario("end_digest", "same_moment")
def who_was_late_strikes_out_what_another_is_sending(stage: Stage) -> bool:
    due = _owed(stage)
    stage.write("begin_digest", "maria", due, due)
    again = int(_box(stage)["wsk"])
    stage.meanwhile = lambda: stage.write("begin_digest", "maria", again, again)
    stage.write("end_digest", "maria", due)
    return "wpk" not in _box(stage)


@scenario("accept_mail", "mail_refused")
def a_mark_that_is_not_there_is_taken_away(stage: Stage) -> bool:
    stage.write("accept_mail", "maria")
    return bool(_box(stage))
