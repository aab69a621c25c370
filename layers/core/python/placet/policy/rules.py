"""What a policy is made of. A policy is one Python module that exports `POLICY`; it is versioned and deployed as its own layer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from placet.policy.checks import check_flags, check_names, check_rules, check_texts
from placet.policy.classes import ActionClass
from placet.policy.facts import Facts
from placet.policy.sign_in import SignInGroups, check_sign_in
from placet.policy.undoing import Undo

LONGEST_VERSION = 64


class Effect(StrEnum):
    """What a call does to the world once it ran."""

    NEVER = "never"  # cannot be undone
    HARD = "hard"  # hard to undo
    CAN = "can"  # can be undone


class Rule(Protocol):
    """A reason to stop a call. It is pure: the same arguments and facts, the same answer.

    A rule that needs something stored has a second method, `asks(arguments, facts)`: the questions (`placet.policy.facts`)
    whose answers `fires` will find in `facts.answers`. One that can tell more than its sentence has a third, `says(arguments,
    facts)`: a sentence for the reviewer, without any value that the model wrote. It is asked when the rule has fired.
    """

    @property
    def id(self) -> str:
        """Stable name, `class/reason`."""

    @property
    def sentence(self) -> str:
        """Plain sentence for the reviewer."""

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether a person has to look at these arguments. Raises Unjudged when it cannot tell: absence is never yes."""


