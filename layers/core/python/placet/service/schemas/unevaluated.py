"""`unevaluatedProperties` and `unevaluatedItems`: what no other keyword has judged.

The library's own look with `re` and count nothing. In-place sub-schemas count when the value fits them, and what those have
judged is judged; that `contains` judges items is new in 2020-12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError
from referencing.jsonschema import lookup_recursive_ref

from placet.service.schemas.references import cost_of


def unevaluated_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """The keyword, as the library calls it."""
    if isinstance(instance, dict):
        judged = _judged(validator, instance, schema, outer=True)
        for name in instance:
            if name not in judged:
                yield from validator.descend(instance[name], rule, path=name)


def unevaluated_items(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """The keyword, as the library calls it."""
    if isinstance(instance, list):
        judged = _judged(validator, instance, schema, outer=True)
        for index, item in enumerate(instance):
            if index not in judged:
                yield from validator.descend(item, rule, path=index)


def _judged(validator: Any, instance: Any, schema: Any, outer: bool = False) -> set[Any]:
    """The names or indexes that a schema has judged; `outer`: without its own `unevaluated…`."""
    if not isinstance(schema, dict):
        return set()
    validator.format_checker.spend(len(schema), len(instance))
    own = _items(validator, instance, schema) if isinstance(instance, list) else _names(validator, instance, schema)
    unevaluated = "unevaluatedItems" if isinstance(instance, list) else "unevaluatedProperties"
    if unevaluated in schema and not outer:
        own.update(range(len(instance)) if isinstance(instance, list) else instance)
    for inner, rule in _in_place(validator, instance, schema):
        own |= _judged(inner, instance, rule)
    return own


def _names(validator: Any, instance: Any, schema: Any) -> set[Any]:
    if "additionalProperties" in schema:
        return set(instance)
    found, patterns = validator.format_checker.budget.patterns.found, schema.get("patternProperties", {})
    known = schema.get("properties", {})
    return {name for name in instance if name in known or any(found(pattern, name) for pattern in patterns)}


def _items(validator: Any, instance: Any, schema: Any) -> set[Any]:
    everything, latest = range(len(instance)), "contains" in schema and "prefixItems" in validator.VALIDATORS
    items = schema.get("items")
    if isinstance(items, list):
        return set(everything if "additionalItems" in schema else everything[: len(items)])
    judged = set(everything if items is not None else everything[: len(schema.get("prefixItems", ()))])
    if latest:
        inner = validator.evolve(schema=schema["contains"])
        judged |= {index for index, item in enumerate(instance) if inner.is_valid(item)}
    return judged


def _in_place(validator: Any, instance: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    """The sub-schemas that judge the same value, and that it fits."""
    for rule, resolver in _applied(validator, instance, schema):
        if isinstance(rule, dict):
            if resolver is None:
                resolver = validator._resolver.in_subresource(validator.SPECIFICATION.create_resource(rule))
            inner = validator.evolve(schema=rule, _resolver=resolver)
            if inner.is_valid(instance):
                yield inner, rule


def _applied(validator: Any, instance: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema and keyword in validator.VALIDATORS:
            cost = cost_of(validator._resolver, schema[keyword], dynamic=keyword != "$ref")
            validator.format_checker.spend(cost)
            target = validator._resolver.lookup(schema[keyword])
            yield target.contents, target.resolver
    if "$recursiveRef" in schema and "$recursiveRef" in validator.VALIDATORS:
        validator.format_checker.spend(cost_of(validator._resolver, "#", dynamic=True))
        target = lookup_recursive_ref(validator._resolver)
        yield target.contents, target.resolver
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from ((rule, None) for rule in schema.get(keyword, ()))
    if isinstance(instance, dict):
        yield from ((rule, None) for name, rule in schema.get("dependentSchemas", {}).items() if name in instance)
    if "if" in schema:
        fits = schema["if"] is True or (
            isinstance(schema["if"], dict) and validator.evolve(schema=schema["if"]).is_valid(instance)
        )
        yield schema["if"], None
        yield schema.get("then" if fits else "else"), None
