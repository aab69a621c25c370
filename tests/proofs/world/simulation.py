"""One seed: actors as coroutines of one thread, a drawn order at every touch, drawn faults, and a trace that repeats exactly."""

from __future__ import annotations

import hashlib
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import greenlet

from placet.model.errors import Busy, PlacetError
from placet.records.keys import Key
from placet.records.ops import Item
from placet.service import members
from placet.service.ports import Clock
from tests.proofs.world.cast import BOARD, DIRECTORS, HELD
from tests.proofs.world.oracle import Oracle
from tests.proofs.world.touching import Crash, Touch
from tests.proofs.world.world import Message, World

SKEW_MS = 300_000
FAULTS = ("duplicate", "drop", "delay", "reorder", "throttle", "conflict", "lost", "repeated", "lag", "skew", "crash")
TRIES = 4


@dataclass(frozen=True)
class Skewed:
    """A clock that is off by a fixed span."""

    true: Clock
    by_ms: int

    def now_ms(self) -> int:
        """What it shows."""
        return self.true.now_ms() + self.by_ms


class Simulation:
    """The scheduler. `spawn` starts a task, `step` lets one of them come to its next touch."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311
        self.rate = self.deaths = 0.0
        self.fired: Counter[str] = Counter()
        self.deploys: Counter[str] = Counter()
        self.trace: deque[str] = deque(maxlen=60)
        self.steps = 0
        self._hash = hashlib.sha256()
        self._tasks: list[tuple[str, greenlet.greenlet]] = []
        self._hub = greenlet.getcurrent()
        self._clocks: dict[str, Skewed] = {}
        self.world = World(hook=self._touch)
        self.world.clock_of = self._clock
        self.world.policy = HELD
        for person in DIRECTORS.values():
            members.add(self.world.bare("seed"), person, BOARD)
        self.world.table.changes.clear()
        self.oracle = Oracle(self.world.keys, lambda: self.world.table.items)
        self.world.table.watch = self._written

    # --- tasks ---------------------------------------------------------------------------------------------------

    def spawn(self, name: str, run: Callable[[], None], died: Callable[[], None] = lambda: None) -> None:
        """A new task. `died` is called when its process dies of a touch of its own."""

        def body() -> None:
            try:
                run()
            except Crash:
                self.note(f"{name} died")
                died()
            except PlacetError as error:
                self.note(f"{name}: {error.code}")
                if error.code in ("table_refused", "body_lost", "revision_lost", "parked"):
                    self.wrong(f"{name}: {error}")
            except Exception as error:  # nothing else may leave a verb
                self.wrong(f"{name}: {type(error).__name__}: {error}")

        self._tasks.append((name, greenlet.greenlet(body, self._hub)))

    @property
    def busy(self) -> bool:
        """Whether any task is under way."""
        return bool(self._tasks)

    def step(self) -> None:
        """One task goes on to its next touch."""
        self.steps += 1
        at = self.draw.randrange(len(self._tasks))
        name, task = self._tasks[at]
        task.switch()
        if task.dead:
            self._tasks.remove((name, task))

    def deliver(self, message: Message) -> None:
        """A function runs for a message; when it fails the message comes again, or never."""

        def run() -> None:
            try:
                self.world.perform(message)
            except (Crash, PlacetError):
                self._failed(message)
                raise

        self.spawn(f"{message.kind} {message.facts.get('name', message.facts.get('pause', ''))[:6]}", run)

    def _failed(self, message: Message) -> None:
        message.tries += 1
        if message.tries < TRIES and (not self.rate or self.draw.random() < 0.7):
            message.due_ms = self.world.clock.now_ms() + 1000 * self.draw.randrange(30)
            self.world.messages.append(message)
        else:
            self.world.lost(message)

    # --- faults ------------------------------------------------------------------------------------------------------

    def chance(self, kind: str, rate: float) -> bool:
        """Whether a fault happens here; counted when it does."""
        if not self.rate or self.draw.random() >= rate:
            return False
        self.fired[kind] += 1
        self.note(f"  {kind}")
        return True

    def _touch(self, touch: Touch) -> Any:
        if not self.rate or greenlet.getcurrent() is self._hub:
            return touch.act()  # in the calm each task runs through
        self._hub.switch()
        self.note(f" {touch.by} {touch.what}")
        own = touch.what.startswith(("framework.", "tool."))
        return self._fault(touch, own) if self.draw.random() < (self.deaths if own else self.rate) else touch.act()

    def _fault(self, touch: Touch, own: bool) -> Any:
        kinds = ["crash"] if own else ["crash", "throttle", "lost"]
        kinds += {"table.write": ["conflict", "repeated"], "table.work": ["lag"] * 3, "table.find": ["lag"] * 3}.get(
            touch.what, []
        )
        kind = self.draw.choice(kinds)
        self.fired[kind] += 1
        self.note(f"  {kind}")
        return getattr(self, f"_{kind}")(touch)

    def _crash(self, touch: Touch) -> Any:
        if self.draw.random() < 0.5:
            touch.act()
        raise Crash(touch)

    def _throttle(self, touch: Touch) -> Any:
        raise Busy

    def _lost(self, touch: Touch) -> Any:
        touch.act()
        raise Busy

    def _conflict(self, touch: Touch) -> Any:
        """The store's client tries again a little later."""
        self._hub.switch()
        return touch.act()

    def _repeated(self, touch: Touch) -> Any:
        """The answer was lost, the store's client sends the write again, and may meet its own success."""
        touch.act()
        self._hub.switch()
        return touch.act()

    def _lag(self, touch: Touch) -> Any:
        """The index shows what was true some writes ago."""
        table = self.world.table
        now = table.items
        table.items = self._before(now, self.draw.randrange(1, 12))
        try:
            return touch.act()
        finally:
            table.items = now

    def _before(self, items: dict[Key, Item], writes: int) -> dict[Key, Item]:
        then = dict(items)
        for old, new in reversed(self.world.table.changes[-writes:]):
            image = new or old
            assert image is not None
            key = Key(image["pk"], image["sk"])
            if old is None:
                then.pop(key, None)
            else:
                then[key] = old
        return then

    def _clock(self, function: str) -> Clock:
        """Each function has two instances, whose clocks are off by up to five minutes."""
        if not self.rate or function in ("capture", "seed"):  # the order of a run's pauses is by capture's clock
            return self.world.clock
        name = f"{function}{self.draw.randrange(2)}"
        if name not in self._clocks:
            self._clocks[name] = Skewed(self.world.clock, self.draw.randrange(-SKEW_MS, SKEW_MS))
        self.fired["skew"] += 1
        return self._clocks[name]

    # --- the trace ---------------------------------------------------------------------------------------------------

    def note(self, line: str) -> None:
        """One line of the trace."""
        self.trace.append(line)
        self._hash.update(line.encode() + b"\n")

    @property
    def digest(self) -> str:
        """Of the whole trace."""
        return self._hash.hexdigest()

    def wrong(self, sentence: str) -> None:
        """A promise is broken."""
        self.oracle.violations.append(sentence)

    def _written(self, changes: list[Any]) -> None:
        self.world.streamed(changes)
        before = len(self.oracle.violations)
        self.oracle.look(changes)
        for one in self.oracle.violations[before:]:
            self.note(f"  VIOLATION {one}")
