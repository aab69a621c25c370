"""Breadth-first through every reachable state; the first wrong one is told with the shortest way to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.proofs.modelling import actors, asking, standing, steps
from tests.proofs.modelling.asking import Asked, AskedSetting
from tests.proofs.modelling.holding import holding
from tests.proofs.modelling.moves import MOVES
from tests.proofs.modelling.pair import judging as pair
from tests.proofs.modelling.pair.state import PairSetting, first_pair, resting
from tests.proofs.modelling.pair.steps import successors as pair_successors
from tests.proofs.modelling.standing import Standing, StandingSetting
from tests.proofs.modelling.state import Setting, State, first, same_but_for_names, sealed
from tests.proofs.modelling.steps import FAULTS, Step


@dataclass
class Checked:
    """What was found: how many states, which moves were taken, and the first wrong thing with the steps to it."""

    states: int = 0
    moves: set[tuple[str, str, str]] = field(default_factory=set)
    wrong: str = ""
    trace: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Model:
    """What the checker asks of a model.

    Attributes:
        first: the state that it begins with.
        successors: every step that anybody can take: label, state after it, what is wrong with it.
        settled: a state without what no further step can depend on.
        wrong: what must never be, in any state; wrong_end: what must not be where nothing goes on any more.
        parts: (attribute, what it is a state of) of what moves by the transition table.
    """

    first: Callable[[Any], Any]
    successors: Callable[[Any, Any], Iterator[tuple[str, Any, str]]]
    settled: Callable[[Any, Any], Any]
    wrong: Callable[[Any, Any], str]
    wrong_end: Callable[[Any], str]
    parts: tuple[tuple[str, str], ...]


def successors(setting: Setting, state: State) -> Iterator[Step]:
    """Every step that anybody can take."""
    for part in (
        steps.machinery,
        steps.sweep,
        actors.reviewers,
        actors.extender,
        actors.answerer,
        holding,
        actors.stopper,
        actors.resumers,
        actors.workers,
    ):
        yield from part(setting, state)


def check(setting: Setting | PairSetting | AskedSetting | StandingSetting, most: int = 0) -> Checked:
    """Look at every state; stops at the first violation, or after `most` states."""
    model = MODELS[type(setting)]
    start = model.first(setting)
    found, came = Checked(), {start: (start, "")}
    level = [start]
    while level and not found.wrong:
        following: list[Any] = []
        for state in level:
            following += _look(model, setting, state, came, found)
            if found.wrong:
                break
        level = following
        if most and len(came) > most:
            break
    found.states = len(came)
    return found


def _look(model: Model, setting: Any, state: Any, came: dict[Any, tuple[Any, str]], found: Checked) -> list[Any]:
    """The new states after one; sets `found.wrong`."""
    new, goes_on = [], False
    for label, raw, wrong in model.successors(setting, state):
        wrong = wrong or _moved(model, found, state, raw) or model.wrong(setting, raw)
        after = model.settled(setting, raw)
        goes_on = goes_on or not (label.startswith(FAULTS) or "crash" in label or "copy" in label)
        if after not in came:
            came[after] = (state, label)
            new.append(after)
        if wrong:
            found.wrong, found.trace = wrong, [*_way(came, state), label]
            return []
    if not goes_on and (wrong := model.wrong_end(state)):
        found.wrong, found.trace = wrong, _way(came, state)
    return new


def _moved(model: Model, found: Checked, before: Any, after: Any) -> str:
    """Note the moves of a step; what is wrong when the table has no such move."""
    moves = [
        (what, getattr(before, name), getattr(after, name))
        for name, what in model.parts
        if getattr(before, name) != getattr(after, name)
    ]
    found.moves.update(moves)
    return next((f"a {what} went from {old} to {new}" for what, old, new in moves if (what, old, new) not in MOVES), "")


def _way(came: dict[Any, tuple[Any, str]], state: Any) -> list[str]:
    """The labels from the start to a state."""
    labels: list[str] = []
    while came[state][1]:
        state, label = came[state]
        labels.append(label)
    return labels[::-1]


def wrong_state(setting: Setting, s: State) -> str:
    """What must never be, in any state."""
    if s.open_calls != (s.call == "pending"):
        return "open_calls and the call say different things"
    if s.due != "sealed" and (wrong := _wrong_decision(setting, s)):
        return wrong
    if s.effects > 1 and not setting.keyed:
        return "the tool acted twice"
    if s.effects and (s.call not in ("accepted", "edited") or s.effect != s.rev):
        return "the tool acted on what was not approved"
    if s.permit in ("claimed", "unknown") and not s.place:
        return "nobody looks after a permit that is out"
    if s.window == "open" and s.resume in ("offered", "done") and not s.cancelled:
        return "handed out while its decision may be taken back"
    if s.listed != (s.place == "stuck"):
        return "the record and the stuck list say different things"
    return ""


def _wrong_decision(setting: Setting, s: State) -> str:
    if s.call in ("accepted", "edited", "rejected") and (s.fact is None or s.fact[1] not in _TOLD[s.call]):
        return "a decision without its event"
    if s.call in ("accepted", "edited"):
        if len(s.votes) < setting.quorum:
            return "approved by fewer people than the quorum"
        if any(s.agreed[by] != s.shown for by in s.votes):
            return "approved by somebody who agreed to other arguments"
    elif s.call in ("expired", "cancelled") and s.fact is not None:
        return "a decision was undone"
    elif any(rev == s.shown and by not in s.votes for by, rev in enumerate(s.agreed)):
        return "a vote was lost"
    return ""


def wrong_answer(s: State) -> str:
    """What nobody may have been told: a no to somebody whose decision stands, a yes to somebody who wrote nothing."""
    for by, at in enumerate(s.people):
        stands = s.fact is not None and s.fact[0] == by
        if at[0] == "told" and at[1] == "no" and stands and s.fact is not None and s.fact[1] == at[3]:
            return "told no, although the decision stands"
    return ""


_TOLD = {"accepted": ("accept",), "edited": ("accept", "edit"), "rejected": ("reject",)}


def wrong_end(s: State) -> str:
    """What must not be where nothing goes on any more."""
    if s.place == "stuck":
        return ""
    if s.resume != "done":
        return "the pause neither ends nor is listed"
    if not s.told and not s.cancelled:
        return "the run was never told"
    if s.permit == "free" and s.tried:
        return "an attempt that may have acted is on no list"
    return "a permit is out for ever" if s.permit in ("claimed", "unknown") else ""


ONE = Model(
    first=first,
    successors=successors,
    settled=lambda setting, state: same_but_for_names(sealed(setting, state)),
    wrong=lambda setting, state: wrong_state(setting, state) or wrong_answer(state),
    wrong_end=wrong_end,
    parts=(("call", "call"), ("permit", "permit")),
)
PAIR = Model(
    first=first_pair,
    successors=pair_successors,
    settled=lambda setting, state: resting(state),
    wrong=lambda setting, state: pair.wrong_state(state),
    wrong_end=pair.wrong_end,
    parts=(("a", "call"), ("b", "call"), ("permit", "permit")),
)
ASKED = Model(
    first=lambda setting: Asked(),
    successors=asking.successors,
    settled=lambda setting, state: asking.settled(state),
    wrong=lambda setting, state: "",
    wrong_end=asking.wrong_end,
    parts=(("call", "call"),),
)
STANDING = Model(
    first=lambda setting: Standing(),
    successors=standing.successors,
    settled=lambda setting, state: state,
    wrong=lambda setting, state: standing.wrong_state(state),
    wrong_end=lambda state: "",
    parts=(),
)
MODELS: dict[type, Model] = {Setting: ONE, PairSetting: PAIR, AskedSetting: ASKED, StandingSetting: STANDING}
