"""decide: one conditional write, and a clear answer for whoever came second."""

from dataclasses import replace

import pytest

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict, Gone, Invalid, NotAllowed, NotFound, NotYet
from placet.model.pauses import Reviewer, call_id
from placet.model.states import CallState, PauseState, PermitState, Verdict
from placet.policy import Level
from placet.records.ops import Update
from placet.service import decide as module
from placet.service.decide import Decision, decide
from tests.gateway import DELETE, REFUND, Gateway

EDIT = '{"order_id":"1182","amount":200.00}'


def edit(gateway: Gateway, head, text: str = EDIT, **more):
    return gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)), **more)


def test_an_accept_closes_the_call_frees_its_permit_and_takes_the_pause_off_the_queue(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    answer = gateway.decide(head, 1, Verdict.ACCEPT)
    after = gateway.head(head.pause)
    assert (answer.state, answer.by, answer.replayed) == (CallState.ACCEPTED, "Maria Keller", False)
    assert (after.calls[0].state, after.calls[0].permit) == (CallState.ACCEPTED, PermitState.FREE)
    assert (after.state, after.open_calls, after.wpk) == (PauseState.CLOSED, 0, gateway.keys.out("support-agent"))


def test_the_event_says_who_by_which_right_and_what(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT, reason="  too late ", shown_at_ms=17)
    event = gateway.table.get(gateway.keys.event(head.pause, "1#decided"))
    assert (event["by"], event["membership"], event["reason"], event["shown_at_ms"]) == (
        "maria",
        "finance",
        "too late",
        17,
    )
    assert event["digest"] == head.calls[0].digest


def test_a_reject_frees_no_permit_and_needs_a_reason(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(Invalid, match="reason"):
        gateway.decide(head, 1, Verdict.REJECT, reason="  ")
    gateway.decide(head, 1, Verdict.REJECT)
    assert gateway.head(head.pause).calls[0].permit is PermitState.NONE


def test_an_edit_is_a_new_revision_with_the_confirmed_digest(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    assert edit(gateway, head).state is CallState.EDITED
    call = gateway.head(head.pause).calls[0]
    assert (call.rev, call.digest, call.permit) == (2, digest(parse(EDIT)), PermitState.FREE)
    stored = gateway.table.get(gateway.keys.revision(head.pause, 1, 2, call.digest))
    assert stored["content"] == EDIT


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"order_id":"1182","amount":"lots"}', "arguments_break_schema"),
        ('{"order_id":"1182","amount":1,"is_admin":true}', "arguments_break_schema"),
        ('{"order_id":"1182","amount":240.5}', "edit_changes_nothing"),
        ('{"amount":240.5, "order_id":"1182"}', "edit_changes_nothing"),
        ('{"order_id":"9999","amount":1}', "argument_fixed"),
        ('{"order_id":"1182","amount":1,"amount":2}', "json_duplicate_key"),
        ("[]", "arguments_break_schema"),
        ("{", "json_invalid"),
    ],
)
def test_an_edit_that_may_not_be_is_refused_and_nothing_is_stored(gateway: Gateway, text: str, code: str) -> None:
    head = gateway.shown(REFUND)
    before = len(gateway.table.items)
    with pytest.raises(Invalid) as caught:
        gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest="0" * 64)
    assert caught.value.code == code
    assert len(gateway.table.items) == before


def test_an_edit_whose_digest_is_not_the_confirmed_one_is_refused(gateway: Gateway) -> None:
    with pytest.raises(Conflict, match="digest"):
        gateway.decide(gateway.shown(REFUND), 1, Verdict.EDIT, arguments=EDIT, new_digest="0" * 64)


