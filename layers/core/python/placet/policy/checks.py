"""What the parts of a policy check when they are written: mistakes are told there, in a sentence, and not when they bite."""

from __future__ import annotations

import inspect
from decimal import Decimal

_METHODS = {"fires": "bool", "asks": "Iterator[Question]", "says": "str"}  # of a rule, and what each answers
MOST_DIGITS = 38  # of a number that is added up: what the table holds exactly


def check_whole(place: str, value: object) -> None:
    """Raises ValueError unless it is a whole number: the table takes no other, and True would count as one."""
    if type(value) is not int:
        raise ValueError(f"{place} must be a whole number, and is {value!r}")


def check_exact(place: str, value: object) -> None:
    """Raises ValueError unless it is a number that is compared exactly."""
    if type(value) is not int and not (isinstance(value, Decimal) and value.is_finite()):
        raise ValueError(f'{place} is an exact number, written Decimal("99.50"), and is {value!r}')
    if isinstance(value, Decimal) and len(value.as_tuple().digits) > MOST_DIGITS:
        raise ValueError(f'{place} has over {MOST_DIGITS} digits, as a float has: write Decimal("99.50") in quotes')


def check_texts(place: str, of: object, names: tuple[str, ...], texts: tuple[str, ...]) -> None:
    """Raises ValueError unless these fields are text, and those that name something are not empty."""
    for field in (*names, *texts):
        value = getattr(of, field)
        if not isinstance(value, str) or (field in names and not is_name(value)):
            raise ValueError(f"{place}: {field} must be {'a name' if field in names else 'text'}, and is {value!r}")


def check_flags(place: str, of: object, fields: tuple[str, ...]) -> None:
    """Raises ValueError unless these fields are True or False: "no" would count as yes."""
    for field in fields:
        if type(value := getattr(of, field)) is not bool:
            raise ValueError(f"{place}: {field} must be True or False, and is {value!r}")


def check_rising(place: str, values: object, least: int, below: int) -> None:
    """Raises ValueError unless it is a tuple of whole numbers, each larger than the one before, from `least` to under `below`."""
    if not isinstance(values, tuple):
        raise ValueError(f"{place} is a tuple of seconds, written (3_600,), and is {values!r}")
    before = least - 1
    for value in values:
        check_whole(place, value)
        if value < least:
            raise ValueError(f"{place}: {value} is not after the beginning")
        if value <= before:
            raise ValueError(f"{place}: {value} does not come after {before}")
        if value >= below:
            raise ValueError(f"{place}: {value} is never reached, because the deadline comes first")
        before = value


def check_names(place: str, field: str, value: object) -> None:
    """Raises ValueError unless it is a set of names; a text would be the set of its letters."""
    if not isinstance(value, set | frozenset) or not all(map(is_name, value)):
        one = "finance" if field == "groups" else "order_id"
        raise ValueError(f'{place}: {field} is a set of names, written frozenset({{"{one}"}}), and is {value!r}')


def check_rules(place: str, field: str, value: object) -> None:
    """Raises ValueError unless it is a tuple of rules, each of which takes arguments and facts."""
    if not isinstance(value, tuple) or not all(map(_is_rule, value)):
        raise ValueError(
            f"{place}: {field} is a tuple of rules, written (Always(...),), and is {value!r}{_no_rule(value)}"
        )
    for rule in value:
        for method, answers in _METHODS.items():
            if hasattr(rule, method) and not _takes_facts(getattr(rule, method)):
                raise ValueError(
                    f"{place}: rule {rule.id}: {method} takes the arguments and the facts, written "
                    f'"def {method}(self, arguments: dict[str, Any], facts: Facts) -> {answers}:"'
                )
            if hasattr(rule, method) and inspect.iscoroutinefunction(getattr(rule, method)):
                raise ValueError(
                    f"{place}: rule {rule.id}: {method} is async, and nobody waits for it: write def {method}(…)"
                )


def is_name(value: object) -> bool:
    """Whether it is text, not empty, and without a blank at either end: nothing is called so, and nobody would see it."""
    return isinstance(value, str) and value != "" and value == value.strip()


def _is_rule(value: object) -> bool:
    named = is_name(getattr(value, "id", None)) and isinstance(getattr(value, "sentence", None), str)
    return named and not isinstance(value, type) and callable(getattr(value, "fires", None))


def _no_rule(value: object) -> str:
    """What the first that is no rule lacks."""
    for one in value if isinstance(value, tuple) else ():
        if isinstance(one, type):
            return f": {one.__name__} is a class, write {one.__name__}(...)"
        if inspect.isroutine(one):
            return (
                f": {one.__name__} is a function, and a rule is an object with id, sentence and fires (docs/policy.md)"
            )
        if not _is_rule(one) and not isinstance(one, str):
            return f": {type(one).__name__} needs an id, a sentence and fires (docs/policy.md)"
    return ""


def _takes_facts(fires: object) -> bool:
    try:
        inspect.signature(fires).bind({}, None)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True
