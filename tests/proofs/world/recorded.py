"""A few hundred pauses, played in phases on one clock; their stream is delivered once in order, or thrice and shuffled."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

from functions.dispatch.handler import handler as dispatch
from placet.aws.expressions import to_wire
from placet.model.canonical import digest, parse
from placet.model.errors import Busy, Conflict
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.records.ops import Item, Put
from placet.service.decide import Decision, decide
from placet.service.dispatch import edge_of
from tests.proofs.world.agents import Thread
from tests.proofs.world.cast import BILLING, PEOPLE, SUPPORT
from tests.proofs.world.handlers import called_with
from tests.proofs.world.world import Change, Message, World

BATCH = 100
ROUNDS = 12  # of review at most, for calls whose permits got too old one after the other
RECORDS, TIMERS, NOTIFIES = 3, 5, 2  # how often each comes, when it is replayed
FATES = ("accept", "accept", "edit", "reject", "expire", "cancel", "cancel early", "late")
EDITED = '{"amount":400}'


@dataclass(frozen=True)
class Record:
    """One stream record; a poison one can never be handled."""

    number: str
    images: dict[str, Any]
    edge: str = "poison"

    @property
    def event(self) -> dict[str, Any]:
        """As Lambda brings it."""
        return {"dynamodb": {"SequenceNumber": self.number, **self.images}}


class Recorded(World):
    """A world whose stream is delivered through the real handler, in batches, with a poison record in each hundred."""

    def __init__(self, pauses: int, seed: int, *, replayed: bool) -> None:
        super().__init__()
        self.replayed = replayed
        self.order = random.Random(seed)  # noqa: S311
        draw = random.Random(seed)  # noqa: S311
        self.plan = [(draw.choice((SUPPORT, BILLING)), draw.choice(FATES)) for _ in range(pauses)]
        self.records: list[Record] = []
        self.timed: set[str] = set()
        self.fresh: list[Record] = []
        self.poisoned = self.blocked = self.unlogged = self.delivered = 0

    def streamed(self, changes: list[Change]) -> None:
        """What passes the stream's filters."""
        for old, new in changes:
            if (edge := edge_of(old, new)) is not None:
                images = {"OldImage": old, "NewImage": new}
                wire = {name: to_wire(image) for name, image in images.items() if image}
                record = Record(str(len(self.records)), wire, edge.value)
                self.records.append(record)
                self.fresh.append(record)

    # --- the phases --------------------------------------------------------------------------------------------------

    def play(self) -> Recorded:
        """From capture to the end of every run."""
        self._capture()
        self._cancel("cancel early")
        self.drain()
        self._decide()
        self._cancel("cancel")
        self.drain()
        self._work(but="late")
        self.clock.move(600)
        self.drain()
        self._work(but="late")
        self.clock.move(1_900)  # what was accepted and not executed is too old now, and is asked for again
        self._work()
        for _ in range(ROUNDS):
            self._swept()
            self.drain()
            self._decide()
            self.drain()
            self._work()
            self.drain()
            self.clock.move(600)
            if all(item["state"] == "ended" for item in self.heads().values() if "parked" not in item):
                break
        return self

    def again(self) -> None:
        """The whole stream once more, shuffled, and every schedule."""
        self.fresh += self.records
        self.messages += [Message("timer", {"tenant": "main", "pause": pause}, 0) for pause in sorted(self.timed)]
        self.drain()

    def _capture(self) -> None:
        for index, (agent, _) in enumerate(self.plan):
            calls = tuple(
                ("refund", {"amount": 500 + number}) if index % 7 else ("look", {"id": number})
                for number in range(1 + index % 3)
            )
            self.processes[agent.name].pause(Thread(f"run-{index}", f"cp-{index}", calls, keyed=bool(index % 2)))
        for process in self.processes.values():
            process.start()

    def _threads(self) -> list[tuple[Thread, str, str]]:
        found = []
        for index, (agent, fate) in enumerate(self.plan):
            found.append((self.processes[agent.name].threads[f"run-{index}", f"cp-{index}"], agent.name, fate))
        return found

    def _cancel(self, wanted: str) -> None:
        for thread, agent, fate in self._threads():
            if fate == wanted and self.head(thread.pause).open_calls:
                self.processes[agent].cancel(thread)

    def _decide(self) -> None:
        for thread, _, fate in self._threads():
            for call in self.head(thread.pause).pending:
                if fate in ("accept", "edit", "reject", "late") and call.deadline_ms > self.clock.now_ms():
                    edits = fate == "edit" and call.rev == 1
                    verdict = Verdict.EDIT if edits else Verdict.REJECT if fate == "reject" else Verdict.ACCEPT
                    new = {"arguments": EDITED, "new_digest": digest(parse(EDITED))} if edits else {}
                    decision = Decision(verdict, call.rev, call.digest, reason="because", **new)
                    decide(self.ports("decide"), PEOPLE["maria"], call_id(thread.pause, call.number), decision)

    def _work(self, but: str = "") -> None:
        """The pick-up agent goes on with its runs, apart from those that come late."""
        late = {thread.pause for thread, _, fate in self._threads() if fate == but}
        process = self.processes[SUPPORT.name]
        for thread, agent, _ in self._threads():
            if agent == SUPPORT.name and thread.pending and thread.pause not in late:
                with contextlib.suppress(Conflict):  # too old: it has been asked for again
                    process.take(thread.pause)

    def _swept(self) -> None:
        self.perform(Message("sweep", {}, 0))

    # --- delivery ------------------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Everything that is under way arrives: once and in order, or often and in any."""
        self.timed.update(self.ring())
        while self.fresh or self.messages:
            records, self.fresh = self.fresh, []
            messages, self.messages = self.messages, []
            if self.replayed:
                records = self._shuffled(records * RECORDS)
                messages = self._shuffled(
                    [one for one in messages for _ in range(TIMERS if one.kind == "timer" else 1)]
                )
            for start in range(0, len(records), BATCH - 1):
                self._batch(records[start : start + BATCH - 1])
            for message in messages:
                try:
                    self.perform(message)
                except Busy:  # the agent's Lambda was refused a permit that got too old: the call is asked for again
                    self.lost(message)

    def _wait(self, facts: dict[str, Any], invoke: Callable[..., None]) -> None:
        """notify, called asynchronously, may be called twice for one task."""
        event = self.machine.waits(facts["name"])
        for _ in range(NOTIFIES if self.replayed and event else 1):
            with mock.patch.object(self.machine, "waits", return_value=event):
                super()._wait(facts, invoke)

    def _shuffled(self, found: list[Any]) -> list[Any]:
        self.order.shuffle(found)
        return found

    def _batch(self, records: list[Record]) -> None:
        """One invocation; a poison record among them fails alone, or is done once its pause is listed."""
        poison = self._poison(self.poisoned)
        batch = [*records]
        batch.insert(self.order.randrange(len(batch) + 1), poison)
        self.delivered += len(records)
        with called_with(self.ports("dispatch")) as log:
            try:
                answer = dispatch({"Records": [record.event for record in batch]}, None)
                failed = [one["itemIdentifier"] for one in answer["batchItemFailures"]]
            except Exception:
                failed = [record.number for record in batch]
        self.poisoned += 1
        self.blocked += len([number for number in failed if number != poison.number])
        listed = "stuck" in self.table.items.get(self.keys.head(poison.number), {})
        self.blocked += (
            poison.number in failed
        ) == listed  # it would come again for ever, or be dropped without a word
        self.unlogged += not listed and not any(call.args[0] == "failed" for call in log.call_args_list)

    def _poison(self, number: int) -> Record:
        """In turn: a head without its state, an image with a type that is none, a head of a later release."""
        name = self.ids.pause_id("poison", str(number), "")
        head: Item = {**self.keys.head(name)._asdict(), "kind": "HEAD", "schema_version": 1}
        if number % 3 == 1:
            return Record(name, {"NewImage": {**to_wire(head), "open_calls": {"?": "1"}}})
        stored = {**head, "open_calls": 1, "parked": True, "wpk": self.keys.new(), "wsk": self.clock.at_ms}
        if number % 3 == 2:
            stored |= {"schema_version": 99, "state": "open"}
        with mock.patch.object(self.table, "watch"):
            self.table.write([Put(stored)])
        return Record(name, {"NewImage": to_wire(stored)})

    # --- what is compared ------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything that a replay may not change, by name."""
        found: dict[str, Any] = {
            "|".join(key): {name: value for name, value in item.items() if name != "holder"}  # a try's own name
            for key, item in self.table.items.items()
            if "parked" not in item
        }
        found |= {f"execution {name}": (one.stage, one.facts) for name, one in self.machine.executions.items()}
        found |= {f"timer {pause}": at for pause, at in self.timers.moments.items()}
        for thread, agent, _ in self._threads():
            found[f"run {thread.run}"] = (sorted(thread.pending), thread.told, agent)
        ledger = Counter(one for process in self.processes.values() for one in process.ledger)
        return found | {f"effect {one}": count for one, count in ledger.items()}

    def mails(self) -> Counter[tuple[str, str]]:
        """How many mails each person got about each pause; whoever got one of what waits may have been told of any by it."""
        return Counter((note.to_email, note.pause) for note in self.mail.sent)

    def digested(self) -> set[str]:
        """Addresses that got a mail of what waits."""
        return {digest.to_email for digest in self.mail.digests}