def test_the_same_decision_again_is_the_same_answer(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    first = gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.move(60)
    again = gateway.decide(head, 1, Verdict.ACCEPT)
    assert again == replace(first, replayed=True)


def test_the_same_edit_again_is_the_same_answer(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    first = edit(gateway, head)
    assert edit(gateway, head) == replace(first, replayed=True)


@pytest.mark.parametrize("verdict", [Verdict.REJECT, Verdict.ACCEPT])
def test_who_comes_second_is_told_who_was_first(gateway: Gateway, verdict: Verdict) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    with pytest.raises(Conflict) as caught:
        gateway.decide(head, 1, verdict, gateway.jonas)
    assert (caught.value.code, caught.value.members["decided_by"]) == ("already_decided", "Maria Keller")


def test_after_the_deadline_nothing_is_decided(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    with pytest.raises(Gone):
        gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.clock.at_ms = head.deadline_ms - 1
    gateway.decide(head, 1, Verdict.ACCEPT)


def test_a_pause_that_is_in_no_queue_yet_is_not_decided(gateway: Gateway) -> None:
    with pytest.raises(NotYet, match="queue") as caught:
        gateway.decide(gateway.capture(REFUND).head, 1, Verdict.ACCEPT)
    assert caught.value.code == "not_shown_yet"


@pytest.mark.parametrize("name", ["sub", "email"])
def test_nobody_decides_what_he_asked_for(gateway: Gateway, name: str) -> None:
    head = gateway.shown(REFUND, requester=getattr(gateway.maria, name))
    with pytest.raises(NotAllowed) as caught:
        gateway.decide(head, 1, Verdict.ACCEPT)
    assert caught.value.code == "requester_may_not_decide"


def test_nobody_decides_for_an_agent_he_answers_for(gateway: Gateway) -> None:
    owner = gateway.person("owner", "The Owner", "finance")
    with pytest.raises(NotAllowed) as caught:
        gateway.decide(gateway.shown(REFUND), 1, Verdict.ACCEPT, owner)
    assert caught.value.code == "owner_may_not_decide"


@pytest.mark.parametrize("call", ["x", "x-1", "-1", "a-01", "a-1-1", "", "a-²"])
def test_absent_and_foreign_are_the_same(gateway: Gateway, call: str) -> None:
    head = gateway.shown(REFUND)
    wanted = Decision(Verdict.ACCEPT, 1, head.calls[0].digest)
    with pytest.raises(NotFound):
        decide(gateway.ports, gateway.maria, call, wanted)
    stranger = gateway.person("eve", "Eve", "interns")
    for one in (call_id(head.pause, 1), call_id(head.pause, 2)):
        with pytest.raises(NotFound):
            decide(gateway.ports, stranger, one, wanted)


def test_a_membership_that_ended_after_sign_in_decides_nothing(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    del gateway.table.items[gateway.keys.member("maria", "finance")]
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT)  # maria still carries the group from before
    assert gateway.head(head.pause).open_calls == 1


def test_a_person_of_a_later_level_waits_until_it_is_reached(gateway: Gateway) -> None:
    gateway.with_policy(levels=(Level(("finance",)), Level(("leads",), 3600)))
    lead = gateway.person("lea", "Lea", "leads")
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT, lead)
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["level"] = 1
    gateway.decide(head, 1, Verdict.ACCEPT, lead)


def test_a_stale_page_is_told_to_look_again(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    edit(gateway, head)
    with pytest.raises(Conflict) as caught:
        gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas)
    assert (caught.value.code, caught.value.members["revision"]) == ("revision_differs", 2)


def test_two_distinct_people_on_one_digest_make_a_quorum(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    first = gateway.decide(head, 1, Verdict.ACCEPT)
    again = gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)
    assert (first.state, again.state, again.replayed) == (CallState.PENDING, CallState.PENDING, True)
    assert gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, gateway.jonas).state is CallState.ACCEPTED


def test_an_edit_resets_the_votes_and_one_reject_closes(gateway: Gateway) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas)
    edit(gateway, gateway.head(head.pause))
    assert gateway.head(head.pause).calls[0].votes == {"maria": digest(parse(EDIT))}
    gateway.decide(gateway.head(head.pause), 1, Verdict.REJECT, gateway.jonas)
    assert gateway.head(head.pause).calls[0].state is CallState.REJECTED


def test_two_calls_are_decided_apart_and_the_last_closes_the_pause(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    between = gateway.head(head.pause)
    assert (between.state, between.open_calls, between.wpk) == (PauseState.OPEN, 1, gateway.keys.queue("general", 0))
    gateway.decide(head, 2, Verdict.REJECT)
    after = gateway.head(head.pause)
    assert (after.state, [call.state for call in after.calls]) == (
        PauseState.CLOSED,
        [CallState.ACCEPTED, CallState.REJECTED],
    )


def test_a_restored_table_decides_nothing_until_its_epoch_is_raised(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.table.items[gateway.keys.head(head.pause)]["epoch"] = 0
    with pytest.raises(Conflict, match="restored"):
        gateway.decide(head, 1, Verdict.ACCEPT)


CLAUSES = ["call_pending", "shown_revision", "shown_digest", "in_time", "not_cancelled", "not_requester", "not_owner"]


@pytest.mark.parametrize("clause", [*CLAUSES, "level_reached", "same_epoch"])
def test_every_clause_alone_refuses_what_it_is_for(
    gateway: Gateway, clause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the clause the write is refused; with the clause taken out (the planted bug) the very same write goes through."""
    if clause == "level_reached":  # whoever is asked from the beginning needs none
        gateway.with_policy(levels=(Level(("nobody",)), Level(("finance",), 60)))
    head = gateway.shown(REFUND)
    item = gateway.table.items[gateway.keys.head(head.pause)]
    call = item["calls"]["1"]
    breaks = {
        "call_pending": lambda: call.update(state="rejected"),
        "shown_revision": lambda: call.update(rev=2),
        "shown_digest": lambda: call.update(digest="f" * 64),
        "in_time": lambda: call.update(deadline_ms=gateway.clock.now_ms()),
        "not_cancelled": lambda: item.update(cancelled="moved on"),
        "not_requester": lambda: item.update(requester="maria@example.com"),
        "not_owner": lambda: item.update(owner="maria"),
        "level_reached": lambda: call.update(level=0),
        "same_epoch": lambda: item.update(epoch=0),
    }
    seen: list[bool] = []
    real = gateway.table.write

    def write_without(ops):
        if isinstance(ops[0], Update) and any(one.name == clause for one in ops[0].clauses):
            left = tuple(one for one in ops[0].clauses if one.name != clause)
            breaks[clause]()
            try:
                real(ops)
            except Exception:
                seen.append(True)
            ops = [replace(ops[0], clauses=left), *ops[1:]]
        real(ops)

    monkeypatch.setattr(gateway.table, "write", write_without)
    gateway.decide(head, 1, Verdict.ACCEPT)
    assert seen == [True]


def test_a_race_that_is_lost_for_ever_ends_as_busy(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    from placet.model.errors import Busy
    from placet.records.ops import ConditionFailed

    head = gateway.shown(REFUND)
    tries = []

    def lose(ops):
        tries.append(1)
        raise ConditionFailed(0, gateway.table.get(gateway.keys.head(head.pause)))

    monkeypatch.setattr(gateway.table, "write", lose)
    with pytest.raises(Busy):
        gateway.decide(head, 1, Verdict.ACCEPT)
    assert len(tries) == module.ATTEMPTS


def test_a_reviewer_without_any_group_sees_nothing(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT, Reviewer("nobody", "", ""))
