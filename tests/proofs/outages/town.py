"""The functions with their times, and whatever invokes them again when they fail: machine, stream, schedules, Lambda itself."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

from local.memory import MemoryTable
from placet import wiring
from placet.aws import clients, ids, table
from placet.aws.expressions import to_wire
from placet.aws.time_left import time_left
from placet.policy.rules import Policy
from placet.records.keys import Keys
from placet.service.dispatch import edge_of
from tests.proofs.outages import beside
from tests.proofs.outages.clients import Client, Services
from tests.proofs.outages.clock import Clock, CutOff
from tests.proofs.outages.machine import Machine, Timers, seconds_of
from tests.proofs.outages.people import People
from tests.proofs.outages.registry import ENVIRONMENT
from tests.proofs.outages.store import Store, request_of
from tests.proofs.outages.telling import Telling
from tests.proofs.outages.troubles import Cell, Trouble

STREAM_TRIES, ASYNC_TRIES = 5, 2  # after the first
MINUTE = 60.0
SWEEP_S = 3 * MINUTE  # it comes every minute; played is every third


class Town:
    """Everything of one play.

    Attributes:
        facts: what was logged. errors: faults of our own, which nothing excuses.
        loses_records: the stream brings nothing. given_up: records that it brought in vain.
    """

    def __init__(self, cell: Cell | None = None) -> None:
        self.clock = Clock()
        self.trouble = Trouble(self.clock, cell)
        self.table = MemoryTable()
        self.services = Services(self)
        self.machine, self.timers = Machine(self), Timers(self)
        self.telling = Telling(self)
        self.facts: list[tuple[str, dict[str, Any]]] = []
        self.errors: list[str] = []
        self.loses_records = False
        self.given_up = 0
        self._verbs: list[str] = []
        self._store = Store(self.table)
        self._stream: list[dict[str, Any]] = []
        self.people = People(self)
        self.clock.later(30.0, self._sweep)

    def asks(self, service: str) -> str:
        """What is wrong with a request of the function that runs; whoever asks outside of one is nobody's trouble."""
        return self.trouble.kind(self._verbs[-1], service) if self._verbs else ""

    def use_of(self, service: str, given: dict[str, Any]) -> str:
        """The use in `LIMITS` that a request of a service is of."""
        if service != "lambda":
            return service
        if given["FunctionName"].startswith("arn:verb:"):
            return "lambda" if given.get("InvocationType") == "Event" else "lambda/asked"
        return "lambda/executors" if "executor" in given["FunctionName"] else "lambda/agents"

    def work_of(self, service: str, method: str) -> Callable[..., Any]:
        """What carries a request out."""
        name = {"bedrock-agent-runtime": "bedrock"}.get(service, service)
        found: Callable[..., Any] = getattr(
            self._store if service == "dynamodb" else self.services, method, None
        ) or getattr(self.services, f"{name}_{method}")
        return found

    def invoke(self, verb: str, event: dict[str, Any]) -> tuple[Any, str]:
        """A function's answer, and the name of the error that it ended with, as Lambda tells it."""
        handler = importlib.import_module(f"functions.{verb}.handler").handler
        before = time_left._end_s
        self._verbs.append(verb)
        try:
            with self.clock.lasting(seconds_of(verb)):
                context = SimpleNamespace(get_remaining_time_in_millis=self.clock.left_ms)
                return handler(event, context), ""
        except CutOff:
            return None, "Sandbox.Timedout"
        except Exception as error:
            if not type(error).__module__.startswith("placet.model.errors"):
                self.errors.append(f"{verb}: {error!r}")
            return None, type(error).__name__
        finally:
            self._verbs.pop()
            time_left._end_s = before
            self._changed()

    def calls(self, verb: str, event: dict[str, Any], tries: int = ASYNC_TRIES) -> None:
        """An asynchronous invocation: Lambda tries again what fails."""

        def call(left: int) -> None:
            if self.invoke(verb, event)[1] and left:
                self.clock.later((1 + tries - left) * MINUTE, lambda: call(left - 1))

        self.clock.later(0.1, lambda: call(tries))

    def head(self, pause: str) -> dict[str, Any]:
        """The record of a pause as it is."""
        return self.table.items[Keys("main").head(pause)]

    def open_calls(self, pause: str) -> int:
        """How many of its calls are not decided."""
        return int(self.head(pause)["open_calls"])

    def has_ended(self, pause: str) -> bool:
        """Whether its run went on, and it stands on no list."""
        head = self.head(pause)
        return head["state"] == "ended" and "wpk" not in head

    def pauses(self) -> list[str]:
        """Every pause."""
        return [key.pk.rpartition("#")[2] for key in self.table.items if key.sk == "HEAD"]

    def _sweep(self) -> None:
        self.invoke("sweep", {})
        self.clock.later(SWEEP_S, self._sweep)

    def _changed(self) -> None:
        """What was written reaches the stream, if it is an edge that its filters let through."""
        changes, self.table.changes[:] = list(self.table.changes), []
        self.telling.changed(changes)
        if self.loses_records:
            return
        waiting = bool(self._stream)
        self._stream += [_record(old, new) for old, new in changes if edge_of(old, new) is not None]
        if self._stream and not waiting:
            self.clock.later(0.3, lambda: self._dispatch(STREAM_TRIES))

    def _dispatch(self, left: int) -> None:
        batch = self._stream[:25]
        for number, record in enumerate(batch):
            record["dynamodb"]["SequenceNumber"] = str(number)
        answer, failed = self.invoke("dispatch", {"Records": batch})
        numbers = [int(one["itemIdentifier"]) for one in (answer or {}).get("batchItemFailures", [])]
        done = min(numbers, default=0 if failed else len(batch))
        self._stream = self._stream[done:]
        if done < len(batch) and not left:
            self.given_up += 1
            self._stream = self._stream[1:]  # into the queue of failures; the sweep finds what it was about
        if self._stream:
            left = left - 1 if done < len(batch) and left else STREAM_TRIES
            self.clock.later(2.0 ** (STREAM_TRIES - left), lambda: self._dispatch(left))


def _record(old: Any, new: Any) -> dict[str, Any]:
    images = {"OldImage": old, "NewImage": new}
    return {"dynamodb": {name: to_wire(image) for name, image in images.items() if image}}


@contextmanager
def town(policy: Callable[[], Policy], cell: Cell | None = None) -> Iterator[Town]:
    """A town whose clients, clocks and addresses are played."""
    made = Town(cell)
    _forget()
    boto = SimpleNamespace(client=lambda service, config=None, **_: Client(made, service, config))
    with ExitStack() as patched:
        for target, name, stand_in in (
            (clients, "boto3", boto),
            (table.DynamoTable, "_request", request_of),
            (table, "from_wire", dict),
            (wiring, "DynamoTable", functools.partial(table.DynamoTable, sleep=made.clock.sleep)),
            (ids.SystemClock, "now_ms", lambda self: made.clock.now_ms()),
            (time_left, "_seconds", made.clock.seconds),
            (wiring, "policy", policy),
            (wiring, "log", lambda name, facts: made.facts.append((name, dict(facts)))),
        ):
            patched.enter_context(mock.patch.object(target, name, stand_in))
        patched.enter_context(mock.patch.dict("os.environ", ENVIRONMENT))
        patched.enter_context(beside.played(made))
        made.people.move_in()
        try:
            yield made
        finally:
            time_left.begin(None)
            _forget()


def _forget() -> None:
    """Processes are new: nothing is kept of another town."""
    for cached in (wiring.ports, wiring.login, clients._client):
        cached.cache_clear()
