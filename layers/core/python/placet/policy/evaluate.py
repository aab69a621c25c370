"""Asking the policy: which gate a call meets, in which class, which rules fired, and what they have to know for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from placet.model.argument_places import names_of
from placet.policy.classes import ActionClass
from placet.policy.facts import MOST_QUESTIONS, NO_FACTS, Facts, OrderSeen, Question, Seen, Spending, Unjudged
from placet.policy.rules import Always, Effect, Policy, Rule, Tool
from placet.policy.sampling import Sample

UNKNOWN_TOOL = Always("policy/unknown-tool", "The policy does not know this tool, so a person has to look.")

DENIED_TOOL = Always("policy/denied-tool", "The policy forbids this tool.")

_OURS = f"{__package__}."
LONGEST_SAYING = 300  # characters that a rule adds to its sentence


@dataclass(frozen=True)
class Ruling:
    """What the policy says of one call.

    Attributes:
        review: True when a person has to decide; False when the call passes.
        denied: True when nobody may let it through.
        fired: (rule id, sentence) of every rule that fired; where one could not be judged, the sentence says why. Of a denied call
            those that deny it.
        sampled: (rule id, sentence) of every sample that the call is in.
        observed: True when a person would have to decide, and the class only observes.
        unsure: (rule id, sentence) of every denial that could not tell; they are among those that fired, and observing spares none.
    """

    review: bool
    action_class: ActionClass
    fired: tuple[tuple[str, str], ...]
    denied: bool = False
    sampled: tuple[tuple[str, str], ...] = ()
    observed: bool = False
    unsure: tuple[tuple[str, str], ...] = ()


def rule_on(policy: Policy, tool: str, arguments: dict[str, Any], facts: Facts = NO_FACTS) -> Ruling:
    """The ruling on one call. A tool that the policy does not name is reviewed in its `unknown_class`.

    Never raises: a rule that cannot tell, raises or answers with anything but True and False has fired. What a rule does to its
    arguments, no other rule sees, and nothing that is stored.
    """
    known = policy.tools.get(tool)
    if known is None:
        return Ruling(True, policy.classes[policy.unknown_class], _named(UNKNOWN_TOOL))
    if known.denied:
        return Ruling(False, policy.classes[known.action_class], _named(DENIED_TOOL), denied=True)
    facts, action_class = _known(facts, tool), policy.classes[known.action_class]
    denied = [one for rule in known.denies if (one := _judged(rule, arguments, facts))]
    if certain := tuple(one.pair for one in denied if one.certain):
        return Ruling(False, action_class, certain, denied=True)
    observes = action_class.observe and not denied  # what may be forbidden is not there to be tried out
    asked = [*denied, *(one for rule in known.rules if (one := _judged(rule, arguments, facts)))]
    return Ruling(
        bool(asked) and not observes,
        action_class,
        tuple(one.pair for one in asked),
        sampled=tuple(pair for rule in known.rules if _marks(rule, arguments, facts) for pair in _named(rule)),
        observed=bool(asked) and observes,
        unsure=tuple(one.pair for one in denied),
    )


def questions_of(
    policy: Policy, tool: str, arguments: dict[str, Any], facts: Facts = NO_FACTS, *, only_denials: bool = False
) -> tuple[Question, ...]:
    """What has to be read before `rule_on` can judge this call: at most `MOST_QUESTIONS`, each once, in the rules' order.

    Never raises. What a rule cannot ask, and what is over the limit, stays without an answer, and its rule fires.
    """
    known = policy.tools.get(tool)
    if known is None or known.denied:
        return ()
    facts, found = _known(facts, tool), dict[Question, None]()
    for rule in known.denies if only_denials else (*known.denies, *known.rules):
        for question in _asked(rule, arguments, facts):
            if len(found) == MOST_QUESTIONS:
                return tuple(found)
            found[question] = None
    return tuple(found)


def gates(policy: Policy) -> dict[str, str]:
    """The gate list of the SDK: `free` or `pause` by tool name. Tools that are not in it pause."""
    return {name: "free" if tool.free else "pause" for name, tool in sorted(policy.tools.items())}


def tool_of(policy: Policy, name: str) -> Tool:
    """The policy's entry for a tool; an unknown one is treated as impossible to undo."""
    return policy.tools.get(name) or Tool(name, policy.unknown_class, (UNKNOWN_TOOL,), effect=Effect.NEVER)


def fixed_in(tool: Tool, arguments: Iterable[str]) -> list[str]:
    """The names that no edit may change, of those under which arguments stand; in order."""
    fixed = {name for one in tool.fixed for name in names_of(one)}
    return sorted(fixed.intersection(arguments))


@dataclass(frozen=True)
class _Fired:
    """A rule that fired: `certain` when it said so itself, and did not fail to tell."""

    pair: tuple[str, str]
    certain: bool


def _known(facts: Facts, tool: str) -> Facts:
    """The facts with the tool, and nothing of them that a rule could change."""
    return replace(facts, tool=tool, numbers=MappingProxyType(facts.numbers), answers=MappingProxyType(facts.answers))


def _own(rule: Rule, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as a rule may do with them what it likes: a copy, unless the rule is one of our kinds, which only read."""
    return arguments if type(rule).__module__.startswith(_OURS) else _copy(arguments)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    return [_copy(one) for one in value] if isinstance(value, list) else value


def _judged(rule: Rule, arguments: dict[str, Any], facts: Facts) -> _Fired | None:
    """The rule with its sentence if it fired, or with why it could not be judged."""
    try:
        fires: object = rule.fires(_own(rule, arguments), facts)
    except Unjudged as missing:
        return _unjudged(rule, missing.why)
    except Exception as error:
        return _unjudged(rule, f"the rule failed ({type(error).__name__})")
    if not isinstance(fires, bool):
        return _unjudged(rule, "the rule answered neither True nor False")
    return _Fired((rule.id, _sentence(rule, arguments, facts)), certain=True) if fires else None


def _unjudged(rule: Rule, why: str) -> _Fired:
    return _Fired((rule.id, f"{rule.sentence} This could not be judged: {why}.".lstrip()), certain=False)


def _sentence(rule: Rule, arguments: dict[str, Any], facts: Facts) -> str:
    """The rule's sentence, and what more it can say; one that fails to say more has said enough."""
    says = getattr(rule, "says", None)
    try:
        more: object = says(_own(rule, arguments), facts) if says is not None else ""
    except Exception:
        more = ""
    return f"{rule.sentence} {more[:LONGEST_SAYING]}".strip() if isinstance(more, str) else rule.sentence


def _marks(rule: Rule, arguments: dict[str, Any], facts: Facts) -> bool:
    """Whether it is a sample that the call is in; one that fails marks it."""
    if not isinstance(rule, Sample):
        return False
    try:
        return rule.marks(_own(rule, arguments), facts)
    except Exception:
        return True


def _asked(rule: Rule, arguments: dict[str, Any], facts: Facts) -> Iterator[Question]:
    """A rule's questions; those of one that fails are the ones before it failed."""
    asks = getattr(rule, "asks", None)
    if asks is None:
        return
    try:
        for question in islice(asks(_own(rule, arguments), facts), MOST_QUESTIONS):
            if isinstance(question, Seen | OrderSeen | Spending):
                yield question
    except Exception:
        return  # `fires` fails for the same reason, and says it


def _named(rule: Rule) -> tuple[tuple[str, str], ...]:
    return ((rule.id, rule.sentence),)
