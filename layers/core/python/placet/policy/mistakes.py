"""Mistakes of a whole policy, which no part of it shows alone: looked for at synth, and said in words that name tool and rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import permutations

from placet.model.argument_places import BODY, PARAMETERS
from placet.policy.budgets import Budget
from placet.policy.classes import ActionClass
from placet.policy.covering import covers, is_idle
from placet.policy.places import place_of
from placet.policy.rules import Effect, Policy, Rule, Tool
from placet.policy.sampling import Sample
from placet.policy.undoing import Argument
from placet.policy.worded import fields_of, is_within, unfilled
from placet.policy.working_time import least_s

NOBODY_SAID: Mapping[str, frozenset[str]] = {}
WHOLE = ("sentence", "type_to_accept", "fixed")  # what names an argument, and no place in one
ALIKE = 0.8  # how much a name resembles one of the sentence when it is taken for the same, misspelt


def mistakes(policy: Policy, takes: Mapping[str, frozenset[str]] = NOBODY_SAID) -> list[str]:
    """A sentence for each mistake; none when the policy is as it seems.

    Args:
        takes: names of the arguments by tool, where the deployment knows them.
    """
    return [
        *(one for tool in policy.tools.values() for one in _tool(policy, tool, takes.get(tool.name, frozenset()))),
        *unfilled(policy),
        *_strangers(policy, takes),
        *_budgets(policy),
        *(one for cls in policy.classes.values() for one in _never_reached(cls)),
    ]


def _strangers(policy: Policy, takes: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Tools that no agent has, and whose name nearly is that of one that the policy does not name: it would wait as unknown."""
    left = sorted(set(takes) - set(policy.tools))
    for name in sorted(set(policy.tools) - set(takes)):
        if near := _meant(name, left):
            yield f"tool {name}: no agent has it, and the policy does not name {', '.join(left)}{near}"


def _tool(policy: Policy, tool: Tool, takes: frozenset[str]) -> Iterator[str]:
    place = f"tool {tool.name}"
    try:
        fields = fields_of(tool.sentence)
    except ValueError as error:
        yield f"{place}: the sentence {tool.sentence!r} cannot be filled in: {error}"
        return
    yield from (f"{place}: {one}" for one in _names(tool, fields, takes))
    yield from (f"{place}: {one}" for one in _rules(tool))
    yield from (f"{place}: {one}" for one in _undo(policy, tool))


def _names(tool: Tool, fields: list[str], takes: frozenset[str]) -> Iterator[str]:
    """Names of arguments that the tool does not take; where nobody knows what it takes, those that resemble one of the sentence."""
    named = [
        *(("sentence", field) for field in fields),
        *(("type_to_accept", name) for name in [tool.type_to_accept] if name),
        *(("fixed", name) for name in sorted(tool.fixed)),
        *((f"rule {rule.id}", name) for rule in (*tool.denies, *tool.rules) if (name := _argument(rule))),
        *(("undo", name) for name in _undone(tool)),
    ]
    if tool.takes and takes and (strange := sorted(tool.takes - takes)):
        yield f"takes names {', '.join(strange)}, and its schema has {', '.join(sorted(takes))}"
    known = takes or tool.takes
    looked_at = sorted({argument for rule in (*tool.denies, *tool.rules) if (argument := _argument(rule))})
    said, others = ("sentence says", fields) if fields else ("rules say", looked_at)
    for where, name in named:
        bare = _bare(name)
        if known and bare not in known:
            yield f"{where} names the argument {name!r}, and the tool takes {', '.join(sorted(known))}{_meant(bare, known)}"
        elif not known and where in WHOLE and is_within(name):
            yield f"{where} names {name!r}, which is no whole argument; if one is called so, say it in takes"
        elif not known and bare not in others and (near := _meant(bare, others)):
            yield f"{where} names the argument {name!r}, and its {said} {', '.join(others)}{near}"


