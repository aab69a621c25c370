"""docs/operations.md: alarms, reasons and answers are those of the code, its commands exist, and its drill is played."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import pytest

from infra.constructs.alarms import FACTS, THROTTLED
from placet.cli.__main__ import main
from placet.model.errors import Conflict, Frozen
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service import operate
from placet.service.asking import GROUP_EMPTY, TOO_FEW
from placet.service.cancel import cancel
from placet.service.execute import claim
from placet.service.notify import notify
from placet.service.ports import Ports
from placet.service.resume import pick_up
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from tests.docs.reading import PACKAGE, ROOT, blocks, rows
from tests.gateway import DELETE, REFUND, SUPPORT, Gateway, without_class

PAGE = ROOT / "docs/operations.md"
REASONS = {reason.strip("`"): do for reason, _, do in rows(PAGE, "reason", "it means", "do")}
ANSWERS = [answer.strip("`") for _, answer, _ in rows(PAGE, "the pause", "`repair` answers", "what follows")]


def test_every_alarm_is_explained() -> None:
    source = "".join((ROOT / name).read_text() for name in ("infra/constructs/alarms.py", "infra/gateway_stack.py"))
    made = set(re.findall(r'(?:_alarm|watch_queue)\(\s*"(\w+)"', source))
    made |= {"".join(word.title() for word in fact.split("_")) for fact in FACTS} | {THROTTLED}
    assert {name.strip("`") for name, *_ in rows(PAGE, "alarm", "it means", "do")} == made


def test_every_reason_of_the_stuck_list_is_explained_and_has_its_repair() -> None:
    source = "".join(path.read_text() for folder in ("service", "records") for path in (PACKAGE / folder).rglob("*.py"))
    source += (ROOT / "infra/constructs/lifecycle.py").read_text()
    given = set(
        re.findall(r'(?:list_stuck|_listed|listed_as|with_unknown)\([^"()]*(?:"\w+", resume, )?"(\w+)"', source)
    )
    given |= set(re.findall(r'UNKNOWN_REASON = "(\w+)"', source))
    given |= set(re.findall(r'^    reason = "(\w+)"', (PACKAGE / "model/errors.py").read_text(), re.MULTILINE))
    given |= {GROUP_EMPTY, TOO_FEW}  # counted in one place, listed by two verbs
    assert set(REASONS) == given == set(operate.REASONS)
    for reason, do in REASONS.items():
        command = operate.REASONS[reason][1].partition("placet ")[2].split()[0]
        assert f"placet {command}" in do, reason


def test_every_command_on_the_page_is_one() -> None:
    lines = [line for text in blocks(PAGE, "sh") for line in text.splitlines() if line.startswith("placet ")]
    named = {shlex.split(line)[1] for line in lines}
    assert named == set(main.commands)
    for line in lines:
        words = shlex.split(line)[1:]
        main.commands[words[0]].make_context(words[0], words[1:])  # raises when click would not take it


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


def test_a_pause_that_waits_is_repaired_into_a_new_wait(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    list_stuck(gateway.ports, gateway.head(head.pause), "wait_failed")
    assert operate.repair(gateway.ports, "olga", head.pause) == ANSWERS[1]
    assert sweep(gateway.ports).started == 1
    sent, again = len(gateway.mail.sent), gateway.head(head.pause)
    gateway.clock.move(300)
    notify(gateway.ports, head.pause, again.gen, "a new token")
    assert len(gateway.mail.sent) == sent + 2
    assert gateway.head(head.pause).deadline_ms == head.deadline_ms + 300_000


def test_a_decided_pause_is_offered_again(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    list_stuck(gateway.ports, gateway.head(head.pause), "not_picked_up")
    assert not pick_up(gateway.ports, SUPPORT)
    assert operate.repair(gateway.ports, "olga", head.pause) == ANSWERS[2]
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]


def test_a_cancelled_call_is_listed_until_it_is_settled(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    call = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    cancel(gateway.ports, SUPPORT, head.pause, "the run moved on")
    assert operate.repair(gateway.ports, "olga", head.pause) == ANSWERS[0]
    gateway.clock.move(16 * 60)
    sweep(gateway.ports)
    assert [one.unknown for one in operate.stuck(gateway.ports)] == [(call,)]
    operate.reconcile(gateway.ports, "olga", call, PermitState.DONE, "refund r-1")
    assert operate.repair(gateway.ports, "olga", head.pause) == ANSWERS[3]
    assert not operate.stuck(gateway.ports)


def test_a_pause_whose_class_came_back_stands_before_its_reviewers(gateway: Gateway) -> None:
    policy, head = gateway.policy, gateway.shown(REFUND)
    gateway.policy = without_class(policy, "money-out")
    sweep(gateway.ports)
    gateway.policy = policy
    assert operate.repair(gateway.ports, "olga", head.pause) == ANSWERS[4]
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT)


def test_a_call_settled_as_failed_does_not_run_again(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    gateway.decide(head, 1, Verdict.ACCEPT)
    call = call_id(head.pause, 1)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w1")
    gateway.clock.move(16 * 60)
    sweep(gateway.ports)
    operate.reconcile(gateway.ports, "olga", call, PermitState.FAILED, "no request with this key")
    operate.repair(gateway.ports, "olga", head.pause)
    with pytest.raises(Conflict, match="ran already"):
        claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w2")


def test_the_drill_after_a_restore(gateway: Gateway) -> None:
    """Steps 1 to 4 of the page, on a table that is put back to an earlier moment."""
    ready, waiting = gateway.shown(REFUND), gateway.shown(DELETE, checkpoint="cp-2")
    gateway.decide(ready, 1, Verdict.ACCEPT)
    gateway.deliver()
    restore_point = dict(gateway.table.items)
    call, digest = call_id(ready.pause, 1), ready.calls[0].digest
    claim(gateway.ports, SUPPORT, call, digest, "w1")  # it runs after the restore point
    operate.freeze(gateway.ports, "olga", "restore")
    gateway.table.items = restore_point
    later = replace(gateway.ports, epoch=2)
    refused(later, call, digest, "epoch_differs")
    operate.freeze(later, "olga", "restore")
    with pytest.raises(Frozen):
        claim(later, SUPPORT, call, digest, "w2")
    operate.thaw(later, "olga")
    refused(later, call, digest, "permit_settled")
    again = gateway.head(waiting.pause)
    assert (again.epoch, again.gen, again.notified_ms) == (2, waiting.gen + 1, 0)
    (stuck,) = operate.stuck(later)
    assert (stuck.reason, stuck.unknown) == ("restored_permits", (call,))
    operate.reconcile(later, "olga", call, PermitState.DONE, "refund r-1 is in the ledger")
    assert operate.repair(later, "olga", ready.pause) == ANSWERS[2]
    refused(later, call, digest, "permit_settled")


def refused(ports: Ports, call: str, digest: str, code: str) -> None:
    """The call cannot be claimed, for this reason."""
    with pytest.raises(Conflict) as lost:
        claim(ports, SUPPORT, call, digest, "w2")
    assert lost.value.code == code
