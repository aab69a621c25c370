"""jsonschema's validators of each dialect, extended: exact numbers, counted steps, our own expressions and formats.

Of the library come the dialects, their keywords and references. Ours are the keywords that would compute with floats, run `re`, or
compare as Python does (`1 == True`); every keyword is counted, and every sub-schema is one level deeper.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from jsonschema import validators as library
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import specification_with

from placet.service.schemas.formats import fits
from placet.service.schemas.patterns import Patterns
from placet.service.schemas.references import TooLong, cost_of, joining
from placet.service.schemas.unevaluated import unevaluated_items, unevaluated_properties
from placet.service.schemas.values import Number, Sameness, is_integral, is_multiple

MOST_STEPS = 40_000  # keywords on values, of one check: under half a second
MOST_LEVELS = 200  # of sub-schemas in one another: two or three of Python's thousand frames each
MOST_PROBLEMS = 20

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

Keyword = Callable[[Any, Any, Any, Any], Any]


class TooDeep(Exception):
    """Sub-schemas are applied in one another beyond the bound."""


class Budget:
    """What one check may still do, and what it knows of its values."""

    def __init__(self, steps: int = MOST_STEPS, patterns: Patterns | None = None) -> None:
        self.steps = steps
        self.patterns = patterns or Patterns()
        self.sameness = Sameness()


@dataclass(frozen=True, slots=True)
class Work:
    """A check at one level. It travels in the place that the library has for a format checker, which no keyword here uses."""

    budget: Budget
    levels: int = MOST_LEVELS

    def spend(self, *sizes: int) -> None:
        """One step, and another for each 16 names, items or characters that it looks at. Raises TooLong."""
        self.budget.steps -= 1 + sum(sizes) // 16
        if self.budget.steps < 0:
            raise TooLong

    def deeper(self) -> Work:
        """The same check in a sub-schema. Raises TooDeep, TooLong."""
        self.spend()
        if self.levels == 0:
            raise TooDeep
        return replace(self, levels=self.levels - 1)


def _type(validator: Any, types: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    names = [types] if isinstance(types, str) else types
    if not any(validator.is_type(instance, name) for name in names):
        yield ValidationError("type")


def _multiple_of(validator: Any, unit: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, Number):
        validator.format_checker.spend(len(str(instance)), len(str(unit)))
        if not is_multiple(instance, Number(unit)):
            yield ValidationError("multipleOf")


def _enum(validator: Any, values: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.format_checker.budget.sameness.among(instance, values):
        yield ValidationError("enum")


def _const(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    same = validator.format_checker.budget.sameness
    if same.of(value) != same.of(instance):
        yield ValidationError("const")


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list):
        numbers = [validator.format_checker.budget.sameness.of(item) for item in instance]
        if len(set(numbers)) < len(numbers):
            yield ValidationError("uniqueItems")


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not validator.format_checker.budget.patterns.found(pattern, instance):
        yield ValidationError("pattern")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, rule in patterns.items():
            for name, value in instance.items():
                if validator.format_checker.budget.patterns.found(pattern, name):
                    yield from validator.descend(value, rule, path=name, schema_path=pattern)


def _additional_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        found = validator.format_checker.budget.patterns.found
        for name, value in instance.items():
            known = name in schema.get("properties", ())
            if not known and not any(found(pattern, name) for pattern in schema.get("patternProperties", ())):
                yield from validator.descend(value, rule, path=name)


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        yield from (ValidationError(name) for name in names if name not in instance)


def _dependent_required(validator: Any, rules: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in (name for name in rules if name in instance):
            yield from _required(validator, rules[name], instance, schema)


def _format(validator: Any, name: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str):
        validator.format_checker.spend(len(instance))
        patterns = validator.format_checker.budget.patterns
        if not (patterns.reads(instance) if name == "regex" else fits(name, instance)):
            yield ValidationError("format")


def _bound(keyword: str, beyond: Callable[[Any, Any], bool]) -> Keyword:
    """One of OpenAPI 3.0's bounds: `exclusiveMaximum` may be true, and is then said of `maximum`."""

    def bound(validator: Any, limit: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, Number) and not isinstance(limit, bool):
            exclusive = schema.get(f"exclusive{keyword.capitalize()}") is True
            if beyond(instance, limit) or (exclusive and instance == limit):
                yield ValidationError(keyword)

    return bound


OURS: dict[str, Keyword] = {
    "type": _type,
    "multipleOf": _multiple_of,
    "enum": _enum,
    "const": _const,
    "uniqueItems": _unique_items,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": unevaluated_properties,
    "unevaluatedItems": unevaluated_items,
    "format": _format,
    "required": _required,
    "dependentRequired": _dependent_required,
}


