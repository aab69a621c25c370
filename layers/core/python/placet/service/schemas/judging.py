"""One check: is the schema one, do its references lead somewhere in it, does the value fit it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from jsonschema_specifications import REGISTRY as SPECIFICATIONS
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT202012

from placet.model.errors import Invalid
from placet.service.schemas.dialects import (
    MOST_LEVELS,
    MOST_PROBLEMS,
    NOTHING,
    OPEN,
    Budget,
    TooDeep,
    Work,
    dialect_of,
)
from placet.service.schemas.patterns import NoPattern, Refused, TooMuch
from placet.service.schemas.references import TooLong, check_addresses, cost_of, joining
from placet.service.schemas.values import Unusable, exact
from placet.service.schemas.words import nearest, no_pattern, pattern_at, place, problem, shortened

SCHEMA_STEPS = 50_000  # of looking whether a schema is one: about 20 for each sub-schema
MOST_IN_PLACE = 10_000  # sub-schemas that judge one and the same value, references followed
IGNORING = (DRAFT4, DRAFT6, DRAFT7)  # beside `$ref` they read nothing
BOUNDS = ("exclusiveMinimum", "exclusiveMaximum")

# The shape of what schemas of older drafts hold, for those that do not say which they are of.
_RULE: dict[str, Any] = {"$ref": "#"}
_RULES: dict[str, Any] = {"type": "array", "items": _RULE}
_EARLIER: dict[str, Any] = {
    "items": {"anyOf": [_RULE, _RULES]},
    "additionalItems": _RULE,
    "dependencies": {
        "type": "object",
        "additionalProperties": {"anyOf": [_RULE, {"type": "array", "items": {"type": "string"}}]},
    },
}


def problems_of(arguments: Any, schema: Any) -> list[dict[str, str]]:
    """What is wrong with the arguments, at most `MOST_PROBLEMS` of {at, problem}.

    Raises:
        Invalid: `schema_invalid`, `schema_too_complex`.
    """
    try:
        rules = exact(schema)
    except Unusable as error:
        raise not_one("#", str(error)) from None
    try:
        value = exact(arguments)
    except Unusable as error:
        return [{"at": place(()), "problem": str(error)}]
    try:
        return _judged(value, rules)
    except TooDeep:
        raise too_complex(f"applies more than {MOST_LEVELS} sub-schemas in one another") from None
    except TooLong:
        raise too_complex("takes too many steps") from None
    except TooMuch as error:
        raise _refused("schema_too_complex", "The tool's schema is too complex.", rules, error) from None
    except NoPattern as error:
        raise _refused("schema_invalid", "The tool's schema is no JSON Schema.", rules, error) from None


def _refused(code: str, detail: str, rules: Any, error: Refused) -> Invalid:
    """A pattern that is not taken, with its place; one that is a value of the arguments is not repeated."""
    at = pattern_at(rules, error.pattern)
    says = no_pattern(error.pattern, error.why) if at else f"The text in a format `regex` is not taken: {error.why}."
    return Invalid(code, detail, problems=[{"at": at or "#", "problem": says}])


def not_one(at: str, says: str) -> Invalid:
    """The error for what is no schema."""
    return Invalid("schema_invalid", "The tool's schema is no JSON Schema.", problems=[{"at": at, "problem": says}])


def too_complex(says: str) -> Invalid:
    """The error for what cannot be checked within the bounds of docs/schemas.md."""
    return Invalid(
        "schema_too_complex",
        "The tool's schema is too complex.",
        problems=[{"at": "#", "problem": f"The check {says}."}],
    )


def _judged(value: Any, rules: Any) -> list[dict[str, str]]:
    dialect = dialect_of(rules)
    looked = Work(Budget(steps=SCHEMA_STEPS))
    judged = Work(Budget(patterns=looked.budget.patterns))
    is_mixed = _is_mixed(rules)
    _check_shape(dialect, rules, looked, is_mixed)
    check_addresses(rules)
    resolver = _resolver(dialect, rules)
    _check_size(_links(dialect, rules, resolver, looked, is_mixed))
    validator = dialect(rules, format_checker=judged, registry=NOTHING, _resolver=resolver)
    try:
        errors = list(islice(validator.iter_errors(value), MOST_PROBLEMS))
    except Unresolvable:  # a dynamic reference, from where it was not looked at
        raise not_one("#", "has a reference that leads nowhere") from None
    return [{"at": place(one.absolute_path), "problem": problem(one)} for one in errors]


def _check_shape(dialect: Any, rules: Any, work: Work, is_mixed: bool) -> None:
    """Raises Invalid unless the rules are what the dialect's own metaschema says."""
    meta = _metaschema(dialect)
    validator = dialect(meta, format_checker=work, registry=NOTHING, _resolver=_resolver(dialect, meta))
    own = _own(rules, dialect, work) if is_mixed else rules
    errors = islice(validator.iter_errors(own), MOST_PROBLEMS)
    problems = [_shape_problem(one, work) for one in errors]
    if problems:
        raise Invalid("schema_invalid", "The tool's schema is no JSON Schema.", problems=problems)


