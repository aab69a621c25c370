"""Where a pause stands, a model of its own: the queue in which its people find it, and the moment at which the sweep looks.

Two calls that are shown. One of them is decided; each may be put to its second level, the other one handed to a director and
reminded of; and those whom that names are mailed. Each reads, and writes later what it judged then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tests.proofs.modelling.clauses import WRITES

A, B = 0, 1  # the call that is decided, and the one that stays open
Names = frozenset[str]


class Record(NamedTuple):
    """What the head says.

    Attributes:
        open: whether the first call is open. levels: of both calls; handed, reminded: of the second.
        queue: the level whose people find the pause; owed: who is still to be mailed.
        called: whether the sweep comes at once, or at the next moment of a call.
    """

    open: bool = True
    levels: tuple[int, int] = (0, 0)
    handed: bool = False
    reminded: bool = False
    queue: int = 0
    owed: Names = frozenset()
    called: bool = False

    @property
    def seen(self) -> int:
        """The highest level whose people may decide an open call."""
        return max(self.levels[A] if self.open else 0, self.levels[B], int(self.handed))


class Standing(NamedTuple):
    """Everything, in one hashable value.

    Attributes:
        due: who was named and is not mailed yet, whatever the record says.
        read: what each of the WRITERS has read, or nothing.
    """

    head: Record = Record()
    due: Names = frozenset()
    read: tuple[Record | None, ...] = (None,) * 6


@dataclass(frozen=True)
class StandingSetting:
    """One model to check. `dropped`: clauses that are taken out."""

    name: str
    dropped: frozenset[tuple[str, str]] = frozenset()


Step = tuple[str, Standing, str]
Change = Callable[[Record], tuple[Record, Names]]  # what is written by what was read, and who is named

TESTS: dict[str, Callable[[Record, Record, str], bool]] = {
    "call_pending": lambda now, read, write: now.open or write != "decide",
    "open_as_seen": lambda now, read, write: now.open == read.open,
    "level_as_seen": lambda now, read, write: (
        now.levels[B] == read.levels[B] and (write == "decide" or not read.open or now.levels[A] == read.levels[A])
    ),
    "handed_as_seen": lambda now, read, write: now.handed == read.handed,
    "reminded_as_seen": lambda now, read, write: now.reminded == read.reminded,
    "mails_as_seen": lambda now, read, write: now.owed == read.owed,
    "same_work_list": lambda now, read, write: now.queue == read.queue,
    "same_moment": lambda now, read, write: not read.owed or now.called == read.called,
}


def _decided(read: Record) -> tuple[Record, Names]:
    return read._replace(open=False), frozenset()


def _handed(read: Record) -> tuple[Record, Names]:
    return read._replace(handed=True), frozenset({"director"})


def _reminded(read: Record) -> tuple[Record, Names]:
    return read._replace(reminded=True), frozenset({"people"})


def _widened(call: int) -> Change:
    def widen(read: Record) -> tuple[Record, Names]:
        levels = (1, read.levels[B]) if call == A else (read.levels[A], 1)
        return read._replace(levels=levels), frozenset() if call == B and read.handed else frozenset({"director"})

    return widen


# write -> what it is called, whether it may begin, and what it makes of what it read
WRITERS: tuple[tuple[str, str, Callable[[Record], bool], Change], ...] = (
    ("decide", "a call is decided", lambda head: head.open, _decided),
    ("reassign", "a call is handed to a director", lambda head: not head.handed, _handed),
    ("remind", "people are reminded", lambda head: not head.reminded, _reminded),
    ("widen", "the next level of the first call is asked", lambda head: head.open and not head.levels[A], _widened(A)),
    ("widen", "the next level of the second call is asked", lambda head: not head.levels[B], _widened(B)),
)
MAILER = len(WRITERS)


def holds(setting: StandingSetting, now: Record, read: Record, write: str) -> bool:
    """Whether a conditional write is carried out, with the clauses of the code."""
    known = (name for name in WRITES[write] if name in TESTS and (write, name) not in setting.dropped)
    return all(TESTS[name](now, read, write) for name in known)


def successors(setting: StandingSetting, s: Standing) -> Iterator[Step]:
    """Every step that anybody can take."""
    for at, (write, label, begins, change) in enumerate(WRITERS):
        read = s.read[at]
        if read is None and begins(s.head):
            yield f"the record is read: {label}", s._replace(read=_put(s.read, at, s.head)), ""
        elif read is not None:
            after = s._replace(read=_put(s.read, at, None))
            if holds(setting, s.head, read, write):
                yield label, _written(after, read, write, change), ""
            else:
                yield f"another look: {label}", after, ""
    yield from _mails(setting, s)


def _written(s: Standing, read: Record, write: str, change: Change) -> Standing:
    """By one rule for all: the queue of the highest level of what is open, and the sweep at once while somebody is to be told."""
    wanted, told = change(read)
    own = {
        name: getattr(wanted, name)
        for name in ("open", "handed", "reminded")
        if getattr(wanted, name) != getattr(read, name)
    }
    levels = (
        tuple(max(pair) for pair in zip(s.head.levels, wanted.levels, strict=True))
        if write == "widen"
        else s.head.levels
    )
    owed = {"owed": read.owed | told} if told else {}
    head = s.head._replace(queue=wanted.seen, called=bool(told or read.owed), **own, **owed)
    return s._replace(head=head._replace(levels=(levels[A], levels[B])), due=s.due | told)


def _mails(setting: StandingSetting, s: Standing) -> Iterator[Step]:
    """notify, called for whoever is to be mailed; the sweep calls it again."""
    read = s.read[MAILER]
    if read is None and s.head.owed and s.head.called:
        yield "whoever is named is mailed", s._replace(due=s.due - s.head.owed, read=_put(s.read, MAILER, s.head)), ""
    elif read is not None:
        after = s._replace(read=_put(s.read, MAILER, None))
        if holds(setting, s.head, read, "mailed"):
            yield (
                "it is written down who is left",
                after._replace(head=s.head._replace(owed=frozenset(), called=False)),
                "",
            )
        else:
            yield "it is looked at who is left", after, ""


def _put(row: tuple[Record | None, ...], at: int, one: Record | None) -> tuple[Record | None, ...]:
    return (*row[:at], one, *row[at + 1 :])


def wrong_state(s: Standing) -> str:
    """What must never be, in any state."""
    if s.head.queue < s.head.seen:
        return "it stands where somebody who may decide it does not look"
    if s.due - s.head.owed:
        return "somebody is to be told, and the record does not say so"
    if s.head.owed and not s.head.called:
        return "somebody is to be told, and nobody comes for it"
    return ""
