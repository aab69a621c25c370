"""What a policy is made of. A policy is one Python module that exports `POLICY`; it is versioned and deployed as its own layer."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from placet.model.canonical import Lexeme
from placet.policy.checks import check_flags, check_texts
from placet.policy.classes import ActionClass
from placet.policy.facts import Facts, Unjudged


class Effect(StrEnum):
    """What a call does to the world once it ran."""

    NEVER = "never"  # cannot be undone
    HARD = "hard"  # hard to undo
    CAN = "can"  # can be undone


class Rule(Protocol):
    """A reason to stop a call. It is pure: the same arguments and facts, the same answer.

    A rule that needs something stored has a second method, `asks(arguments, facts)`: the questions (`placet.policy.facts`)
    whose answers `fires` will find in `facts.answers`.
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
class Threshold:
    """Calls whose `argument` is over `above` are looked at, and those where it is absent or no number."""

    id: str
    sentence: str
    argument: str
    above: Decimal

    def __post_init__(self) -> None:
        place = f"rule {self.id}"
        check_texts(place, self, ("id", "argument"), ("sentence",))
        limit: object = self.above
        if type(limit) is not int and not (isinstance(limit, Decimal) and limit.is_finite()):
            raise ValueError(f'{place}: above is an exact number, written Decimal("99.50"), and is {self.above!r}')

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """True unless the argument is a number of at most `above` and not below zero. Raises Unjudged."""
        if self.argument not in arguments:
            raise Unjudged(f"there is no {self.argument}")
        value = arguments[self.argument]
        if isinstance(value, bool) or not isinstance(value, int | Lexeme):
            raise Unjudged(f"{self.argument} is no number")
        try:
            number = Decimal(str(value))
        except (InvalidOperation, ValueError):
            raise Unjudged(f"{self.argument} is no number that can be compared") from None
        return not Decimal(0) <= number <= self.above


@dataclass(frozen=True)
class Tool:
    """What the policy knows of one tool.

    Attributes:
        rules: reasons to stop; none may fire for a call to pass. Empty together with `free` or `denied` only.
        free: never pauses.
        denied: never runs, whoever agrees; asked again when a permit is claimed, so that it also holds for what waits.
        sentence: the headline, built from the arguments: `Refund {amount} for order {order_id}`.
        consequence: what accepting does.
        type_to_accept: name of the argument whose value the reviewer types before accepting.
        fixed: arguments that no edit may change.
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

    def __post_init__(self) -> None:
        place = f"tool {self.name}"
        check_texts(place, self, ("name", "action_class"), ("sentence", "consequence", "type_to_accept"))
        check_flags(place, self, ("free", "denied"))
        if not isinstance(self.effect, Effect):
            raise ValueError(
                f"{place}: effect is one of Effect.NEVER, Effect.HARD and Effect.CAN, and is {self.effect!r}"
            )
        if not isinstance(self.fixed, set | frozenset) or not all(map(_is_name, self.fixed)):
            raise ValueError(
                f'{place}: fixed is a set of names, written frozenset({{"order_id"}}), and is {self.fixed!r}'
            )
        if not isinstance(self.rules, tuple) or not all(map(_is_rule, self.rules)):
            raise ValueError(f"{place}: rules is a tuple of rules, written (Always(...),), and is {self.rules!r}")
        if self.free + self.denied + bool(self.rules) != 1:
            raise ValueError(f"tool {self.name}: either free, or denied, or at least one rule")


@dataclass(frozen=True)
class Policy:
    """All of it. `unknown_class` decides about tools that the policy does not name: they pause."""

    version: str
    classes: dict[str, ActionClass]
    tools: dict[str, Tool]
    unknown_class: str

    def __post_init__(self) -> None:
        check_texts("the policy", self, ("version", "unknown_class"), ())
        _check_named("classes", self.classes, ActionClass)
        _check_named("tools", self.tools, Tool)
        for name in [self.unknown_class, *(tool.action_class for tool in self.tools.values())]:
            if name not in self.classes:
                raise ValueError(f"the policy names the class {name!r} and does not define it")

    @classmethod
    def of(cls, version: str, classes: list[ActionClass], tools: list[Tool], unknown_class: str) -> Policy:
        """A policy from plain lists."""
        return cls(version, _by_name("class", classes), _by_name("tool", tools), unknown_class)


Named = TypeVar("Named", ActionClass, Tool)


def _check_named(field: str, value: object, kind: type[ActionClass] | type[Tool]) -> None:
    """Raises ValueError unless it is what is named, by its name."""
    if not isinstance(value, dict):
        raise ValueError(f"the policy: {field} must be a dict by name; a list is for Policy.of")
    for name, one in value.items():
        if not isinstance(one, kind) or one.name != name:
            raise ValueError(f"the policy: {field}[{name!r}] must be the {kind.__name__} of this name, and is {one!r}")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_rule(value: object) -> bool:
    named = _is_name(getattr(value, "id", None)) and isinstance(getattr(value, "sentence", None), str)
    return named and not isinstance(value, type) and callable(getattr(value, "fires", None))


def _by_name(kind: str, items: list[Named]) -> dict[str, Named]:
    found: dict[str, Named] = {}
    for item in items:
        if not isinstance(item, ActionClass if kind == "class" else Tool):
            raise ValueError(f"the policy lists {item!r}, which is no {kind}")
        if item.name in found:
            raise ValueError(f"the policy defines the {kind} {item.name!r} twice")
        found[item.name] = item
    return found
