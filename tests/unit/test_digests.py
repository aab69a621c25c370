"""One mail to a person in five minutes, then one of what waits: whatever comes, whoever asks, and through every failure."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from placet.model.errors import Busy
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records import writes
from placet.service import digests, inbox, members, queues
from placet.service.bounces import bounce, mailbox_of
from placet.service.digests import owed, send_digest
from placet.service.ports import Note
from placet.service.reassign import reassign
from tests.gateway import BILLING, DELETE, REFUND, Gateway, with_class
from tests.unit.sweeping import sweeps

APART_S = writes.APART_MS / 1000
BOUNCED = {
    "eventType": "Bounce",
    "bounce": {"bounceType": "Permanent"},
    "mail": {"destination": ["maria@example.com"], "tags": {"placet-person": ["maria"]}},
}


def flood(gateway: Gateway, many: int) -> None:
    for number in range(many):
        gateway.shown(REFUND, run=f"run-{number}", checkpoint=f"cp-{number}")


def mailed(gateway: Gateway, sub: str = "maria") -> tuple[int, int]:
    """Mails about one pause, and mails of what waits, that a person got."""
    return sum(one.to == sub for one in gateway.mail.sent), sum(one.to == sub for one in gateway.mail.digests)


def test_the_first_call_is_told_at_once_and_the_others_in_one_mail(gateway: Gateway) -> None:
    flood(gateway, 7)
    assert mailed(gateway) == (1, 0)
    sweeps(gateway)
    assert mailed(gateway) == (1, 0)
    gateway.clock.move(APART_S)
    sweeps(gateway)
    assert mailed(gateway) == mailed(gateway, "jonas") == (1, 1)
    (told,) = [one for one in gateway.mail.digests if one.to == "maria"]
    assert (told.to_email, told.waiting, told.more) == ("maria@example.com", 7, False)
    assert owed(gateway.ports) == []
    assert mailbox_of(gateway.ports, "maria").due_ms == 0


def test_it_holds_whoever_asks_and_whatever_group_asks(gateway: Gateway) -> None:
    gateway.shown(REFUND)
    gateway.shown(DELETE, agent=BILLING, checkpoint="cp-2")
    assert mailed(gateway) == (1, 0)


def test_a_day_of_calls_is_a_mail_in_five_minutes(gateway: Gateway) -> None:
    at: list[int] = []
    for minute in range(60):
        gateway.shown(REFUND, run=f"run-{minute}", checkpoint=f"cp-{minute}")
        before = sum(mailed(gateway))
        sweeps(gateway)
        at += [minute] * (sum(mailed(gateway)) - before + (minute == 0))
        gateway.clock.move(60)
    assert 10 <= len(at) <= 12
    assert all(later - earlier >= 5 for earlier, later in itertools.pairwise(at))


def test_after_a_quiet_while_a_call_is_told_by_itself_again(gateway: Gateway) -> None:
    gateway.shown(REFUND)
    gateway.clock.move(APART_S)
    gateway.shown(REFUND, checkpoint="cp-2")
    assert mailed(gateway) == (2, 0)
    assert owed(gateway.ports) == []


def test_what_was_decided_meanwhile_is_not_told(gateway: Gateway) -> None:
    first = gateway.shown(REFUND)
    second = gateway.shown(REFUND, checkpoint="cp-2")
    for head in (first, second):
        gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT)
    gateway.clock.move(APART_S)
    sweeps(gateway)
    assert mailed(gateway) == (1, 0)
    assert owed(gateway.ports) == []


def test_a_digest_that_cannot_be_sent_comes_again(gateway: Gateway) -> None:
    def digest(note: object) -> bool:
        raise Busy

    flood(gateway, 2)
    gateway.clock.move(APART_S)
    sending, gateway.mail.digest = gateway.mail.digest, digest  # type: ignore[method-assign]
    sweeps(gateway)
    gateway.mail.digest = sending  # type: ignore[method-assign]
    sweeps(gateway)
    assert mailed(gateway) == (1, 0), "whoever is at it is left alone"
    gateway.clock.move(150)
    sweeps(gateway)
    assert mailed(gateway) == (1, 1)


def test_a_function_that_is_cut_off_leaves_the_digest_to_the_next(gateway: Gateway) -> None:
    flood(gateway, 2)
    gateway.clock.move(APART_S)
    due = mailbox_of(gateway.ports, "maria").due_ms
    gateway.table.write(writes.begin_digest(gateway.keys, "maria", due, gateway.clock.now_ms()))
    assert send_digest(gateway.ports, "maria") is False
    gateway.clock.move(150)
    assert send_digest(gateway.ports, "maria") is True


def test_a_mail_that_could_not_be_sent_holds_nobody_up(gateway: Gateway) -> None:
    def send(note: Note) -> bool:
        raise Busy

    sending, gateway.mail.send = gateway.mail.send, send  # type: ignore[method-assign]
    head = gateway.shown(REFUND)
    assert set(head.mails_missed) == {"maria", "jonas"}
    gateway.mail.send = sending  # type: ignore[method-assign]
    gateway.clock.move(60)
    sweeps(gateway)
    assert mailed(gateway) == mailed(gateway, "jonas") == (1, 0)
    assert gateway.head(head.pause).mails_missed == ()


def test_an_address_that_bounced_gets_no_mail_and_no_digest(gateway: Gateway) -> None:
    flood(gateway, 2)
    bounce(gateway.ports, BOUNCED)
    gateway.clock.move(APART_S)
    sweeps(gateway)
    gateway.shown(REFUND, run="later", checkpoint="cp-later")
    assert mailed(gateway) == (1, 0)
    assert mailed(gateway, "jonas") == (1, 1)
    assert gateway.head(gateway.capture(REFUND, run="later", checkpoint="cp-later").head.pause).mails_missed == ()
    gateway.table.write(writes.accept_mail(gateway.keys, "maria"))
    gateway.clock.move(APART_S)
    gateway.shown(REFUND, run="last", checkpoint="cp-last")
    assert mailed(gateway) == (2, 0)


def test_a_class_without_mail_is_seen_in_the_inbox_only(gateway: Gateway) -> None:
    gateway.with_policy(mail=False)
    head = gateway.shown(REFUND)
    assert mailed(gateway) == (0, 0)
    assert head.mails_missed == ()
    assert mailbox_of(gateway.ports, "maria").sent_ms == 0


def test_a_digest_says_what_was_handed_on_to_its_reader_and_by_whom(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 7_200)))
    gateway.person("lea", "Lea Lang", "leads")
    gateway.person("leo", "Leo Lind", "leads")
    heads = [gateway.shown(REFUND, run=f"run-{number}", checkpoint=f"cp-{number}") for number in range(4)]
    jonas = members.reviewer(gateway.ports, "jonas")
    for number, who, whom in (
        (0, gateway.maria, {"to": "lea"}),
        (1, jonas, {"to": "lea"}),
        (2, jonas, {"group": "leads"}),
    ):
        reassign(gateway.ports, who, call_id(heads[number].pause, 1), **{"to": "", "group": "", **whom})
    sweeps(gateway)
    gateway.clock.move(APART_S)
    sweeps(gateway)
    told = {one.to: (one.waiting, one.handed, one.handed_by) for one in gateway.mail.digests}
    assert told["lea"] == (3, 3, ("Maria Keller", "Jonas Weber"))
    assert told["maria"][1:] == (0, ())


def test_a_digest_of_many_says_that_there_are_more(gateway: Gateway) -> None:
    flood(gateway, 60)
    gateway.clock.move(APART_S)
    sweeps(gateway)
    (told,) = [one for one in gateway.mail.digests if one.to == "maria"]
    assert (told.waiting, told.more) == (50, True)


def behind_others(gateway: Gateway, many: int) -> None:
    """Nina is owed a mail; in the queue of several classes what waits for her stands behind so many pauses that are not hers."""
    policy = with_class(gateway.policy, "privacy")
    hers = replace(policy.classes["privacy"], levels=(Level(("privacy",)),))
    gateway.policy = replace(policy, classes={**policy.classes, "privacy": hers})
    gateway.person("nina", "Nina", "privacy")
    for number in range(many + 1):
        gateway.clock.move(1)
        last = gateway.shown(REFUND, DELETE, run=f"run-{number}", checkpoint=f"cp-{number}")
    gateway.table.items[gateway.keys.head(last.pause)]["card"]["classes"] = ["money-out", "privacy"]
    assert digests.may_mail(gateway.ports, "nina", gateway.clock.now_ms())
    assert not digests.may_mail(gateway.ports, "nina", gateway.clock.now_ms())
    gateway.clock.move(APART_S)


def test_what_waits_behind_a_page_of_others_is_told(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "FEWEST", 2)
    monkeypatch.setattr(inbox, "MOST_ENTRIES", 2)
    behind_others(gateway, 3)
    page = inbox.inbox(gateway.ports, members.reviewer(gateway.ports, "nina"))
    assert (page.rows, bool(page.next)) == ((), True)
    assert send_digest(gateway.ports, "nina")
    (told,) = [one for one in gateway.mail.digests if one.to == "nina"]
    assert told.waiting == 2
    assert owed(gateway.ports) == ["jonas", "maria"]


def test_what_is_behind_too_many_others_is_owed_still(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "FEWEST", 2)
    monkeypatch.setattr(inbox, "MOST_ENTRIES", 2)
    monkeypatch.setattr(digests, "MOST_PAGES", 2)
    behind_others(gateway, 6)
    assert not send_digest(gateway.ports, "nina")
    assert mailbox_of(gateway.ports, "nina").due_ms > gateway.clock.now_ms()
    monkeypatch.setattr(digests, "MOST_PAGES", 9)
    gateway.clock.move(150)
    assert send_digest(gateway.ports, "nina")


def test_a_mail_says_whose_it_is_and_why(gateway: Gateway) -> None:
    gateway.shown(REFUND)
    (note,) = [one for one in gateway.mail.sent if one.to == "maria"]
    assert note.rules == gateway.head(gateway.capture(REFUND).head.pause).card.why
    assert note.rules


@pytest.mark.parametrize("odd", [{"schema_version": 9}, {"sent_ms": "x"}])
def test_a_mailbox_of_another_shape_stops_nobody_else(gateway: Gateway, odd: dict) -> None:
    box = {**gateway.keys.mailbox("maria")._asdict(), "schema_version": 1, "kind": "MAILBOX", "refused": "x", **odd}
    gateway.table.items[gateway.keys.mailbox("maria")] = box
    gateway.shown(REFUND)
    assert mailed(gateway, "jonas") == (1, 0)
