"""The demo's scenes of people: two who both have to agree, one who stands in for another, and calls that nobody answers at first.

The last are asked before everything else and looked at when the rest was played. Their class reminds after one minute and asks more
people after two (`rules`); what does it is each pause's own schedule, as in a deployment. Nothing is brought forward.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any

from local.agents.billing import propose
from local.agents.desk import Desk
from local.agents.processes import gateway_as
from local.agents.proof import Told
from placet.aws.table import DynamoTable
from placet.client import Pause
from placet.model.events import EventName
from placet.records.keys import Keys

PATIENCE_S = 400.0  # as for a deadline, on a machine that has other things to do
AWAY_MS = 3_600_000
Event = Mapping[str, Any]


class Office:
    """The billing agent's calls, and the three people of the local mode at their desks.

    Attributes:
        told: the pauses of these scenes, once they are decided.
    """

    def __init__(self, stack: Any) -> None:
        self.gateway = gateway_as(stack, "billing-agent")
        self.told: list[Told] = []
        self._stack = stack
        self._table, self._keys = DynamoTable(stack.table_name, stack.client("dynamodb")), Keys("main")
        self._desks = {name: Desk(stack.api_url, stack.access_token(name)) for name in ("maria", "jonas", "olga")}

    def ask(self, tool: str, about: str, **arguments: Any) -> Pause:
        """The agent proposes a call."""
        return propose(self.gateway, f"{tool}-{uuid.uuid4().hex[:8]}", tool, arguments, about)

    def quorum(self) -> None:
        """A payment that two people have to accept: Maria's yes alone runs nothing, Jonas's is the second."""
        asked = self.ask("pay_invoice", "supplier:northwind", supplier="Northwind", amount=5_200.0)
        call = asked.calls[0].call
        self._desks["maria"].accept(asked.pause, call)
        if (state := self.gateway.pause(asked.pause).calls[0].state) != "pending":
            raise AssertionError(f"one of two people accepted, and the call is {state}")
        self._desks["jonas"].accept(asked.pause, call)
        self._end("quorum", asked, "quorum", "Maria Keller accepted first")

    def delegate(self) -> None:
        """Jonas is away and named Olga, who may not decide refunds by herself; she accepts one in his place."""
        jonas, olga = self._desks["jonas"], self._stack.reviewer("olga")
        jonas.away(int(time.time() * 1000) + AWAY_MS, olga.sub)
        try:
            asked = self.ask("issue_refund", "order:1240", order_id="1240", amount=175.0)
            self._desks["olga"].accept(asked.pause, asked.calls[0].call)
        finally:
            jonas.back()
        self._end("delegate", asked, "delegated", "Jonas Weber was away")

    def remind(self, asked: Pause) -> None:
        """Nobody answered for a minute, so everybody who may was reminded; now Maria accepts."""
        self._until(asked, EventName.REMINDED)
        self._desks["maria"].accept(asked.pause, asked.calls[0].call)
        self._end("remind", asked, "reminded", self._when(asked, EventName.REMINDED))

    def widen(self, asked: Pause) -> None:
        """Nobody answered for two minutes, so the operators are asked as well; Olga, who could not before, accepts."""
        self._until(asked, EventName.WIDENED)
        self._desks["olga"].accept(asked.pause, asked.calls[0].call)
        self._end("widen", asked, "widened", self._when(asked, EventName.WIDENED))

    def events(self, pause: str) -> list[Event]:
        """What the record says of a pause, in the order of time."""
        found = self._table.query(self._keys.pause(pause), "E#")
        return sorted(found, key=lambda event: int(event["at_ms"]))

    def counts(self) -> dict[str, int]:
        """By what is to be shown, of how many pauses the record says that it happened."""
        counted = {"quorum": 0, "reminded": 0, "widened": 0, "delegated": 0}
        for one in self.told:
            counted[one.shows] += shows(self.events(one.pause), one.shows)
        return counted

    def _end(self, scene: str, asked: Pause, what: str, note: str) -> None:
        self.told.append(Told(scene, asked.pause, note, shows=what))
        until = time.monotonic() + PATIENCE_S
        while self.gateway.pause(asked.pause).state != "ended":
            if time.monotonic() > until:
                raise AssertionError(f"{scene}: decided, and not ended within {PATIENCE_S:.0f} s")
            time.sleep(0.5)

    def _until(self, asked: Pause, name: EventName) -> None:
        until = time.monotonic() + PATIENCE_S
        while _first(self.events(asked.pause), name) is None:
            if time.monotonic() > until:
                raise AssertionError(f"{asked.pause} was not {name.value} within {PATIENCE_S:.0f} s")
            time.sleep(0.5)

    def _when(self, asked: Pause, name: EventName) -> str:
        head, moment = self._table.get(self._keys.head(asked.pause)), _first(self.events(asked.pause), name)
        if head is None or moment is None:
            raise AssertionError(f"the record of {asked.pause} is gone")
        return f"{name.value} after {(moment['at_ms'] - head['captured_ms']) / 1000:.0f} s"


def shows(events: list[Event], what: str) -> bool:
    """Whether the record of an accepted call says that this happened: `quorum`, `reminded`, `widened` or `delegated`."""
    decided = _first(events, EventName.DECIDED)
    if decided is None or decided["verdict"] != "accept":
        return False
    before = [event for event in events if event["at_ms"] <= decided["at_ms"]]
    voted, widened = _first(before, EventName.VOTED), _first(before, EventName.WIDENED)
    return {
        "quorum": voted is not None and voted["by"] != decided["by"],
        "reminded": (reminded := _first(before, EventName.REMINDED)) is not None and reminded["people"] > 0,
        "widened": widened is not None and widened["why"] == "after",
        "delegated": bool(decided.get("in_place_of")),
    }[what]


def _first(events: list[Event], name: EventName) -> Event | None:
    return next((event for event in events if event["name"] == name.value), None)