def _items(validator: Any, rule: Any, instance: Any, schema: Any) -> Any:
    """A list of rules is a tuple, as in drafts before 2020."""
    base = library.Draft201909Validator if isinstance(rule, list) else library.Draft202012Validator
    return base.VALIDATORS["items"](validator, rule, instance, schema)


def _additional_items(validator: Any, rule: Any, instance: Any, schema: Any) -> Any:
    """Said of what a list under `items` leaves over; without such a list it says nothing."""
    if not isinstance(schema.get("items"), list):
        return ()
    return library.Draft201909Validator.VALIDATORS["additionalItems"](validator, rule, instance, schema)


# What older drafts had, for schemas that do not say which they are of.
EARLIER: dict[str, Keyword] = {
    "items": _items,
    "additionalItems": _additional_items,
    "dependencies": library.Draft7Validator.VALIDATORS["dependencies"],
}
OPEN_API: dict[str, Keyword] = {
    "minimum": _bound("minimum", operator.lt),
    "maximum": _bound("maximum", operator.gt),
    "exclusiveMinimum": _bound("exclusiveMinimum", operator.le),
    "exclusiveMaximum": _bound("exclusiveMaximum", operator.ge),
}


def _counted(function: Keyword, nullable: bool) -> Keyword:
    def counted(validator: Any, rule: Any, instance: Any, schema: Any) -> Any:
        validator.format_checker.spend(*(len(one) for one in (rule, instance) if isinstance(one, list | dict)))
        if nullable and instance is None and schema.get("nullable") is True:
            return ()
        return islice(function(validator, rule, instance, schema) or (), MOST_PROBLEMS)

    return counted


def _followed(function: Keyword, dynamic: bool) -> Keyword:
    def followed(validator: Any, reference: Any, instance: Any, schema: Any) -> Any:
        validator.format_checker.spend(cost_of(validator._resolver, reference, dynamic=dynamic))
        return function(validator, reference, instance, schema)

    return followed


def _evolve(self: Any, **changes: Any) -> Any:
    """The validator of a sub-schema. The library's own would take its own class again where a schema names its dialect."""
    schema = changes.get("schema", self.schema)
    return dialect_of(schema, type(self))(
        schema,
        format_checker=self.format_checker.deeper(),
        registry=NOTHING,
        _resolver=changes.get("_resolver", self._resolver),
    )


def _descending(descend: Callable[..., Any]) -> Callable[..., Any]:
    """The library's `descend`, which forgets the place of what is forbidden altogether."""

    def descending(self: Any, instance: Any, schema: Any, path: Any = None, **others: Any) -> Any:
        if schema is False:
            told = {"validator": None, "validator_value": None, "instance": instance, "schema": schema}
            return iter([ValidationError("", path=() if path is None else (path,), **told)])
        self.format_checker.spend(joining(self._resolver, schema))
        return descend(self, instance, schema, path=path, **others)

    return descending


def _is_valid(self: Any, instance: Any) -> bool:
    self.format_checker.spend()
    return next(self.iter_errors(instance), None) is None


def _dialect(base: Any, own: Mapping[str, Keyword], nullable: bool = False) -> Any:
    known = base.VALIDATORS | {name: one for name, one in own.items() if name in base.VALIDATORS or name in EARLIER}
    known |= {name: _followed(known[name], name != "$ref") for name in REFERENCES if name in known}
    counted = {name: _counted(function, nullable) for name, function in known.items()}
    types = base.TYPE_CHECKER.redefine_many(
        {
            "number": lambda _, value: isinstance(value, Number),
            "integer": lambda _, value: isinstance(value, Number) and is_integral(value),
        }
    )
    made = library.extend(base, counted, type_checker=types)
    made.evolve, made.is_valid, made.descend = _evolve, _is_valid, _descending(made.descend)
    made.SPECIFICATION = specification_with(str(base.ID_OF(base.META_SCHEMA)))
    return made


NOTHING: Any = Registry()  # no schema is known but the one at hand, and what is not known is not looked for
OPEN = _dialect(library.Draft202012Validator, OURS | OPEN_API | EARLIER, nullable=True)
DIALECTS: dict[str, Any] = {
    "json-schema.org/draft-04/schema": _dialect(library.Draft4Validator, OURS),
    "json-schema.org/draft-06/schema": _dialect(library.Draft6Validator, OURS),
    "json-schema.org/draft-07/schema": _dialect(library.Draft7Validator, OURS),
    "json-schema.org/draft/2019-09/schema": _dialect(library.Draft201909Validator, OURS),
    "json-schema.org/draft/2020-12/schema": _dialect(library.Draft202012Validator, OURS),
}


def dialect_of(schema: Any, default: Any = OPEN) -> Any:
    """The dialect that a schema names with `$schema`; the default where it names none that is known."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str):
        return default
    return DIALECTS.get(named.rstrip("#").removeprefix("https://").removeprefix("http://"), default)
