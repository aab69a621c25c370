"""Decisions that may be taken back: whoever does, the end of the hold, and processes of the agent that come too early."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.proofs.modelling.state import IDLE, NOBODY, Setting, State
from tests.proofs.modelling.steps import Step, holds, placed, put


def holding(setting: Setting, s: State) -> Iterator[Step]:
    """The clock, those who take a decision back, and the function that the timer or the sweep calls when the hold is over."""
    if not setting.undoes:
        return
    if s.window == "open" and setting.skewed:
        yield "the time to take it back is over by a clock that is ahead", s._replace(window="between"), ""
    elif s.window in ("open", "between"):
        yield "the time to take it back is over", s._replace(window="over"), ""
    yield from _undoers(setting, s)
    yield from _timer(s)
    if "hold_never_ends" not in setting.bugs:
        yield from _ender(setting, s)


def _undoers(setting: Setting, s: State) -> Iterator[Step]:
    """Those who see the decision on their page, and send; the record is read, and written later."""
    for at, one in enumerate(s.undoers):
        if at and one == s.undoers[at - 1]:
            continue  # the same by another name
        waits = s.yes and s.window in ("open", "between") and s.resume == "due" and s.permit == "free"
        if one == IDLE and waits and s.turn < setting.undoes:
            yield "somebody takes it back, and the record is read", _at(s, at, ("sent", s.turn)), ""
        elif one[0] == "sent":
            yield from _undo(setting, s, at, one[1])


def _undo(setting: Setting, s: State, at: int, turn: int) -> Iterator[Step]:
    done = any(holds(setting, s, "undo", turn=turn, permit="free", ahead=ahead) for ahead in s.clocks)
    if not done:
        yield "it is not taken back", _at(s, at, IDLE), ""
        return
    wrong = "taken back when the time for it was over" * (s.window == "over")
    wrong = wrong or "taken back when it was handed out" * (s.resume in ("offered", "done"))
    wrong = wrong or "taken back by somebody who meant another decision" * (turn != s.turn)
    yield "it is taken back", _at(_undone(setting, s), at, IDLE), wrong


def _undone(setting: Setting, s: State) -> State:
    """It waits again, with the arguments that its decider saw, in the round of its deadline. Pages of before stay open."""
    timer = s.timer if s.held else "lost"  # only the end of a hold is an edge in the stream
    after = s._replace(
        call="pending",
        rev=1,
        votes=frozenset(),
        agreed=(0,) * len(s.agreed),
        fact=None,
        open_calls=s.open_calls + 1,
        permit="none",
        owner=NOBODY,
        resume="not_due",
        turn=min(s.turn + 1, setting.undoes),
        window="",
        held=0,
        timer=timer,
        edges=s.edges | {"released"} if s.held else s.edges,
    )
    return placed(after, "queue")


def _timer(s: State) -> Iterator[Step]:
    if s.timer != "hold":
        return
    if s.call == "pending":
        yield "the timer fires, and is set to the deadline", s._replace(timer="idle"), ""
    elif s.window == "open":
        return  # it is set to the same moment again
    elif s.held and not s.ender:
        yield "the timer fires, and reads that the hold is over", s._replace(timer="done", ender=s.held), ""
    else:
        yield "the timer fires, and nothing is held", s._replace(timer="done"), ""
    if s.crashes:
        yield "crash of escalate", s._replace(timer="lost", crashes=s.crashes - 1), ""


def _ender(setting: Setting, s: State) -> Iterator[Step]:
    """Ends the hold that it read."""
    if s.ender and holds(setting, s, "end_hold", held=s.ender):
        wrong = "a hold is ended that another one read" * (s.ender != s.held)
        yield "escalate ends the hold", s._replace(held=0, ender=0, edges=s.edges | {"released"}), wrong
    elif s.ender:
        yield "escalate finds that nothing is held, or anew", s._replace(ender=0), ""
    elif s.held and s.window == "over" and s.timer in ("lost", "done") and s.place in ("out", "stuck"):
        yield "sweep finds a hold too old", s._replace(ender=s.held), ""


def goes_on_unasked(setting: Setting, s: State) -> bool:
    """Whether a process of the agent, which holds no lease, is let report that its run went on."""
    seen: dict[str, Any] = {"permit": s.permit, "listed": s.listed, "ahead": True}
    return setting.polls and s.resume == "due" and holds(setting, s, "resumed", ("my_fence",), **seen)


def comes_early(setting: Setting, s: State) -> bool:
    """Whether a worker that was handed nothing, and knows what was proposed, is let run it."""
    return setting.polls and not s.given and s.yes and holds(setting, s, "claim", rev=1, ahead=True)


def turned_away(setting: Setting, s: State, rev: int) -> bool:
    """Whether a worker that was handed the decision is refused by a clock that is behind."""
    handed = s.window == "between" and s.resume == "offered" and holds(setting, s, "claim", rev=rev, ahead=True)
    only = "clocks_turn_away" in setting.bugs
    return handed and not holds(setting, s, "claim", rev=rev, ahead=False, clock_only=only)


def _at(s: State, at: int, where: Any) -> State:
    return s._replace(undoers=put(s.undoers, at, where))
