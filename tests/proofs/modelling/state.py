"""The state of the model: one pause of one call, everybody who works on it, and what may still go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

NOBODY, DEAD = -1, 9


class State(NamedTuple):
    """Everything, in one hashable value. What the record does not hold is marked as ghost: only the checker sees it.

    Attributes:
        call, rev, votes, permit, owner, tried, round: of the one call; `votes` are voters, all for the present revision.
        agreed: ghost, the revision that each reviewer agreed to last.
        fact: the event of the decision: (reviewer, verdict, revision).
        due: the deadline: `hidden` (not shown yet), `running`, `over`; `sealed` when the call is closed, and checked.
        fresh: whether an approval is still fresh.
        place, listed: the work list, and whether the record calls itself stuck.
        edges: records in the stream that nobody has handled; wait: none, running, token stored; wake: resume has to be called.
        given: the revision that was delivered to workers; told: ghost, whether the run ever got an answer.
        beat: how often the attempt that holds the permit said that it is still at it: never or once.
        effects, effect: ghost, how often the tool acted, and on which revision.
        turn: how often its decision was taken back. It goes into each revision, which is never one of an earlier turn.
        window: the time to take the decision back: none, `open`, `between` (over by clocks that are ahead), `over`.
        held: whether the run is held for that, and for which decision: 0, or one more than the turn of the decision.
        answered: how often its agent answered a question about it, which goes into the revision as a turn does.
        ender: which hold the timer's function read and is about to end, or 0.
        people, timer, stopper, sweeper, resumers, workers, undoers: where everybody stands, with what each has read.
        crashes, copies: what may still go wrong.
    """

    call: str
    rev: int
    votes: frozenset[int]
    agreed: tuple[int, ...]
    fact: tuple[int, str, int] | None
    open_calls: int
    due: str
    fresh: bool
    place: str
    listed: bool
    resume: str
    fence: int
    lease: bool
    permit: str
    owner: int
    tried: bool
    round: int
    cancelled: bool
    member: bool
    edges: frozenset[str]
    wait: str
    wake: bool
    given: int
    told: bool
    beat: int
    effects: int
    effect: int
    turn: int
    window: str
    held: int
    ender: int
    answered: int
    people: tuple[Any, ...]
    timer: str
    stopper: Any
    sweeper: Any
    resumers: tuple[Any, ...]
    workers: tuple[Any, ...]
    undoers: tuple[Any, ...]
    crashes: int
    copies: int

    @property
    def shown(self) -> int:
        """The revision that a page shows: the arguments (`rev`), of which turn, after how many answers."""
        return self.rev + 10 * (self.turn + self.answered)

    @property
    def yes(self) -> bool:
        """Whether the call is approved."""
        return self.call in ("accepted", "edited")

    @property
    def is_held(self) -> bool:
        """Whether its run is kept from going on, by every clock."""
        return bool(self.held) and self.window == "open" and self.resume == "due"

    @property
    def clocks(self) -> tuple[bool, ...]:
        """Whose clock a step may be judged by: one that is ahead (True), where that makes a difference."""
        return (False, True) if self.window == "between" else (False,)


@dataclass(frozen=True)
class Setting:
    """One model to check.

    Attributes:
        verdicts: what each reviewer may say.
        keyed: whether the tool takes an idempotency key; then acting again under the same key is no second effect.
        stops, leaves, stale, operator: whether the run may be cancelled, the first reviewer lose the membership, an approval get
            too old, a person settle unknowns.
        renews: whether a worker says that it is still at it.
        undoes: how often a decision may be taken back; 0: there is no time for it, and no run is held.
        skewed: whether that time is over by some clocks before it is by others.
        answers: how often the agent may answer what it is asked; a question itself moves nothing.
        polls: whether processes of the agent come by themselves, too early as well.
        apart: whether every read is a step of its own. Otherwise it is one with its write where the write's clauses hold all that
            was read; a decision is always judged on what was read before.
        dropped: clauses that are taken out: planted bugs; bugs: other planted ones, by name.
    """

    name: str
    verdicts: tuple[str, ...]
    quorum: int
    resumers: int = 2
    workers: int = 2
    crashes: int = 2
    copies: int = 2
    keyed: bool = False
    stops: bool = False
    leaves: bool = False
    stale: bool = False
    operator: bool = False
    renews: bool = False
    undoes: int = 0
    answers: int = 0
    skewed: bool = False
    polls: bool = False
    apart: bool = False
    dropped: frozenset[tuple[str, str]] = frozenset()
    bugs: frozenset[str] = frozenset()

    def reads_apart(self, write: str) -> bool:
        """Whether others may come between the read and this write."""
        return self.apart or any(one == write for one, _ in self.dropped)


IDLE = ("idle",)


def first(setting: Setting) -> State:
    """A pause that was just captured."""
    return State(
        call="pending",
        rev=1,
        votes=frozenset(),
        agreed=(0,) * len(setting.verdicts),
        fact=None,
        open_calls=1,
        due="hidden",
        fresh=True,
        place="new",
        listed=False,
        resume="not_due",
        fence=0,
        lease=False,
        permit="none",
        owner=NOBODY,
        tried=False,
        round=1,
        cancelled=False,
        member=True,
        edges=frozenset({"captured"}),
        wait="none",
        wake=False,
        given=0,
        told=False,
        beat=0,
        effects=0,
        effect=0,
        turn=0,
        window="",
        held=0,
        ender=0,
        answered=0,
        people=(IDLE,) * len(setting.verdicts),
        timer="idle",
        stopper=IDLE,
        sweeper=IDLE,
        resumers=(IDLE,) * setting.resumers,
        workers=(IDLE,) * setting.workers,
        undoers=(IDLE,) * (2 if setting.undoes else 0),
        crashes=setting.crashes,
        copies=setting.copies,
    )


def sealed(setting: Setting, state: State) -> State:
    """A closed call, without what no further step can depend on.

    While call_pending guards deciding and expiring, whoever still reads the call as open can only be refused, and the answer is
    judged when the call closes. So timers and reviewers come to rest, and how it was decided is forgotten once it was checked.
    A decision that may be taken back is not closed in this sense.
    """
    if state.due == "sealed" and state.resume == "done" and state.window:
        state = state._replace(window="", turn=0)
    if (
        state.call == "pending"
        or state.due == "sealed"
        or _drops(setting, "decide", "expire", "answer")
        or (setting.undoes and _may_be_undone(setting, state))
    ):
        return state
    nobody = (0,) * len(state.agreed)
    rest = {"votes": frozenset(), "agreed": nobody, "fact": None, "people": (IDLE,) * len(nobody)}
    rest |= {} if setting.undoes else {"answered": 0}
    rest |= {"timer": state.timer if state.timer == "hold" else "done", "undoers": (IDLE,) * len(state.undoers)}
    return state._replace(due="sealed", **rest)


def _drops(setting: Setting, *writes: str) -> bool:
    return any(write in writes for write, _ in setting.dropped)


def _may_be_undone(setting: Setting, state: State) -> bool:
    """By the record, or by somebody who has read it and whom no clause stops."""
    return _drops(setting, "undo") or (state.window in ("open", "between") and state.resume == "due")


def same_but_for_names(state: State) -> State:
    """Resumers are alike and workers are alike: of states that differ in their names only, one is looked at."""
    resumers = tuple(sorted(state.resumers))
    order = sorted(range(len(state.workers)), key=lambda at: (state.workers[at], state.owner == at))
    owner = order.index(state.owner) if state.owner in order else state.owner
    return state._replace(
        resumers=resumers,
        undoers=tuple(sorted(state.undoers)),
        workers=tuple(state.workers[at] for at in order),
        owner=owner,
    )
