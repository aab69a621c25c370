"""What an earlier release stored of an execution is told as today's is."""

from __future__ import annotations

import pytest

from local.memory import MemoryTable
from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.records.keys import Key
from placet.service.execute import claim
from tests.gateway import SUPPORT
from tests.upgrade.journeys import Written, gateway_on, values, written


@pytest.mark.parametrize("file", written(), ids=lambda file: file.commit)
def test_the_stored_result_of_a_settled_permit_is_told(file: Written) -> None:
    table = MemoryTable()
    table.items = {Key(item["pk"], item["sk"]): item for item in values(file)}
    gateway, pause = gateway_on(table, file), file.pauses["done"]
    with pytest.raises(Conflict) as refused:
        claim(gateway.ports, SUPPORT, call_id(pause, 1), gateway.head(pause).calls[0].digest, "w2")
    assert (refused.value.code, refused.value.members["result"]) == ("permit_settled", "refund r-1")
