"""What mutants of the core once survived: every written attribute, every clause where it is needed, limits, and names."""

import dataclasses
import importlib
import json
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from placet import model, records, service
from placet.local.memory import MemoryTable
from placet.model.canonical import digest, parse
from placet.model.errors import Busy, Conflict, Invalid, NotFound, PlacetError
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.model.transitions import CallMove, PermitMove, move_permit
from placet.records import clauses
from placet.records.clauses import clause, failing
from placet.records.ops import ConditionFailed, Op
from placet.service import decide as deciding
from placet.service import execute
from placet.service.cancel import cancel, supersede
from placet.service.escalate import escalate
from placet.service.leases import give_back
from placet.service.notify import mail_again, notify
from placet.service.ports import Note
from placet.service.resume import as_resume, pick_up, renew, resume, resumed, take
from placet.service.sweep import sweep
from tests.gateway import BILLING, DELETE, REFUND, SMALL, SUPPORT, Gateway
from tests.proofs.clauses import SCENARIOS, Scenario, ends_wrongly
from tests.unit.written import FILE, FLOWS, written


@pytest.mark.parametrize("name", FLOWS)
def test_every_write_is_what_it_was(name: str) -> None:
    """When a write was changed on purpose: python -m tests.unit.written, and look at the difference."""
    assert written(name) == json.loads(FILE.read_text())[name]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_with_its_clause_a_scenario_ends_well(scenario: Scenario) -> None:
    assert not ends_wrongly(scenario, MemoryTable(), set(), without=False)


