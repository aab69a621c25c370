"""How a call ended, in words: who, what and when first, then what it means for the world."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.canonical import exact_text, parse
from placet.model.errors import Refused
from placet.model.ids import is_pause_id
from placet.service.views import CallView, Decided
from placet.web import phrases

_RAN = {
    "none": "",
    "free": "It has not run yet.",
    "claimed": "The agent is running it; how it went is not reported yet.",
    "done": "It ran.",
    "failed": "It was tried and failed.",
    "unknown": "Whether it ran is not known. A person has to find out before anything is tried again.",
}
_NEVER_RAN = "The run ended without it: it did not run, and under this decision it cannot run any more."
_PASSED = "The policy let this call pass without a person."
_OBSERVED = "Its class only observes, so this passed. Otherwise a person would have been asked."
_LATER = "There is nothing left to decide."


@dataclass(frozen=True)
class Change:
    """One argument that a person changed, with exact texts; empty where the argument was absent."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Ending:
    """What stands over a call that is no longer open.

    Attributes:
        tone: fine, stop or care: the edge of the frame.
        icon: name in `placet.web.icons`.
        head: one sentence or two, the heading.
        says: what it means, one paragraph each.
        reason: what the person wrote, raw; empty where none decided.
        changes: what a person changed.
        successor: the pause that took this one's place; empty: none, or no name of one.
    """

    tone: str
    icon: str
    head: str
    says: tuple[str, ...]
    reason: str
    changes: tuple[Change, ...]
    successor: str = ""


def ending_of(call: CallView, now_ms: int) -> Ending | None:
    """How a call ended, None while it is open. What is over by the clock has ended, whether or not the timer has said so yet."""
    decided = call.decided
    if decided is None:
        return _over(call, now_ms) if call.is_over else None
    tone, icon = _look(decided)
    successor = decided.successor if is_pause_id(decided.successor) else ""
    head, says = _head(decided, now_ms, call.undo_until_ms), _says(decided)
    reason = "" if decided.by_rule else decided.reason
    return Ending(tone, icon, head, says, reason, changes(decided), successor)


def _over(call: CallView, now_ms: int) -> Ending:
    at = phrases.day_clock(call.deadline_ms, now_ms)
    says = (
        "It cannot be accepted any more, by anybody.",
        "What the agent is told of it is recorded here within a minute or two. It may ask again; that will be a new call.",
    )
    head = f"The time to decide ended at {at} UTC. Nobody decided, so nothing runs."
    return Ending("care", "clock", head, says, "", ())


def changes(decided: Decided) -> tuple[Change, ...]:
    """What differs between the proposed and the accepted arguments, in the order of the new ones."""
    if not (decided.before or decided.after):
        return ()
    try:
        before, after = parse(decided.before), parse(decided.after)
    except Refused:
        return (Change("all arguments", decided.before, decided.after),)
    names = [*after, *(name for name in before if name not in after)]
    pairs = [(name, _written(before, name), _written(after, name)) for name in names]
    return tuple(Change(*pair) for pair in pairs if pair[1] != pair[2])


def name_of(decided: Decided, nobody: str = "") -> str:
    """Who decided, to begin a sentence with: `You`, a name, or what is said of nobody known."""
    return "You" if decided.by_you else decided.by or nobody


def _look(decided: Decided) -> tuple[str, str]:
    if decided.state in ("accepted", "edited", "passed"):
        return {"failed": ("stop", "no"), "unknown": ("care", "half")}.get(decided.permit, ("fine", "yes"))
    return {
        "rejected": ("care", "clock") if decided.by_rule else ("stop", "no"),
        "expired": ("care", "clock"),
        "superseded": ("care", "swap"),
        "cancelled": ("care", "swap"),
    }.get(decided.state, ("care", "half"))


def _head(decided: Decided, now_ms: int, undo_until_ms: int = 0) -> str:
    who, when = name_of(decided, "Somebody"), phrases.ago(decided.at_ms, now_ms)
    ago = f" {when}" if when else ""
    at = f" at {phrases.day_clock(decided.at_ms, now_ms)} UTC" if decided.at_ms else ""
    ran = _NEVER_RAN if decided.permit == "free" and decided.ended else _RAN.get(decided.permit, "")
    if undo_until_ms:
        ran = f"It runs after {phrases.clock_s(undo_until_ms)} UTC, unless it is taken back before."
    return {
        "accepted": f"{who} accepted this{ago}. {ran}",
        "edited": f"{who} edited and accepted this{ago}. {ran}",
        "rejected": (
            f"Nobody decided{at or ' in time'}, so the rule of its class rejected this. It does not run."
            if decided.by_rule
            else f"{who} rejected this{ago}. It does not run."
        ),
        "expired": f"This expired{at}. Nobody decided, so nothing runs.",
        "superseded": "The agent replaced this call while it waited.",
        "cancelled": "The agent withdrew this call while it waited.",
        "passed": f"{_OBSERVED if decided.observed else _PASSED} {ran}",
        "repeated": "The agent proposed a call again that was settled before. It got the first answer; nothing ran.",
        "denied": "The policy forbids this call. It does not run.",
    }.get(decided.state, f"This call ended as {decided.state}.").strip()


def _says(decided: Decided) -> tuple[str, ...]:
    told = "was told" if decided.ended else "is told, when its run goes on,"
    return {
        "accepted": (_LATER,),
        "edited": (_LATER,),
        "rejected": (
            f"The agent {told} that {'a rule rejected it, and no person said no' if decided.by_rule else 'a person said no'}.",
            _LATER,
        ),
        "expired": (
            f"The agent {told} “nobody decided”, which is not the same as “a person said no”. "
            "It may ask again; that will be a new call with a new deadline.",
            "A call that has expired cannot be accepted any more, by anybody.",
        ),
        "superseded": ("It can no longer be decided and will never run.",),
        "cancelled": ("It can no longer be decided and will never run.",),
    }.get(decided.state, ())


def _written(values: dict[str, object], name: str) -> str:
    return exact_text(values[name]) if name in values else ""