def _argument(rule: Rule) -> str:
    """The argument that a rule looks at; empty for one that looks at none, or does not say."""
    text = getattr(rule, "argument", "")
    if not isinstance(text, str) or not text:
        return ""
    try:
        return place_of(text).argument
    except ValueError:  # a rule of the policy's own, which may read an argument in its own way
        return ""


def _undone(tool: Tool) -> Iterator[str]:
    sources = tool.undo.arguments.values() if tool.undo else ()
    yield from (place_of(one.place).argument for one in sources if isinstance(one, Argument))


def _bare(name: str) -> str:
    """A name without the place in which an operation takes it."""
    return name.removeprefix(f"{PARAMETERS}.").removeprefix(f"{BODY}.")


def _meant(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=ALIKE)
    return f"; {near[0]} was meant" if near else ""


def _rules(tool: Tool) -> Iterator[str]:
    """Rules that stop nothing, or nothing that another does not stop."""
    ids = [rule.id for rule in (*tool.denies, *tool.rules)]
    yield from (f"two rules are called {name}" for name in sorted({name for name in ids if ids.count(name) > 1}))
    yield from (
        f"denies: rule {rule.id} is a sample, which stops nothing" for rule in tool.denies if isinstance(rule, Sample)
    )
    for rule in (*tool.denies, *tool.rules):
        if why := is_idle(rule):
            yield f"rule {rule.id} never fires: {why}"
    for field, rules in (("denies", tool.denies), ("rules", tool.rules)):
        covered = set()
        for (at, wide), (of, narrow) in permutations(enumerate(rules), 2):
            if of not in covered and at not in covered and covers(wide, narrow):
                covered.add(of)
                yield f"{field}: rule {narrow.id} says nothing: {wide.id} fires whenever it does"
    for deny in tool.denies:
        for rule in tool.rules:
            if covers(deny, rule):
                yield f"rule {rule.id} is never reached: {deny.id} denies whatever it stops"


def _undo(policy: Policy, tool: Tool) -> Iterator[str]:
    if tool.undo is None:
        return
    by = policy.tools.get(tool.undo.tool)
    if by is None:
        yield f"undo names the tool {tool.undo.tool!r}, which the policy does not define"
    elif by.denied:
        yield f"undo names the tool {by.name}, which is denied"
    elif by.takes and (strange := sorted(set(tool.undo.arguments) - by.takes)):
        yield f"undo gives {by.name} {', '.join(strange)}, and it takes {', '.join(sorted(by.takes))}"
    if tool.effect is Effect.NEVER:
        yield "undo says how it is taken back, and its effect is Effect.NEVER: write Effect.CAN or Effect.HARD"


def _never_reached(one: ActionClass) -> Iterator[str]:
    """Levels and reminders that no call lives to see: they count in hours of the class, and hard_maximum_s by the clock."""
    if one.hours is None:  # then the class itself holds them against its deadline
        return
    steps = [
        *((f"the level with after_s={level.after_s}", level.after_s) for level in one.levels[1:]),
        *((f"the reminder with remind_after_s={after}", after) for after in one.remind_after_s),
    ]
    for what, seconds in steps:
        if (least := least_s(seconds, one.hours)) >= one.hard_maximum_s:
            yield (
                f"class {one.name}: {what} never comes: it counts in working hours, so it takes {least} s by the clock at least, "
                f"and hard_maximum_s={one.hard_maximum_s} ends the call by the clock before"
            )


def _budgets(policy: Policy) -> Iterator[str]:
    """Two budgets under one name share one sum, so they have to be one."""
    first: dict[str, tuple[Tool, Budget]] = {}
    for tool in policy.tools.values():
        for rule in (*tool.denies, *tool.rules):
            if not isinstance(rule, Budget):
                continue
            other, budget = first.setdefault(rule.id, (tool, rule))
            if (budget.limit, budget.of, budget.per) != (rule.limit, rule.of, rule.per):
                yield (
                    f"tool {tool.name}: rule {rule.id} shares its sum with that of {other.name}, "
                    "and has another limit, of or per: give it a name of its own, or make them the same"
                )