def _shape_problem(error: Any, work: Work) -> dict[str, str]:
    """What is wrong in a schema; of a pattern, which one and why, at its own place also where it is a name."""
    deepest = nearest(error)[1]  # older drafts' forms are several, and a pattern may stand in one of them
    pattern = deepest.instance
    if deepest.validator != "format" or deepest.validator_value != "regex":
        return {"at": place(error.absolute_path, "#/"), "problem": problem(error)}
    path = list(deepest.absolute_path)
    named = [pattern] if path[-1:] == ["patternProperties"] else []
    return {"at": place([*path, *named], "#/"), "problem": no_pattern(pattern, work.budget.patterns.why_not(pattern))}


def _own(rules: Any, dialect: Any, work: Work) -> Any:
    """The rules without the parts that name another dialect, which are looked at by that one."""
    work.spend()
    if isinstance(rules, dict):
        return {name: _own_part(one, dialect, work) for name, one in rules.items()}
    return [_own_part(one, dialect, work) for one in rules] if isinstance(rules, list) else rules


def _own_part(part: Any, dialect: Any, work: Work) -> Any:
    return {} if dialect_of(part, dialect) is not dialect else _own(part, dialect, work)


def _is_mixed(rules: Any) -> bool:
    """Whether any part within a schema names a dialect."""
    parts = [rules]
    while parts:
        part = parts.pop()
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        for one in inner:
            if isinstance(one, dict) and isinstance(one.get("$schema"), str):
                return True
        parts.extend(one for one in inner if isinstance(one, dict | list))
    return False


@cache
def _metaschema(dialect: Any) -> Any:
    """The dialect's metaschema in one piece: since 2019 it comes in vocabularies, which take five times as long."""
    whole = {name: part for name, part in dialect.META_SCHEMA.items() if name not in ("$schema", "$id", "id", "allOf")}
    for one in dialect.META_SCHEMA.get("allOf", ()):
        part = SPECIFICATIONS.contents(urljoin(dialect.META_SCHEMA["$id"], one["$ref"]))
        for name in ("properties", "$defs"):
            whole[name] = {**part.get(name, {}), **whole.get(name, {})}
    whole["properties"] = {**whole["properties"], "$schema": {"type": "string"}}
    if dialect is OPEN:
        whole["properties"] |= {name: {"type": ["number", "boolean"]} for name in BOUNDS}
        whole["properties"] |= {"nullable": {"type": "boolean"}} | _EARLIER
    return exact(_together(whole))


def _together(part: Any) -> Any:
    """The same with references from one vocabulary into another as references into the one piece."""
    if isinstance(part, dict):
        reference = part.get("$ref")
        moved = {"$ref": f"#{reference.partition('#')[2]}"} if isinstance(reference, str) else {}
        return {name: _together(value) for name, value in part.items()} | moved
    return [_together(value) for value in part] if isinstance(part, list) else part


def _resolver(dialect: Any, rules: Any) -> Any:
    """Finds what is in the schema, and the metaschemas, which the library has; nothing else, and fetches nothing."""
    resource: Any = dialect.SPECIFICATION.create_resource(rules)
    uri = str(resource.id() or "")
    registry: Any = _metaschemas().with_resource(uri, resource)
    try:
        return registry.crawl().resolver(uri)
    except (ValueError, TypeError, AttributeError):  # an `$id` that is no address, `dependencies` of both kinds:
        return registry.resolver(uri)  # pointers are found without


