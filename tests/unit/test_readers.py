"""The last member of a group leaves while pauses wait for it: nobody's list shows them, so the operators' does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import Busy, Conflict
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.ops import Delete
from placet.service import operate
from placet.service.inbox import inbox
from placet.service.notify import mail_again
from placet.service.ports import Note
from placet.service.resume import pick_up, take
from placet.service.sweep import sweep
from tests.gateway import DELETE, ON_BEDROCK, REFUND, SUPPORT, Gateway, approved


def leave(gateway: Gateway, group: str, *subs: str) -> None:
    for sub in subs or ("maria", "jonas"):
        keys = (gateway.keys.member(sub, group), gateway.keys.group_member(group, sub))
        gateway.table.write([Delete(key) for key in keys])


def stuck(gateway: Gateway) -> dict[str, str]:
    return {one.pause: one.reason for one in operate.stuck(gateway.ports)}


def test_a_queue_that_nobody_reads_is_listed_whole_and_at_once(gateway: Gateway) -> None:
    heads = [gateway.shown(REFUND, checkpoint=f"cp-{n}") for n in range(3)]
    elsewhere = gateway.shown(DELETE, checkpoint="cp-4")
    leave(gateway, "finance")
    assert sweep(gateway.ports).listed == 3
    assert stuck(gateway) == {head.pause: "group_empty" for head in heads}
    assert gateway.head(elsewhere.pause).wpk == gateway.keys.queue("general", 0)
    assert ("stuck", {"pause": heads[0].pause, "reason": "group_empty"}) in gateway.log


def test_one_member_is_enough(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, "finance", "maria")
    assert sweep(gateway.ports).listed == 0
    assert gateway.head(head.pause).wpk == gateway.keys.queue("money-out", 0)


def test_who_joins_finds_it_a_minute_later_and_is_mailed(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, "finance")
    sweep(gateway.ports)
    fritz = gateway.person("fritz", "Fritz Ahn", "finance")
    gateway.mail.sent.clear()
    assert sweep(gateway.ports).moved == 1
    (row,) = inbox(gateway.ports, fritz).rows
    assert (row.pause, row.deadline_ms) == (head.pause, head.deadline_ms)
    gateway.clock.move(60)
    assert sweep(gateway.ports).mailed == 1
    assert mail_again(gateway.ports, head.pause) == 0
    assert [note.to_email for note in gateway.mail.sent] == ["fritz@example.com"]
    gateway.decide(gateway.head(head.pause), 1, Verdict.ACCEPT, fritz)
    events = [item for key, item in gateway.table.items.items() if key.sk.startswith("E#repaired")]
    assert [(one["by"], one["reason"]) for one in events] == [("sweep", "group_empty")]


def test_who_joins_is_mailed_as_soon_as_anybody_whatever_failed_before(gateway: Gateway) -> None:
    """The tries at the mails of those who left say nothing of those who came: theirs begin anew, and so does the alarm."""

    def busy(note: Note) -> bool:
        raise Busy

    gateway.mail.send = busy  # type: ignore[method-assign]
    head = gateway.shown(REFUND)
    for _ in range(20):
        gateway.clock.move(60)
        sweep(gateway.ports)
        mail_again(gateway.ports, head.pause)
    leave(gateway, "finance")
    sweep(gateway.ports)
    gateway.person("fritz", "Fritz Ahn", "finance")
    assert sweep(gateway.ports).moved == 1
    gateway.clock.move(60)
    gateway.log.clear()
    assert mail_again(gateway.ports, head.pause) == 1
    again = gateway.head(head.pause)
    assert (again.mails_tried, again.wsk) == (1, gateway.clock.now_ms() + 60_000)
    for _ in range(20):
        gateway.clock.move(60)
        mail_again(gateway.ports, head.pause)
    assert [facts["later"] for name, facts in gateway.log if name == "mail_not_sent"] == [1]


def test_a_repair_says_whom_it_lacks(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, "finance")
    sweep(gateway.ports)
    with pytest.raises(Conflict) as caught:
        operate.repair(gateway.ports, "ops", head.pause)
    assert (caught.value.code, caught.value.members) == ("group_empty", {"groups": ["finance"]})
    assert stuck(gateway) == {head.pause: "group_empty"}


def test_its_deadline_goes_on_while_nobody_is_there(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, "finance")
    sweep(gateway.ports)
    gateway.clock.move(5 * 3_600)
    gateway.person("fritz", "Fritz Ahn", "finance")
    assert sweep(gateway.ports).expired == 1
    assert gateway.verbs.called == [("escalate", {"tenant": "main", "pause": head.pause})]


def test_a_class_that_is_back_brings_its_pauses_back(gateway: Gateway) -> None:
    head, policy = gateway.shown(REFUND), gateway.policy
    gateway.policy = replace(policy, classes={**policy.classes})
    gateway.with_policy(levels=(Level(("nobody",)),))
    sweep(gateway.ports)
    assert stuck(gateway) == {head.pause: "group_empty"}
    gateway.policy = policy
    assert sweep(gateway.ports).moved == 1
    assert gateway.head(head.pause).wpk == gateway.keys.queue("money-out", 0)


def test_of_two_classes_one_with_people_is_enough(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    leave(gateway, "finance")
    assert sweep(gateway.ports).listed == 0
    leave(gateway, "approvers")
    assert sweep(gateway.ports).listed == 1
    assert stuck(gateway) == {head.pause: "group_empty"}
    gateway.person("lena", "Lena Vogt", "approvers")
    sweep(gateway.ports)
    assert gateway.head(head.pause).wpk == gateway.keys.queue("several.", 0)


def test_decisions_of_another_framework_are_not_handed_out_and_listed_at_once(gateway: Gateway) -> None:
    head, _ = approved(gateway)
    changed = replace(gateway.ports, registry=replace(gateway.ports.registry, agents=(ON_BEDROCK,)))
    assert pick_up(changed, ON_BEDROCK) == take(changed, ON_BEDROCK) == []
    assert sweep(changed).listed == 1
    assert stuck(gateway) == {head.pause: "framework_differs"}
    operate.repair(gateway.ports, "ops", head.pause)
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [head.pause]
