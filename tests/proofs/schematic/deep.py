"""Families of rules that hold others."""

from __future__ import annotations

from typing import Any

from tests.proofs.schematic.drawing import Drawing, Made


def items(draw: Drawing, level: int) -> Made:
    item = draw.inner(level)
    times = draw.random.randrange(1, 4)
    broken = [item.fits] * times
    broken[draw.random.randrange(times)] = item.breaks
    return Made({"type": "array", "items": item.schema}, [item.fits] * times, broken)


def tuples(draw: Drawing, level: int) -> Made:
    first, second = draw.inner(level), draw.inner(level)
    keyword = "prefixItems" if draw.since("draft2020-12") else "items"
    rest = {"items": False} if draw.since("draft2020-12") else {"additionalItems": False}
    schema = {"type": "array", keyword: [first.schema, second.schema]} | (rest if draw.random.random() < 0.5 else {})
    if len(schema) == 3 and draw.random.random() < 0.5:
        return Made(schema, [first.fits, second.fits], [first.fits, second.fits, draw.word()])
    return Made(schema, [first.fits, second.fits], [first.fits, second.breaks])


def contains(draw: Drawing, level: int) -> Made:
    schema: dict[str, Any] = {"contains": {"type": "integer"}}
    if not draw.since("draft2019-09") or draw.random.random() < 0.4:
        return Made(schema, [draw.word(), 1], [draw.word()])
    if draw.random.random() < 0.5:
        return Made({**schema, "minContains": 2}, [1, draw.word(), 2], [1, draw.word()])
    return Made({**schema, "maxContains": 1}, [1, draw.word()], [1, 2])


def objects(draw: Drawing, level: int) -> Made:
    one, two = draw.inner(level), draw.inner(level)
    schema = {"type": "object", "properties": {"x": one.schema, "y": two.schema}, "required": ["x"]}
    closed = {**schema, "additionalProperties": False}
    good = {"x": one.fits, "y": two.fits}
    return draw.random.choice(
        [
            Made(schema, good, {**good, "x": one.breaks}),
            Made(schema, {"x": one.fits}, {"y": two.fits}),
            Made(closed, good, {**good, "z": draw.word()}),
            Made({**schema, "additionalProperties": {"type": "integer"}}, {**good, "z": 1}, {**good, "z": draw.word()}),
        ]
    )


def named(draw: Drawing, level: int) -> Made:
    inner = draw.inner(level)
    rules = {"patternProperties": {"^p_": inner.schema}, "additionalProperties": {"type": "null"}}
    made = [
        Made(rules, {"p_1": inner.fits, "q": None}, {"p_1": inner.breaks}),
        Made(rules, {"q": None}, {"q": draw.word()}),
    ]
    if draw.since("draft6"):
        made.append(Made({"propertyNames": {"maxLength": 2}}, {"ab": draw.word()}, {"abc": draw.word()}))
    return draw.random.choice(made)


def dependents(draw: Drawing, level: int) -> Made:
    good, bad = {"x": draw.word(), "y": draw.word()}, {"x": draw.word()}
    inner = draw.inner(level)
    rule = {"properties": {"y": inner.schema}, "required": ["y"]}
    if not draw.since("draft2019-09"):
        first = Made({"dependencies": {"x": ["y"], "z": {}}}, good, bad)
        second = Made({"dependencies": {"x": rule}}, {**good, "y": inner.fits}, {**good, "y": inner.breaks})
    else:
        first = Made({"dependentRequired": {"x": ["y"]}}, good, bad)
        second = Made({"dependentSchemas": {"x": rule}}, {**good, "y": inner.fits}, {**good, "y": inner.breaks})
    return draw.random.choice([first, second])


def unevaluated(draw: Drawing, level: int) -> Made:
    inner = draw.inner(level)
    part = {"allOf": [{"properties": {"x": inner.schema}}], "unevaluatedProperties": False}
    if draw.random.random() < 0.5:
        return Made(part, {"x": inner.fits}, {"x": inner.fits, "y": draw.word()})
    tuple_ = "prefixItems" if draw.since("draft2020-12") else "items"
    return Made(
        {"anyOf": [{tuple_: [inner.schema]}], "unevaluatedItems": False}, [inner.fits], [inner.fits, draw.word()]
    )


def logic(draw: Drawing, level: int) -> Made:
    inner = draw.inner(level)
    never = f"never drawn but here: {draw.random.randrange(10**9)}"  # a schema inside may have one of its own
    other = {"enum": [never]}
    keyword = draw.random.choice(["allOf", "anyOf", "oneOf", "not"])
    if keyword == "allOf":
        return Made({"allOf": [{}, inner.schema]}, inner.fits, inner.breaks)
    if keyword == "not":
        return Made({"not": {"not": inner.schema}}, inner.fits, inner.breaks)
    both = Made({"oneOf": [inner.schema, inner.schema, other]}, never, inner.fits)
    if keyword == "oneOf" and not _takes_texts(inner) and draw.random.random() < 0.4:
        return both
    return Made({keyword: draw.random.sample([other, inner.schema], 2)}, inner.fits, inner.breaks)


def _takes_texts(made: Made) -> bool:
    """Whether a free text might fit, as far as the schema's own types do not say otherwise."""
    return not (
        isinstance(made.schema, dict)
        and made.schema.get("type") in ("array", "object", ["array"], "integer", "null", "boolean")
    )


def conditions(draw: Drawing, level: int) -> Made:
    inner = draw.inner(level)
    rule = {"if": {"required": ["x"]}, "then": {"properties": {"x": inner.schema}}, "else": {"required": ["z"]}}
    if draw.random.random() < 0.5:
        return Made(rule, {"x": inner.fits}, {"x": inner.breaks})
    return Made(rule, {"z": draw.word()}, {"y": draw.word()})


def references(draw: Drawing, level: int) -> Made:
    name = f"n{len(draw.named)}"
    draw.named[name] = True if draw.since("draft6") else {}
    inner = draw.inner(level)
    if draw.since("draft2019-09") and draw.random.random() < 0.4 and isinstance(inner.schema, dict):
        draw.named[name] = {"$anchor": name, "allOf": [inner.schema]}
        return Made({"$ref": f"#{name}"}, inner.fits, inner.breaks)
    draw.named[name] = inner.schema
    return Made({"$ref": f"#/{draw.place}/{name}"}, inner.fits, inner.breaks)


def recursion(draw: Drawing, level: int) -> Made:
    name = f"n{len(draw.named)}"
    inner = {"$ref": f"#/{draw.place}/{name}"}
    draw.named[name] = {"type": "object", "properties": {"v": {"type": "integer"}, "next": inner}, "required": ["v"]}
    if draw.dialect == "draft2020-12" and draw.random.random() < 0.5:
        draw.named[name] |= {"$dynamicAnchor": name}
        draw.named[name]["properties"] = {"v": {"type": "integer"}, "next": {"$dynamicRef": f"#{name}"}}
    good: Any = {"v": 0}
    bad: Any = {"v": draw.word()}
    for number in range(draw.random.randrange(1, 12)):
        good, bad = {"v": number, "next": good}, {"v": number, "next": bad}
    return Made(inner, good, bad)
