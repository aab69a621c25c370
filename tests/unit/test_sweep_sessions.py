"""sweep: the net under lost events; and the sessions of signed-in people."""

from placet.model.errors import Busy
from placet.model.states import Verdict
from placet.service import sessions
from placet.service.sweep import GRACE_MS, PATIENCE_MS, sweep
from tests.gateway import BILLING, DELETE, REFUND, Gateway


def test_a_pause_whose_event_was_lost_is_started(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    gateway.table.changes.clear()
    assert sweep(gateway.ports).started == 0
    gateway.clock.move(60)
    assert sweep(gateway.ports).started == 1
    assert list(gateway.waits.started) == [f"{pause}-1"]


def test_an_execution_that_ended_unheard_gets_a_next_generation(gateway: Gateway) -> None:
    pause = gateway.capture(REFUND).head.pause
    gateway.waits.ended.add(f"{pause}-1")
    gateway.clock.move(60)
    assert sweep(gateway.ports).started == 1
    assert list(gateway.waits.started) == [f"{pause}-2"]
    assert gateway.head(pause).gen == 2


def test_a_lost_timer_is_made_good_after_its_grace(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms + GRACE_MS - 1
    assert sweep(gateway.ports).expired == 0
    gateway.clock.at_ms += 1
    assert sweep(gateway.ports).expired == 1
    assert gateway.verbs.called == [("escalate", {"tenant": "main", "pause": head.pause})]


def test_two_last_calls_whose_record_was_lost_are_mended(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    for call in item["calls"].values():  # as the race of two last calls leaves it
        call.update(state="accepted", permit={"state": "free", "until_ms": 10**15})
    item["open_calls"] = 0
    gateway.clock.at_ms = head.deadline_ms
    sweep(gateway.ports)
    assert gateway.head(head.pause).wpk == gateway.keys.out("support-agent")


def test_a_lost_resume_is_asked_for_again(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(GRACE_MS / 1000)
    assert sweep(gateway.ports).resumed == 1
    assert gateway.verbs.called[0][0] == "resume"


def test_what_nobody_picks_up_is_listed_and_an_alarm_counts_it(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(PATIENCE_MS / 1000)
    assert sweep(gateway.ports).listed == 0
    gateway.clock.move(1)
    assert sweep(gateway.ports).listed == 1
    assert ("stuck", {"pause": head.pause, "reason": "not_picked_up"}) in gateway.log


def test_one_pause_that_fails_does_not_hold_the_others_up(gateway: Gateway) -> None:
    first, second = gateway.capture(REFUND).head, gateway.capture(REFUND, checkpoint="cp-2").head
    gateway.clock.move(60)
    real = gateway.waits.start

    def start(name, facts):
        if name.startswith(first.pause):
            raise Busy
        return real(name, facts)

    gateway.waits.start = start
    swept = sweep(gateway.ports)
    assert (swept.started, swept.failed) == (1, 1)
    assert list(gateway.waits.started) == [f"{second.pause}-1"]


def test_a_session_ends_by_time_and_by_signing_out(gateway: Gateway) -> None:
    cookie = sessions.begin(gateway.ports, "maria")
    assert sessions.find(gateway.ports, cookie).sub == "maria"
    assert cookie not in str(gateway.table.items)
    gateway.clock.move(sessions.LIFE_MS / 1000)
    assert sessions.find(gateway.ports, cookie) is None
    cookie = sessions.begin(gateway.ports, "maria")
    sessions.end(gateway.ports, cookie)
    assert sessions.find(gateway.ports, cookie) is None
    assert sessions.find(gateway.ports, "") is None


def test_when_a_page_was_shown_cannot_be_made_up(gateway: Gateway) -> None:
    session = sessions.find(gateway.ports, sessions.begin(gateway.ports, "maria"))
    mark = sessions.shown_mark(session, "p1", 1234)
    assert sessions.shown_at(session, "p1", mark) == 1234
    assert sessions.shown_at(session, "p2", mark) == 0
    assert sessions.shown_at(session, "p1", "99." + mark.partition(".")[2]) == 0
    assert sessions.shown_at(session, "p1", "") == 0
