"""Writes: every written attribute, what a write that always loses ends as, and that values cannot be changed afterwards."""

import dataclasses
import importlib
import json
import pkgutil
from types import ModuleType

import pytest

from local.memory import MemoryTable
from placet import model, records, service
from placet.model.errors import Busy
from placet.model.pauses import call_id
from placet.model.states import PermitState
from placet.records.ops import ConditionFailed, Op
from placet.service import execute
from placet.service.cancel import cancel
from placet.service.went_on import resumed
from tests.gateway import SMALL, SUPPORT, Gateway
from tests.unit.flows import FLOWS
from tests.unit.written import FILE, written


@pytest.mark.parametrize("name", FLOWS)
def test_every_write_is_what_it_was(name: str) -> None:
    """When a write was changed on purpose: python -m tests.unit.written, and look at the difference."""
    assert written(name) == json.loads(FILE.read_text())[name]


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
