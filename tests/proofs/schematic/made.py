"""Schemas that are built together with a value that fits and one that breaks what was built; the judge is not asked.

A dialect's own forms are used: boolean bounds in draft 4 and OpenAPI, tuples by `items` before 2020-12, `dependencies`
before 2019-09.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.proofs.schematic import deep, flat
from tests.proofs.schematic.drawing import URIS, Drawing, Family

FAMILIES: dict[str, tuple[str, Family]] = {
    "type": ("draft4", flat.types),
    "bounds": ("draft4", flat.bounds),
    "multipleOf": ("draft4", flat.multiples),
    "lengths": ("draft4", flat.lengths),
    "pattern": ("draft4", flat.patterns),
    "format": ("draft4", flat.formats),
    "enum": ("draft4", flat.enums),
    "const": ("draft6", flat.consts),
    "items": ("draft4", deep.items),
    "tuples": ("draft4", deep.tuples),
    "counts": ("draft4", flat.counts),
    "uniqueItems": ("draft4", flat.uniques),
    "contains": ("draft6", deep.contains),
    "objects": ("draft4", deep.objects),
    "names": ("draft4", deep.named),
    "dependencies": ("draft4", deep.dependents),
    "unevaluated": ("draft2019-09", deep.unevaluated),
    "logic": ("draft4", deep.logic),
    "conditions": ("draft7", deep.conditions),
    "references": ("draft4", deep.references),
    "recursion": ("draft4", deep.recursion),
    "nullable": ("none", flat.nullables),
}


def every_family() -> list[tuple[str, str]]:
    """Each dialect with each family that it has."""
    drawings = [Drawing(Random(0), dialect, FAMILIES) for dialect in URIS]  # noqa: S311 - nothing is drawn
    return [(one.dialect, name) for one in drawings for name, (since, _) in FAMILIES.items() if one.since(since)]


def whole(draw: Drawing, family: str = "") -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A whole schema, arguments that fit and arguments that break it. `family`: the outermost one; any, if none is named."""
    draw.families |= {family} if family else set()
    made = FAMILIES[family][1](draw, 1) if family else draw.inner()
    schema: dict[str, Any] = {"$schema": URIS[draw.dialect]} if URIS[draw.dialect] else {}
    schema |= {"type": "object", "properties": {"a": made.schema}, "required": ["a"]}
    if draw.named:
        schema[draw.place] = dict(draw.named)
    return schema, {"a": made.fits}, {"a": made.breaks}