def test_texts_have_a_longest_length(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    longest = "r" * deciding.MAX_REASON
    with pytest.raises(Invalid) as caught:
        gateway.decide(head, 1, Verdict.REJECT, reason=longest + "r")
    assert (caught.value.code, caught.value.members) == ("reason_too_long", {"limit": 500})
    gateway.decide(head, 1, Verdict.REJECT, reason=longest)
    ran = gateway.capture(SMALL, checkpoint="cp-2").head
    at = call_id(ran.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, ran.calls[0].digest, "w")
    with pytest.raises(Invalid) as caught:
        execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r" * 4_097)
    assert (caught.value.code, caught.value.members) == ("result_too_long", {"limit": 4_096})
    assert execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r" * 4_096) is False
    assert execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r" * 4_096) is True


def test_another_agents_call_and_a_call_that_is_not_there_are_absent(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    digest = head.calls[0].digest
    for agent, call in ((BILLING, call_id(head.pause, 1)), (SUPPORT, call_id(head.pause, 2)), (SUPPORT, "no-1")):
        with pytest.raises(NotFound):
            execute.claim(gateway.ports, agent, call, digest, "w")
        with pytest.raises(NotFound):
            execute.outcome(gateway.ports, agent, call, "w", PermitState.DONE, "")
    with pytest.raises(NotFound):
        gateway.decide(head, 1, Verdict.ACCEPT, gateway.person("nobody", "Nobody"))


def test_a_settled_permit_is_refused_with_its_result(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    at, digest = call_id(head.pause, 1), head.calls[0].digest
    permit = execute.claim(gateway.ports, SUPPORT, at, digest, "w")
    assert (permit.call, permit.tool, permit.idempotency_key) == (at, "issue_refund", f"placet-{at}")
    with pytest.raises(Conflict) as caught:
        execute.claim(gateway.ports, SUPPORT, at, digest, "w2")
    assert caught.value.code == "permit_claimed"
    assert execute.claim(gateway.ports, SUPPORT, at, digest, "w").replayed is True
    execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, "r-1")
    for worker in ("w", "w2"):
        with pytest.raises(Conflict) as caught:
            execute.claim(gateway.ports, SUPPORT, at, digest, worker)
        assert (caught.value.code, caught.value.members) == ("permit_settled", {"permit": "done", "result": "r-1"})


@pytest.mark.parametrize(
    ("operator", "value", "holding"),
    [
        ("=", 2, [False, True, False]),
        ("<>", 2, [True, False, True]),
        ("<", 2, [True, False, False]),
        ("<=", 2, [True, True, False]),
        (">", 2, [False, False, True]),
        (">=", 2, [False, True, True]),
    ],
)
def test_comparisons_hold_where_they_should(operator: Any, value: int, holding: list[bool]) -> None:
    one = clause("one", ("a.b", operator, value))
    assert [failing([one], {"a": {"b": number}}) == [] for number in (1, 2, 3)] == holding
    assert (failing([one], {}) == []) == (operator == "<>")  # as DynamoDB: what is absent differs
    assert failing([one], {"a": {"b": "2"}}) == ([] if operator == "<>" else ["one"])
    assert failing([one], {"a": 1}) == ([] if operator == "<>" else ["one"])


def test_sizes_and_presence() -> None:
    two, there, gone = (
        clause("two", ("a", "size=", 2)),
        clause("there", ("a", "exists")),
        clause("gone", ("a", "absent")),
    )
    assert failing([two, there, gone], {"a": {"x": 1, "y": 2}}) == ["gone"]
    assert failing([two, there, gone], {"a": {}}) == ["two", "gone"]
    assert failing([two, there, gone], None) == ["two", "there"]


def test_a_clause_has_the_name_of_its_constructor() -> None:
    given = {
        "number": 1,
        "revision": 1,
        "digest": "d",
        "now_ms": 1,
        "count": 1,
        "gen": 1,
        "fence": 1,
        "level": 1,
        "epoch": 1,
        "turn": 1,
    }
    given |= {"sub": "s", "email": "e", "worker": "w", "state": "free", "wpk": "l", "stuck": "r"}
    pairs = {"claimed_by_me": ["permit_used", "my_permit"], "still_claimed": ["permit_claimed", "same_worker"]}
    pairs |= {"not_requester": ["not_requester"] * 2, "not_owner": ["not_owner"] * 2}
    made = 0
    for name, build in vars(clauses).items():
        if (
            callable(build)
            and getattr(build, "__annotations__", {}).get("return") in ("Clause", "list[Clause]")
            and name != "clause"
        ):
            found = build(**{one: given[one] for one in build.__annotations__ if one != "return"})
            names = [one.name for one in found] if isinstance(found, list) else [found.name]
            assert names == pairs.get(name, [name])
            made += 1
    assert made > 30


def test_moves_are_called_by_their_names() -> None:
    for move in (*CallMove, *PermitMove):
        assert move.value == move.name.lower()


def test_what_an_operator_has_to_see_is_logged(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at = call_id(head.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w")
    assert cancel(gateway.ports, SUPPORT, head.pause, "the user left") == ("cancelled", [1])
    assert ("stuck", {"pause": head.pause, "reason": "cancelled_while_claimed"}) in gateway.log
    execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.UNKNOWN, "")
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log


def test_a_delivery_that_fails_gives_the_lease_back(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=BILLING)
    assert resume(gateway.ports, head.pause) == "waiting"
    gateway.decide(head, 1, Verdict.ACCEPT)
    gateway.agents.error = Busy()
    with pytest.raises(Busy):
        resume(gateway.ports, head.pause)
    gateway.agents.error = None
    assert resume(gateway.ports, head.pause) == "delivered"
    assert resume(gateway.ports, head.pause) == "leased"
    ((agent, payload),) = gateway.agents.delivered
    assert (agent, payload["resume"]["fence"], payload["resume"]["state"]) == ("billing-agent", 2, "decided")
    give_back(gateway.ports, head.pause, head.fence + 1)
    assert resumed(gateway.ports, BILLING, head.pause, 2) is False
    assert resumed(gateway.ports, BILLING, head.pause) is True
    assert resume(gateway.ports, head.pause) == "done"


def test_what_is_picked_up_has_everything_an_agent_needs(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    (found,) = pick_up(gateway.ports, SUPPORT)
    (call,) = found.pop("calls")
    assert found == {
        "pause": head.pause,
        "run": "thread-1",
        "framework": "langchain",
        "state": "decided",
        "native_ref": {"checkpoint_ns": "", "checkpoint_id": "cp-1"},
    }
    assert call == {
        "call": call_id(head.pause, 1),
        "tool": "issue_refund",
        "framework_call_id": "call_1",
        "interrupt_id": f"{1:032x}",
        "state": "accepted",
        "reason": "because",
        "decided_by": "Maria Keller",
        "native": {"type": "approve"},
        "permit": "free",
        "digest": head.calls[0].digest,
        "arguments": '{"order_id":"1182","amount":240.5}',
    }


def test_taking_gives_as_many_as_asked_for_oldest_first(gateway: Gateway) -> None:
    pauses = []
    for number in range(3):
        head = gateway.shown(REFUND, checkpoint=f"cp-{number}")
        gateway.decide(head, 1, Verdict.ACCEPT)
        gateway.clock.move(1)
        pauses.append(head.pause)
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT, 2)] == pauses[:2]
    (first,) = take(gateway.ports, SUPPORT)
    assert (first["pause"], first["lease_until"] - gateway.clock.now_ms() <= 120_000) == (pauses[0], True)
    assert [one["pause"] for one in take(gateway.ports, SUPPORT, limit=5)] == pauses[1:]
    assert take(gateway.ports, SUPPORT, limit=5) == []


def test_a_run_that_asks_again_closes_only_what_waits(gateway: Gateway) -> None:
    waiting = gateway.shown(REFUND)
    decided = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.decide(decided, 1, Verdict.ACCEPT)
    other = gateway.shown(REFUND, checkpoint="cp-4", run="thread-2")
    last = gateway.shown(REFUND, checkpoint="cp-3")
    assert supersede(gateway.ports, SUPPORT, "thread-1", last.pause) == [waiting.pause]
    assert gateway.head(waiting.pause).successor == last.pause
    assert [gateway.head(one.pause).cancelled for one in (decided, other, last)] == ["", "", ""]


@pytest.mark.parametrize(
    ("moves", "ends"),
    [
        ("release claim done", "done"),
        ("release claim failed", "failed"),
        ("release claim unknown done", "done"),
        ("release claim unknown failed", "failed"),
        ("release claim free_again claim done", "done"),  # a keyed tool whose worker died is tried again
        ("release void release", "free"),  # an approval that got too old, and was given again
        ("release unknown", "unknown"),  # a restored table
    ],
)
def test_every_life_of_a_permit_is_possible(moves: str, ends: str) -> None:
    state = PermitState.NONE
    for move in moves.split():
        state = move_permit(state, PermitMove(move))
    assert state == ends


@pytest.mark.parametrize("state", PermitState)
def test_a_permit_that_cannot_make_a_move_says_where_it_stands(state: PermitState) -> None:
    wrong = PermitMove.RELEASE if state is not PermitState.NONE else PermitMove.CLAIM
    with pytest.raises(Conflict) as caught:
        move_permit(state, wrong)
    settled = state in (PermitState.DONE, PermitState.FAILED, PermitState.UNKNOWN)
    assert caught.value.code == ("permit_settled" if settled else f"permit_{state.value}")
    assert caught.value.members == {"permit": state.value}


@pytest.mark.parametrize("part", [model, records, service], ids=lambda part: part.__name__)
def test_what_a_verb_hands_over_cannot_be_changed_afterwards(part: ModuleType) -> None:
    counting = {"Swept"}  # the sweep adds up what it did
    names = [one.name for one in pkgutil.walk_packages(part.__path__, f"{part.__name__}.")]
    values = {
        value
        for name in names
        for value in vars(importlib.import_module(name)).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
    }
    assert len(values) > 5
    for value in values:
        assert value.__dataclass_params__.frozen is (value.__name__ not in counting), value


class Contested(MemoryTable):
    """A table on which somebody else is quicker for the next `losses` writes."""

    losses = 0

    def write(self, ops: list[Op]) -> None:
        """Lose, or write."""
        if self.losses:
            self.losses -= 1
            raise ConditionFailed(0, self.get(ops[0].key))
        super().write(ops)


@pytest.mark.parametrize(("verb", "tries"), [("cancel", 5), ("resumed", 3), ("outcome", 5)])
def test_a_write_that_always_loses_ends_as_busy_and_changes_nothing(verb: str, tries: int) -> None:
    table = Contested()
    gateway = Gateway(table=table)
    head = gateway.capture(SMALL).head
    at = call_id(head.pause, 1)
    execute.claim(gateway.ports, SUPPORT, at, head.calls[0].digest, "w")
    verbs = {
        "cancel": lambda: cancel(gateway.ports, SUPPORT, head.pause, "the user left"),
        "resumed": lambda: resumed(gateway.ports, SUPPORT, head.pause),
        "outcome": lambda: execute.outcome(gateway.ports, SUPPORT, at, "w", PermitState.DONE, ""),
    }
    before, table.losses = gateway.head(head.pause), tries
    with pytest.raises(Busy):
        verbs[verb]()
    assert (gateway.head(head.pause), table.losses) == (before, 0)
    table.losses = tries - 1
    verbs[verb]()
    assert gateway.head(head.pause) != before


def test_a_run_that_went_on_from_its_newest_pause_closes_nothing(gateway: Gateway) -> None:
    earlier = gateway.shown(REFUND)
    newest = gateway.shown(REFUND, checkpoint="cp-2")
    gateway.decide(newest, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, newest.pause)
    assert supersede(gateway.ports, SUPPORT, "thread-1", newest.pause) == []
    assert gateway.head(earlier.pause).open_calls == 1


def test_a_call_that_nobody_decided_yet_is_told_beside_the_decided_one(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    gateway.decide(head, 1, Verdict.ACCEPT)
    told = as_resume(gateway.ports, gateway.head(head.pause))
    assert (told["state"], [call["state"] for call in told["calls"]]) == ("waiting", ["accepted", "pending"])
    assert told["calls"][1] == {
        "call": call_id(head.pause, 2),
        "tool": "delete_records",
        "framework_call_id": "call_2",
        "interrupt_id": f"{2:032x}",
        "state": "pending",
    }


def test_only_who_got_no_mail_is_mailed_again_until_nobody_is_left(gateway: Gateway) -> None:
    unreachable, got = {"maria@example.com", "jonas@example.com"}, []

    def send(note: Note) -> bool:
        if note.to_email in unreachable:
            raise Busy
        got.append(note.to_email)
        return True

    gateway.mail.send = send  # type: ignore[method-assign]
    pause = gateway.capture(REFUND).head.pause
    notify(gateway.ports, pause, 1, "token")
    key = gateway.keys.head(pause)
    soon = gateway.table.items[key]["wsk"]
    assert soon < gateway.head(pause).deadline_ms
    unreachable.remove("jonas@example.com")
    assert mail_again(gateway.ports, pause) == 1
    assert (got, gateway.head(pause).mails_missed) == (["jonas@example.com"], ("maria",))
    assert gateway.table.items[key]["wsk"] == soon
    unreachable.clear()
    assert mail_again(gateway.ports, pause) == 0
    assert (got[1:], gateway.head(pause).mails_missed) == (["maria@example.com"], ())
    assert gateway.table.items[key]["wsk"] == gateway.head(pause).deadline_ms


EDIT = '{"order_id":"1182","amount":200.00}'


def _edit(gateway: Gateway, text: str, confirmed: str = "") -> None:
    told = confirmed or digest(parse(text))
    gateway.decide(gateway.shown(REFUND), 1, Verdict.EDIT, arguments=text, new_digest=told)


def _no_edits(gateway: Gateway) -> None:
    gateway.with_policy(may_edit=False)
    _edit(gateway, EDIT)


def _edit_into_another_class(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    tools = dict(gateway.policy.tools)
    tools["issue_refund"] = dataclasses.replace(tools["issue_refund"], action_class="general")
    gateway.policy = dataclasses.replace(gateway.policy, tools=tools)
    gateway.decide(head, 1, Verdict.EDIT, arguments=EDIT, new_digest=digest(parse(EDIT)))


def _not_shown_yet(gateway: Gateway) -> None:
    gateway.decide(gateway.capture(REFUND).head, 1, Verdict.ACCEPT)


def _at_the_deadline(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    gateway.decide(head, 1, Verdict.ACCEPT)


def _after_it_expired(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.clock.at_ms = head.deadline_ms
    escalate(gateway.ports, head.pause)
    gateway.decide(head, 1, Verdict.ACCEPT)


def _other_arguments_than_shown(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    decision = deciding.Decision(Verdict.ACCEPT, 1, "0" * 64)
    deciding.decide(gateway.ports, gateway.maria, call_id(head.pause, 1), decision)


def _anothers_permit(gateway: Gateway) -> None:
    head = gateway.capture(SMALL).head
    execute.claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    execute.outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w2", PermitState.DONE, "")


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("reason_missing", lambda gateway: gateway.decide(gateway.shown(REFUND), 1, Verdict.REJECT, reason=" ")),
        ("edit_not_allowed", _no_edits),
        ("edit_changes_class", _edit_into_another_class),
        ("not_shown_yet", _not_shown_yet),
        ("deadline_passed", _at_the_deadline),
        ("deadline_passed", _after_it_expired),
        ("revision_differs", _other_arguments_than_shown),
        ("digest_differs", lambda gateway: _edit(gateway, EDIT, "0" * 64)),
        ("not_your_permit", _anothers_permit),
        ("still_waiting", lambda gateway: resumed(gateway.ports, SUPPORT, gateway.shown(REFUND).pause)),
        ("already_resumed", lambda gateway: cancel(gateway.ports, SUPPORT, _went_on(gateway), "too late")),
    ],
)
def test_a_refusal_has_the_code_that_clients_know(
    gateway: Gateway, code: str, refused: Callable[[Gateway], object]
) -> None:
    with pytest.raises(PlacetError) as caught:
        refused(gateway)
    assert caught.value.code == code


def _went_on(gateway: Gateway) -> str:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    return head.pause


def test_nobody_else_keeps_an_agents_lease(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    (taken,) = take(gateway.ports, SUPPORT)
    gateway.clock.move(1)
    with pytest.raises(NotFound):
        renew(gateway.ports, BILLING, head.pause, taken["fence"])
    assert gateway.table.items[gateway.keys.head(head.pause)]["lease_until_ms"] == taken["lease_until"]
    assert renew(gateway.ports, SUPPORT, head.pause, taken["fence"]) == taken["lease_until"] + 1_000


def test_a_mail_says_the_deadline_that_then_holds(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    assert {note.deadline_ms for note in gateway.mail.sent} == {head.deadline_ms}
    assert head.deadline_ms > gateway.clock.now_ms()


def test_a_cancelled_pause_is_told_as_ended(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    cancel(gateway.ports, SUPPORT, head.pause, "the user left")
    told = as_resume(gateway.ports, gateway.head(head.pause))
    assert (told["state"], told["calls"][0]["state"]) == ("ended", "cancelled")


def test_an_old_approval_that_may_have_run_is_logged_for_an_operator(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    at, shown = call_id(head.pause, 1), head.calls[0].digest
    execute.claim(gateway.ports, SUPPORT, at, shown, "w")
    gateway.table.items[gateway.keys.head(head.pause)]["calls"]["1"]["takes_key"] = True
    gateway.clock.move(900)
    sweep(gateway.ports)
    gateway.clock.move(86_400)
    with pytest.raises(Conflict) as caught:
        execute.claim(gateway.ports, SUPPORT, at, shown, "w2")
    assert caught.value.code == "permit_stale"
    assert ("stuck", {"pause": head.pause, "reason": "permit_unknown"}) in gateway.log
