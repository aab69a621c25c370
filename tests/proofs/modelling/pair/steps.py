"""Every step that anybody can take on a pause of two calls. A read and the write that it is judged by are two steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.proofs.modelling.pair.clauses import holds
from tests.proofs.modelling.pair.state import Pair, PairSetting, Seen

Step = tuple[str, Pair, str]


def successors(setting: PairSetting, s: Pair) -> Iterator[Step]:
    """The steps from one state: what it is called, the state after it, what is wrong with it."""
    yield from _time(setting, s)
    yield from _notify(setting, s)
    yield from _deciders(setting, s)
    yield from _expiry(setting, s)
    yield from _worker(setting, s)
    yield from _sweep(setting, s)
    yield from _run(setting, s)
    yield from _cancel(setting, s)


def _closed(s: Pair, seen: Seen, closing: tuple[str, ...], **changes: Any) -> Pair:
    """The record once these calls are closed: where it stands is judged by what was read."""
    after = s._replace(open_calls=s.open_calls - len(closing), **changes)
    if set(seen.open_names) - set(closing):
        return after
    return _to_agent(after, seen, resume="due")


def _to_agent(s: Pair, seen: Seen, **changes: Any) -> Pair:
    """Onto the agent's list, unless what was read has an unknown outcome: then onto the stuck list, or left there."""
    if seen.permit == "unknown":
        stays = {} if seen.listed else {"place": "stuck", "listed": True}
        return s._replace(**changes, **stays)
    return s._replace(place="out", listed=False, **changes)


def _time(setting: PairSetting, s: Pair) -> Iterator[Step]:
    for name in ("a", "b"):
        if getattr(s, f"{name}_due") == "running" and getattr(s, name) == "pending":
            yield f"the deadline of {name} passes", s._replace(**{f"{name}_due": "over"}), ""
    if setting.stale and s.fresh and s.permit == "free" and s.round == 1:
        yield "the approval gets too old", s._replace(fresh=False), ""


def _notify(setting: PairSetting, s: Pair) -> Iterator[Step]:
    if s.notifier is None and s.place == "new" and not s.shown and s.open_calls:
        yield "notify reads", s._replace(notifier=s.seen), ""
    if s.notifier is None:
        return
    seen, after = s.notifier, s._replace(notifier=None)
    if not holds(setting, s, "notify", seen, urgent=seen.open_names[:1]):
        yield "notify: it got on meanwhile", after, ""
        return
    anew = "deadlines_anew" in setting.bugs
    names = [name for name in seen.open_names if anew or getattr(seen, f"{name}_due") == "hidden"]
    moved = [name for name in names if getattr(s, f"{name}_due") != "hidden"]
    wrong = f"the deadline of {moved[0]}, which nobody touched, is moved" if moved else ""
    shown = {f"{name}_due": "running" for name in names}
    after = after._replace(shown=True, place="queue", listed=False, watched=seen.permit == "claimed", **shown)
    yield "notify shows it", after, wrong


def _deciders(setting: PairSetting, s: Pair) -> Iterator[Step]:
    for name, verdicts in (("a", setting.verdicts_a), ("b", setting.verdicts_b)):
        slot = f"decider_{name}"
        seen = getattr(s, slot)
        if seen is None and getattr(s, name) == "pending" and getattr(s, f"{name}_due") == "running":
            yield f"the reviewer of {name} sends, and the record is read", s._replace(**{slot: s.seen}), ""
        if seen is None:
            continue
        after = s._replace(**{slot: None})
        if not _closes(setting, s, "decide", seen, (name,)):
            yield f"the reviewer of {name} is refused, or tries again", after, ""
            continue
        for verdict in verdicts:
            changes: dict[str, Any] = {name: verdict}
            if (name, verdict) == ("a", "accepted"):
                changes |= {"permit": "free", "fresh": True}
            yield f"{name} is {verdict}", _closed(after, seen, (name,), **changes), ""


def _expiry(setting: PairSetting, s: Pair) -> Iterator[Step]:
    if s.clock is None:
        if any((getattr(s, name), getattr(s, f"{name}_due")) == ("pending", "over") for name in ("a", "b")):
            yield "escalate reads", s._replace(clock=s.seen), ""
        return
    seen, after = s.clock, s._replace(clock=None)
    over = tuple(name for name in seen.open_names if getattr(seen, f"{name}_due") == "over")
    if _closes(setting, s, "expire", seen, over):
        ended = dict.fromkeys(over, "expired")
        yield f"{' and '.join(over)} expire", _closed(after, seen, over, **ended), ""
    else:
        yield "escalate looks again", after, ""


def _closes(setting: PairSetting, s: Pair, write: str, seen: Seen, closing: tuple[str, ...]) -> bool:
    """Whether a write that closes calls is carried out: judged by what is left, or, as the last, by the permits."""
    left = [name for name in seen.open_names if name not in closing]
    judged = "permits_as_seen" if not left else "urgent_pending"
    if any(getattr(seen, f"{name}_due") == "hidden" for name in left):
        judged = "not_notified"
    # What leaves it in its queue by another moment carries permits_as_seen too; that takes a third call, which no pair has.
    without = tuple({"permits_as_seen", "urgent_pending", "not_notified"} - {judged})
    return holds(setting, s, write, seen, without=without, calls=closing, urgent=left)


