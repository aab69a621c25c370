"""Before and after of an edit, one row per argument, in exact JSON: the text "620" and the number 620 must not look alike.

What changes of a number is said as it reads, and a change of its size by itself (`placet.web.numbers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import parse
from placet.service.views import EditPreview
from placet.web.arguments import MOST_ROWS, laid_out
from placet.web.numbers import MOST_CHANGES, Change, changes_of


@dataclass(frozen=True)
class Row:
    """One argument; `word` is same, changed, added or taken out. The texts are empty where it is absent.

    Attributes:
        numbers: each number in it that the edit touches.
        stranger: whether the tool's schema has no word for it, and takes it all the same.
    """

    name: str
    before: str
    after: str
    word: str
    numbers: tuple[Change, ...] = ()
    stranger: bool = False

    @property
    def differs(self) -> bool:
        """Whether the edit touches it."""
        return self.word != "same"

    @property
    def by(self) -> str:
        """`-620.00` of an argument that is a number."""
        return next((change.by for change in self.numbers if len(change.place) == 1), "")


def rows_of(preview: EditPreview) -> tuple[Row, ...]:
    """The rows in the preview's order (changed ones first), their texts from the arguments themselves; of too many one row."""
    before, after = preview.call.arguments, parse(preview.text)
    numbers = changes_of(before, after)
    if len(preview.rows) > MOST_ROWS:
        return (Row("every argument", laid_out(before), laid_out(after), "changed", tuple(numbers)),)
    return tuple(_row(preview, name, before, after, changed, numbers) for name, _, _, changed in preview.rows)


def warnings_of(rows: tuple[Row, ...]) -> list[tuple[str, str]]:
    """(argument, sentence) of each change that is one of size, or that reads otherwise in another country."""
    numbers = [change for row in rows for change in row.numbers]
    found = [(" \u203a ".join(change.place), change.warning) for change in numbers if change.warning]
    if len(numbers) == MOST_CHANGES:
        found.append(
            ("More", f"Only the first {MOST_CHANGES} numbers that change are told here; read the others in the table.")
        )
    return found


def is_closed(schema: Mapping[str, object] | None) -> bool:
    """Whether a tool's schema refuses names that it does not know."""
    return schema is not None and (
        schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False
    )


def _is_stranger(schema: Mapping[str, object] | None, name: str) -> bool:
    """Whether a schema that names its arguments does not name this one."""
    known = schema.get("properties") if schema is not None else None
    if schema is None or not isinstance(known, Mapping) or name in known:
        return False
    return not any(schema.get(word) for word in ("patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if"))


def _row(
    preview: EditPreview, name: str, before: dict[str, Any], after: dict[str, Any], changed: bool, numbers: list[Change]
) -> Row:
    word = "same"
    if changed:
        word = "added" if name not in before else "taken out" if name not in after else "changed"
    own = tuple(change for change in numbers if change.place[0] == name)
    stranger = name in after and _is_stranger(preview.call.schema, name)
    return Row(name, _text(before, name), _text(after, name), word, own, stranger)


def _text(values: dict[str, Any], name: str) -> str:
    return laid_out(values[name]) if name in values else ""
