"""Stored records: large ones, changed ones, and those that this release cannot read."""

import pytest

from placet.model.errors import Damaged
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.service.cancel import supersede
from placet.service.execute import claim
from placet.service.find import find
from placet.service.resume import pick_up
from placet.service.review import detail
from placet.service.went_on import resumed
from tests.gateway import REFUND, SUPPORT, Gateway, approved


def test_a_record_that_cannot_be_read_hides_nothing(gateway: Gateway) -> None:
    parked, _ = approved(gateway)
    fine, _ = approved(gateway, checkpoint="cp-2")
    gateway.deliver()
    gateway.table.items[gateway.keys.head(parked.pause)]["schema_version"] = 99
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [fine.pause]
    assert ("parked", {"pause": parked.pause}) in gateway.log
    assert {one["state"] for one in find(gateway.ports, "order:1182")} == {"parked", "closed"}
    newest = gateway.shown(REFUND, checkpoint="cp-3")
    assert supersede(gateway.ports, SUPPORT, "thread-1", newest.pause) == []


def test_many_unreadable_records_hide_nothing(gateway: Gateway) -> None:
    for number in range(60):
        parked, _ = approved(gateway, checkpoint=f"p-{number}")
        gateway.deliver()
        gateway.table.items[gateway.keys.head(parked.pause)]["schema_version"] = 99
    gateway.clock.move(1)
    fine, _ = approved(gateway, checkpoint="fine")
    assert [one["pause"] for one in pick_up(gateway.ports, SUPPORT)] == [fine.pause]


def test_a_large_body_lies_in_the_bucket_under_its_digest_and_is_read_to_the_byte(gateway: Gateway) -> None:
    big = ("delete_records", {"table": "contacts", "where": "x" * 20_000})
    head = gateway.shown(big)
    ((name, _),) = gateway.bodies.texts.items()
    assert name.endswith(head.body)
    gateway.decide(head, 1, Verdict.ACCEPT)
    permit = claim(gateway.ports, SUPPORT, call_id(head.pause, 1), head.calls[0].digest, "w")
    assert permit.arguments == '{"table":"contacts","where":"' + "x" * 20_000 + '"}'


def test_a_text_that_was_changed_in_the_bucket_is_not_believed(gateway: Gateway) -> None:
    head = gateway.shown(("delete_records", {"table": "contacts", "where": "x" * 20_000}))
    name = next(iter(gateway.bodies.texts))
    gateway.bodies.texts[name] = gateway.bodies.texts[name].replace("contacts", "accounts")
    with pytest.raises(Damaged):
        detail(gateway.ports, gateway.maria, head.pause)


def test_find_gives_a_pause_in_any_state_by_entity_run_or_id(gateway: Gateway) -> None:
    head = gateway.shown(REFUND)
    for wanted in ("order:1182", "thread-1", head.pause, f"{head.pause}-1"):
        assert [one["pause"] for one in find(gateway.ports, wanted)] == [head.pause]
    gateway.decide(head, 1, Verdict.REJECT)
    resumed(gateway.ports, SUPPORT, head.pause)
    assert find(gateway.ports, "order:1182")[0]["state"] == "ended"
    assert find(gateway.ports, "order:0") == []