def _worker(setting: PairSetting, s: Pair) -> Iterator[Step]:
    due = s.open_calls == 0 or setting.early
    if s.worker == "idle" and due and s.a == "accepted" and s.permit == "free":
        if holds(setting, s, "claim", s.seen):
            yield (
                "the worker claims a",
                s._replace(permit="claimed", worker="acts", tried=setting.keyed, watched=True),
                "",
            )
        elif not s.fresh and s.report is None:
            yield "the approval is too old, and the record is read", s._replace(worker="asks", report=s.seen), ""
    elif s.worker == "acts":
        told = s._replace(permit="done") if s.permit in ("claimed", "unknown") else s
        yield "the worker reports done", told._replace(worker="idle"), ""
        if setting.doubts:
            yield "the worker does not know, and the record is read", s._replace(worker="doubts", report=s.seen), ""
        if s.crashes:
            yield "crash of the worker", s._replace(worker="idle", crashes=s.crashes - 1), ""
    elif s.worker == "doubts" and s.report is not None:
        yield (
            "the worker reports unknown",
            _unknown(setting, s._replace(worker="idle", report=None), "outcome", s.report),
            "",
        )
    elif s.worker == "asks" and s.report is not None:
        yield from _asks_again(setting, s._replace(worker="idle", report=None), s.report)


def _unknown(setting: PairSetting, s: Pair, write: str, seen: Seen) -> Pair:
    """The outcome becomes unknown: listed in the same write, unless people still have something to decide."""
    if not holds(setting, s, write, seen):
        return s
    after = s._replace(permit="unknown")
    return after if seen.open_calls else after._replace(place="stuck", listed=True)


def _asks_again(setting: PairSetting, s: Pair, seen: Seen) -> Iterator[Step]:
    if seen.tried:
        yield "nobody will try it again", _unknown(setting, s, "give_up_tried", seen), ""
    elif holds(setting, s, "reopen", seen):
        again = s._replace(a="pending", a_due="hidden", open_calls=s.open_calls + 1, gen=s.gen + 1, round=2)
        again = again._replace(permit="none", shown=False, place="new", listed=False, resume="not_due")
        yield "a is asked for again", again, ""
    else:
        yield "it got on meanwhile", s, ""


def _sweep(setting: PairSetting, s: Pair) -> Iterator[Step]:
    if s.sweeper is None:
        if s.permit == "claimed" and s.worker == "idle":
            yield "the sweep finds a claim too old", s._replace(sweeper=("late", s.seen)), ""
        if s.place == "out" and s.resume == "done" and s.permit != "claimed":
            yield "the sweep finds an ended pause", s._replace(sweeper=("ended", s.seen)), ""
        return
    (what, seen), after = s.sweeper, s._replace(sweeper=None)
    if what == "ended":
        held = holds(setting, s, "nothing_out", seen)
        yield "the sweep: nothing is out any more", after._replace(place="", listed=False) if held else after, ""
    elif setting.keyed and seen.resume != "done":
        freed = holds(setting, s, "free_again", seen)
        yield "the sweep frees the permit", after._replace(permit="free") if freed else after, ""
    else:
        yield "the sweep gives it up", _unknown(setting, after, "give_up", seen), ""


def _run(setting: PairSetting, s: Pair) -> Iterator[Step]:
    """The run goes on once every call is decided; what it reports is judged by what was read."""
    if s.resumer is None:
        if s.resume == "due":
            yield "the run goes on, and the record is read", s._replace(resumer=s.seen), ""
        return
    seen, after = s.resumer, s._replace(resumer=None)
    without = () if (seen.permit, seen.tried) == ("free", False) else ("never_tried",)
    if not holds(setting, s, "resumed", seen, without=without):
        yield "the report is made again", after, ""
    elif seen.permit == "free" and seen.tried:
        yield (
            "the run has gone on, an attempt is listed",
            after._replace(resume="done", permit="unknown", place="stuck", listed=True),
            "",
        )
    elif seen.permit == "claimed":
        yield "the run has gone on, a permit is out", _to_agent(after, seen, resume="done"), ""
    else:
        yield "the run has gone on", _off(after, seen, resume="done"), ""


def _off(s: Pair, seen: Seen, **changes: Any) -> Pair:
    if seen.permit == "unknown":
        return _to_agent(s, seen, **changes)
    return s._replace(place="", listed=False, **changes)


def _cancel(setting: PairSetting, s: Pair) -> Iterator[Step]:
    if not setting.stops or s.cancelled or s.resume == "done":
        return
    if s.stopper is None:
        yield "cancel reads", s._replace(stopper=s.seen), ""
        return
    seen, after = s.stopper, s._replace(stopper=None)
    without = ("permits_as_seen",) if seen.a != "accepted" else ()
    without += () if (seen.permit, seen.tried) == ("free", False) else ("never_tried",)
    if not holds(setting, s, "cancel", seen, without=without, calls=seen.open_names):
        yield "cancel looks again", after, ""
        return
    ended = dict.fromkeys(seen.open_names, "cancelled")
    after = _off(after, seen, cancelled=True, resume="done", open_calls=s.open_calls - len(ended), **ended)
    if seen.permit == "free" and seen.tried:
        after = after._replace(permit="unknown", place="stuck", listed=True)
    elif seen.permit == "claimed":
        after = after._replace(place="stuck", listed=True)
    yield "cancel", after, ""