@cache
def _metaschemas() -> Any:
    """The library's documents, for schemas that refer to them, with their numbers as those of schemas are here."""
    known = ((uri, Resource.from_contents(exact(one.contents), DRAFT202012)) for uri, one in SPECIFICATIONS.items())
    return NOTHING.with_resources(known).crawl()


def _links(dialect: Any, rules: Any, resolver: Any, work: Work, is_mixed: bool) -> dict[int, tuple[Any, list[Any]]]:
    """By identity each sub-schema, with those that judge the same value. Raises Invalid for a reference that leads nowhere."""
    links: dict[int, tuple[Any, list[Any]]] = {}
    inside: list[Any] = [(rules, resolver, dialect)]
    targets: list[Any] = []
    while inside or targets:
        is_target = not inside
        rule, resolver, dialect = inside.pop() if inside else targets.pop()
        if id(rule) in links:
            continue
        before, dialect = dialect, dialect_of(rule, dialect)
        if is_target or dialect is not before:  # it may stand where no sub-schema is, or has a dialect of its own
            _check_shape(dialect, rule, work, is_mixed)
        if not isinstance(rule, dict):
            continue
        work.spend()
        specification = dialect.SPECIFICATION
        if rule is not rules:
            work.spend(joining(resolver, rule))
            resolver = resolver.in_subresource(specification.create_resource(rule))
        named = [name for name in ("$ref", "$dynamicRef") if name in rule and name in dialect.VALIDATORS]
        references = [_reference(rule, name) for name in named]
        work.spend(*(cost_of(resolver, one) for one in references))
        found = [_target(resolver, one) for one in references]
        ignoring = "$ref" in rule and specification in IGNORING
        beside = [] if ignoring else list(_in_place(rule, dialect.VALIDATORS))
        links[id(rule)] = rule, [*(one.contents for one in found), *beside]
        targets += [(one.contents, one.resolver, dialect) for one in found]
        parts = (*beside, *specification.subresources_of(rule), *(_earlier_parts(rule) if dialect is OPEN else ()))
        inside += [(one, resolver, dialect) for one in parts]
    return links


def _earlier_parts(rule: dict[str, Any]) -> Iterator[Any]:
    """The sub-schemas that the newest draft does not know, and which are judged where none is named."""
    if isinstance(rule.get("items"), list):
        yield from (*rule["items"], rule.get("additionalItems", True))


def _reference(rule: dict[str, Any], name: str) -> str:
    """Draft 3 and 4 do not say in their metaschemas what a reference is."""
    if not isinstance(rule[name], str):
        raise not_one(name, "is no reference: a reference is a text")
    return str(rule[name])


def _target(resolver: Any, reference: str) -> Any:
    try:
        return resolver.lookup(reference)
    except (Unresolvable, ValueError, TypeError, AttributeError, LookupError):
        says = f"leads to {shortened(reference)}, which is not in this schema, and nothing is fetched"
        raise not_one("$ref", says) from None


def _in_place(rule: Any, keywords: Any) -> Iterator[Any]:
    """The sub-schemas that judge the same value, of the keywords that the dialect knows."""
    for name in (name for name in rule if name in keywords or name in ("then", "else")):
        if name in ("allOf", "anyOf", "oneOf"):
            yield from rule[name]
        elif name in ("not", "if", "then", "else"):
            yield rule[name]
        elif name in ("dependentSchemas", "dependencies"):
            yield from rule[name].values()


def _check_size(links: dict[int, tuple[Any, list[Any]]]) -> None:
    """Raises TooLong, TooDeep for more than a value should be judged by, Invalid for what would never end."""
    sizes: dict[int, int] = {}

    def size_of(rule: Any, level: int) -> int:
        if not isinstance(rule, dict):
            return 0
        known = sizes.get(id(rule))
        if known is None:
            if level == MOST_LEVELS:
                raise TooDeep
            sizes[id(rule)] = -1
            known = 1 + sum(size_of(one, level + 1) for one in links[id(rule)][1])
            if known > MOST_IN_PLACE:
                raise TooLong
            sizes[id(rule)] = known
        if known < 0:
            raise not_one("$ref", "comes back to itself without going into the value, so that it has no end")
        return known

    for rule, _ in links.values():
        size_of(rule, 0)