@dataclass(frozen=True)
class Always:
    """Every call of the tool is looked at."""

    id: str
    sentence: str

    def __post_init__(self) -> None:
        check_texts(f"rule {self.id}", self, ("id",), ("sentence",))

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Always True."""
        return True


@dataclass(frozen=True)
class Tool:
    """What the policy knows of one tool.

    Attributes:
        rules: reasons to stop; none may fire for a call to pass. Empty together with `free`, `denied` or `denies` only.
        denies: reasons for which a call never runs, whoever agrees, and no person is asked; asked again when a permit is claimed,
            on what was known of the call. One that cannot tell goes to a person, also where the class observes.
        free: never pauses.
        denied: never runs, whoever agrees; asked again when a permit is claimed, so that it also holds for what waits.
        sentence: the headline, built from the arguments: `Refund {amount} for order {order_id}`.
        consequence: what accepting does.
        type_to_accept: name of the argument whose value the reviewer types before accepting.
        fixed: arguments that no edit may change.
        takes: names of its arguments, where the synth shall hold what the policy says against them.
        undo: the call that takes this one back, if there is one.
    """

    name: str
    action_class: str
    rules: tuple[Rule, ...] = ()
    free: bool = False
    denied: bool = False
    effect: Effect = Effect.NEVER
    sentence: str = ""
    consequence: str = ""
    type_to_accept: str = ""
    fixed: frozenset[str] = frozenset()
    denies: tuple[Rule, ...] = ()
    takes: frozenset[str] = frozenset()
    undo: Undo | None = None

    def __post_init__(self) -> None:
        place = f"tool {self.name}"
        check_texts(place, self, ("name", "action_class"), ("sentence", "consequence", "type_to_accept"))
        check_flags(place, self, ("free", "denied"))
        if not isinstance(self.effect, Effect):
            raise ValueError(
                f"{place}: effect is one of Effect.NEVER, Effect.HARD and Effect.CAN, and is {self.effect!r}"
            )
        for field, names in (("fixed", self.fixed), ("takes", self.takes)):
            check_names(place, field, names)
        for field, rules in (("rules", self.rules), ("denies", self.denies)):
            check_rules(place, field, rules)
        if "*" in self.name:
            raise ValueError(f"{place}: '*' stands for nothing, so this says nothing of any tool: name each by itself")
        if self.free + self.denied + bool(self.rules or self.denies) != 1:
            raise ValueError(f"tool {self.name}: either free, or denied, or at least one rule")
        if self.undo is not None and not isinstance(self.undo, Undo):
            raise ValueError(f'{place}: undo is written Undo("tool", {{...}}), and is {self.undo!r}')


@dataclass(frozen=True)
class Policy:
    """All of it. `unknown_class` decides about tools that the policy does not name: they pause.

    Attributes:
        groups: names of all groups that there are, where a misspelt one shall be refused; empty when nobody said.
        sign_in_groups: by group of the policy, the groups of the company's sign-in whose people are in it (docs/people.md).
    """

    version: str
    classes: dict[str, ActionClass]
    tools: dict[str, Tool]
    unknown_class: str
    groups: frozenset[str] = frozenset()
    sign_in_groups: SignInGroups = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        check_texts("the policy", self, ("version", "unknown_class"), ())
        if len(self.version) > LONGEST_VERSION:
            raise ValueError(f"the policy: version has at most {LONGEST_VERSION} characters: every pause keeps it")
        _check_named("classes", self.classes, ActionClass)
        _check_named("tools", self.tools, Tool)
        if self.unknown_class not in self.classes:
            raise ValueError(f"the policy names the class {self.unknown_class!r} and does not define it")
        for tool in self.tools.values():
            if tool.action_class not in self.classes:
                raise ValueError(
                    f"tool {tool.name}: the policy names the class {tool.action_class!r} and does not define it"
                )
        if self.classes[self.unknown_class].observe:
            raise ValueError(
                f"class {self.unknown_class}: observe would let pass what the policy does not know; unknown_class has to ask"
            )
        check_names("the policy", "groups", self.groups)
        check_sign_in(self.sign_in_groups, self.asked_groups)
        if self.groups and (strange := sorted(self.asked_groups - self.groups)):
            raise ValueError(self._unknown_group(strange[0]))

    @classmethod
    def of(
        cls,
        version: str,
        classes: list[ActionClass],
        tools: list[Tool],
        unknown_class: str,
        groups: frozenset[str] = frozenset(),
        sign_in_groups: SignInGroups | None = None,
    ) -> Policy:
        """A policy from plain lists."""
        known = _by_name("class", classes), _by_name("tool", tools)
        return cls(version, *known, unknown_class, groups, sign_in_groups or {})

    @property
    def asked_groups(self) -> frozenset[str]:
        """Every group that a class asks at any level."""
        return frozenset(group for one in self.classes.values() for level in one.levels for group in level.groups)

    def _unknown_group(self, group: str) -> str:
        """Where it stands, which tools it would have decided, and what to write instead."""
        from difflib import get_close_matches  # for a policy that is wrong: no function is deployed with one

        asking = [one.name for one in self.classes.values() if any(group in level.groups for level in one.levels)]
        tools = sorted(tool.name for tool in self.tools.values() if tool.action_class in asking)
        near = get_close_matches(group, sorted(self.groups), n=1)
        decides = f"; it would decide {', '.join(tools)}" if tools else ""
        way_out = f"write {near[0]!r}, or" if near else "write one of them, or"
        return f"class {asking[0]}: groups names {group!r}, and the policy's groups do not{decides}: {way_out} add it to groups"


Named = TypeVar("Named", ActionClass, Tool)


def _check_named(field: str, value: object, kind: type[ActionClass] | type[Tool]) -> None:
    """Raises ValueError unless it is what is named, by its name."""
    if not isinstance(value, dict):
        raise ValueError(f"the policy: {field} must be a dict by name; a list is for Policy.of")
    for name, one in value.items():
        if not isinstance(one, kind) or one.name != name:
            raise ValueError(f"the policy: {field}[{name!r}] must be the {kind.__name__} of this name, and is {one!r}")


def _by_name(kind: str, items: list[Named]) -> dict[str, Named]:
    found: dict[str, Named] = {}
    part: type[ActionClass] | type[Tool] = ActionClass if kind == "class" else Tool
    if not isinstance(items, list | tuple):
        field = "classes" if kind == "class" else "tools"
        raise ValueError(
            f"the policy: {field} is a list, written [{part.__name__}(...)], and is one {type(items).__name__}"
        )
    for item in items:
        if not isinstance(item, part):
            raise ValueError(f"the policy lists {item!r}, which is no {kind}: write {part.__name__}(...)")
        if item.name in found:
            raise ValueError(f"the policy defines the {kind} {item.name!r} twice")
        found[item.name] = item
    return found
