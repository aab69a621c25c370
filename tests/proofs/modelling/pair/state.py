"""The state of a pause of two calls: `a` may run, `b` is decided beside it; and everybody who read and has not written yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

NOTHING: tuple[str, ...] = ()


class Seen(NamedTuple):
    """What a verb read of the record and judges its write by."""

    a: str
    b: str
    a_due: str
    b_due: str
    open_calls: int
    permit: str
    tried: bool
    listed: bool
    gen: int
    resume: str

    @property
    def open_names(self) -> tuple[str, ...]:
        """The calls that waited for a person then."""
        return tuple(name for name in ("a", "b") if getattr(self, name) == "pending")


class Pair(NamedTuple):
    """Everything, in one hashable value.

    Attributes:
        a, b: states of the two calls; a_due, b_due: their deadlines (`hidden`, `running`, `over`).
        permit, tried, fresh: of call `a`; tried: it was claimed once and freed again. Call `b` never runs.
        shown: whether the pause is visible; gen: generation of its wait; round: of call `a`.
        place: the work list; listed: whether the record calls itself stuck.
        decider_a, decider_b, clock, notifier, sweeper, resumer, worker, stopper: what each has read, or where it stands.
        watched: whether the sweep comes in time for a claim of a pause in a queue.
        crashes: how many workers may still die.
    """

    a: str = "pending"
    b: str = "pending"
    a_due: str = "hidden"
    b_due: str = "hidden"
    open_calls: int = 2
    permit: str = "none"
    tried: bool = False
    fresh: bool = True
    shown: bool = False
    gen: int = 1
    round: int = 1
    place: str = "new"
    listed: bool = False
    resume: str = "not_due"
    cancelled: bool = False
    decider_a: Seen | None = None
    decider_b: Seen | None = None
    clock: Seen | None = None
    notifier: Seen | None = None
    sweeper: tuple[str, Seen] | None = None
    resumer: Seen | None = None
    worker: str = "idle"
    report: Seen | None = None
    stopper: Seen | None = None
    watched: bool = False
    crashes: int = 0

    @property
    def seen(self) -> Seen:
        """The record as a verb reads it now."""
        return Seen(*(getattr(self, name) for name in Seen._fields))


@dataclass(frozen=True)
class PairSetting:
    """One model of two calls to check.

    Attributes:
        verdicts_a, verdicts_b: what the reviewers of each call may say.
        early: whether a worker may claim call `a` while its sibling is open.
        keyed, stops, stale: whether the tool takes an idempotency key, the run may be cancelled, an approval get too old.
        passes: whether the policy let call `a` pass at capture, so that it may be claimed before the pause is shown.
        doubts: whether a worker may report that it does not know.
        dropped: clauses that are taken out; bugs: other planted ones, by name.
    """

    name: str
    verdicts_a: tuple[str, ...] = ("accepted",)
    verdicts_b: tuple[str, ...] = ("rejected",)
    crashes: int = 1
    early: bool = True
    keyed: bool = False
    stops: bool = False
    stale: bool = False
    doubts: bool = False
    passes: bool = False
    dropped: frozenset[tuple[str, str]] = frozenset()
    bugs: frozenset[str] = frozenset()


def resting(pair: Pair) -> Pair:
    """Without what means nothing while no claim is out."""
    return pair if pair.permit == "claimed" else pair._replace(watched=False)


def first_pair(setting: PairSetting) -> Pair:
    """A pause that was just captured."""
    if setting.passes:
        return Pair(a="accepted", permit="free", open_calls=1, crashes=setting.crashes)
    return Pair(crashes=setting.crashes)
