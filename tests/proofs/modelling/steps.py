"""One step of anybody: what it is called, the state after it, and what is wrong with it, if anything."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.proofs.modelling.clauses import WRITES
from tests.proofs.modelling.conditions import TESTS
from tests.proofs.modelling.state import Setting, State

Step = tuple[str, State, str]
FAULTS = ("crash", "copy")


@cache
def _tests(setting: Setting, write: str) -> tuple[tuple[str, Any], ...]:
    kept = [one for one, why in WRITES[write].items() if not why and (write, one) not in setting.dropped]
    return tuple((one, TESTS[one]) for one in kept)


def holds(setting: Setting, state: State, write: str, without: tuple[str, ...] = (), **has: Any) -> bool:
    """Whether a conditional write is carried out; `without` names clauses that this write does not carry now."""
    return all(test(state, has) for name, test in _tests(setting, write) if name not in without)


def put(row: tuple[Any, ...], at: int, one: Any) -> tuple[Any, ...]:
    """A row with one place changed."""
    return (*row[:at], one, *row[at + 1 :])


def placed(state: State, place: str, **changes: Any) -> State:
    """Moved to another list, unless an unknown outcome keeps it listed."""
    if state.permit == "unknown":
        return state._replace(**changes)
    return state._replace(place=place, listed=place == "stuck", **changes)


def closed(state: State, call: str, **changes: Any) -> State:
    """The call closes, and with it the pause."""
    after = state._replace(call=call, open_calls=state.open_calls - 1, edges=state.edges | {"closed"}, **changes)
    return placed(after, "out", resume="due")


def machinery(setting: Setting, s: State) -> Iterator[Step]:
    """The stream, the state machine, the clock and the timer."""
    for edge in sorted(s.edges):
        handled = s._replace(edges=s.edges - {edge})
        if edge == "captured":
            yield "dispatch starts the wait", handled._replace(wait="running" if s.wait == "none" else s.wait), ""
        elif edge == "released" and s.open_calls:
            yield "dispatch has the timer set to the deadline again", handled._replace(timer="idle"), ""
        elif s.held and not s.open_calls and not s.cancelled:
            yield f"dispatch has the timer set to the end of the hold ({edge})", handled._replace(timer="hold"), ""
        elif s.wait == "stored" and not s.open_calls:
            yield f"dispatch answers the wait ({edge})", handled._replace(wait="answered", wake=edge != "cancelled"), ""
        else:
            yield f"dispatch finds no token ({edge})", handled, ""
        if s.crashes:
            yield f"crash of dispatch ({edge})", handled._replace(crashes=s.crashes - 1), ""
    if s.copies and s.resume == "due" and "closed" not in s.edges:
        yield "copy of a stream record", s._replace(edges=s.edges | {"closed"}, copies=s.copies - 1), ""
    if s.wait == "running":
        yield from _notify(setting, s)
    if s.due == "running" and (s.call == "pending" or s.window in ("open", "between")):
        yield "the deadline passes", s._replace(due="over"), ""
    if s.lease and s.resume != "done":
        yield from _lease_over(s)
    if setting.stale and s.fresh and s.permit == "free" and s.round == 1:
        yield "the approval gets too old", s._replace(fresh=False), ""
    yield from _timer(setting, s)


def _lease_over(s: State) -> Iterator[Step]:
    """Of a holder that is gone; of one that is only slow as often as copies may come."""
    if not any(len(one) > 1 and one[1] == s.fence for one in s.resumers):
        yield "the lease runs out", s._replace(lease=False), ""
    elif s.copies:
        yield "copy: the lease of a slow resumer runs out", s._replace(lease=False, copies=s.copies - 1), ""


def _notify(setting: Setting, s: State) -> Iterator[Step]:
    if s.crashes:
        yield "crash of notify", s._replace(wait="gone", crashes=s.crashes - 1), ""
    if s.open_calls < 1:
        yield "notify: it is over already", s._replace(wait="answered", wake=not s.cancelled), ""
    elif holds(setting, s, "notify"):
        yield "notify shows it", placed(s, "queue", due="running", wait="stored"), ""
    else:
        yield "notify again", s._replace(wait="stored"), ""


def _timer(setting: Setting, s: State) -> Iterator[Step]:
    over = s.call == "pending" and s.due == "over"
    if s.timer == "idle" and over:
        read = s._replace(timer="read")
        if setting.reads_apart("expire"):
            yield "the timer fires, and reads", read, ""
        else:
            yield from _timer(setting, read)
        if s.crashes:
            yield "crash of escalate", s._replace(timer="lost", crashes=s.crashes - 1), ""
    elif s.timer == "read":
        after = s._replace(timer="idle" if s.due == "over" else "lost")
        if holds(setting, s, "expire"):
            yield "escalate expires it", closed(after._replace(timer="done"), "expired"), ""
        else:
            yield "escalate finds it decided", after._replace(timer="done" if s.call != "pending" else "idle"), ""
    if s.timer == "idle" and s.copies and s.due == "running":
        yield "copy: the timer fires early", s._replace(timer="read", copies=s.copies - 1), ""


def sweep(setting: Setting, s: State) -> Iterator[Step]:
    """The sweep, and the people behind the stuck list."""
    if "no_sweeper" not in setting.bugs:
        yield from _sweep(setting, s)
    if setting.operator and s.permit == "unknown":
        for outcome in ("done", "failed"):
            if holds(setting, s, "reconcile"):
                yield f"an operator settles it: {outcome}", s._replace(permit=outcome), ""
    if setting.operator and s.listed and s.permit not in ("unknown", "claimed"):
        place = "" if s.resume == "done" else "new" if s.open_calls else "out"
        yield "an operator repairs it", s._replace(place=place, listed=False), ""


def _sweep(setting: Setting, s: State) -> Iterator[Step]:
    if s.sweeper[0] == "late":
        yield from _give_up(setting, s._replace(sweeper=("idle",)), *s.sweeper[1:])
        return
    if s.sweeper[0] == "out":
        after = s._replace(sweeper=("idle",))
        if holds(setting, s, "nothing_out", permit=s.sweeper[1], listed=s.sweeper[2]):
            after = placed(after, "")
        yield "sweep: nothing is out any more", after, ""
        return
    if s.place == "new" and s.wait in ("none", "gone") and "captured" not in s.edges:
        yield "sweep starts the wait again", s._replace(wait="running"), ""
    if s.place == "queue" and s.timer in ("lost", "done") and s.due == "over" and s.call == "pending":
        yield "sweep calls escalate", s._replace(timer="read"), ""
    waits = s.place == "out" and s.resume != "done" and not s.held
    if waits and not s.wake and not s.lease and all(one == ("idle",) for one in s.resumers):
        yield "sweep calls resume", s._replace(wake=True), ""
    if s.permit == "claimed" and s.place in ("out", "stuck"):
        late = s._replace(sweeper=("late", s.owner, s.resume, s.beat))
        if setting.reads_apart("give_up") or setting.reads_apart("free_again"):
            yield "sweep finds a claim too old", late, ""
        else:
            yield from _sweep(setting, late)
    if s.place == "out" and s.resume == "done" and s.permit != "claimed":
        ended = s._replace(sweeper=("out", s.permit, s.listed))
        if setting.reads_apart("nothing_out"):
            yield "sweep finds an ended pause", ended, ""
        else:
            yield from _sweep(setting, ended)


def _give_up(setting: Setting, s: State, owner: int, resume: str, beat: int) -> Iterator[Step]:
    """Judged by the record as the sweep read it."""
    wrong = "an attempt is given up that has just renewed" * (s.beat != beat)
    if setting.keyed and resume != "done":
        freed = holds(setting, s, "free_again", worker=owner, beat=beat)
        yield "sweep frees the permit", s._replace(permit="free", owner=-1) if freed else s, wrong * freed
    elif holds(setting, s, "give_up", worker=owner, beat=beat):
        yield "sweep gives it up", s._replace(permit="unknown", place="stuck", listed=True), wrong
    else:
        yield "sweep: it was reported meanwhile", s, ""
