"""Before and after of an edit, one row per argument, in exact JSON: the text "620" and the number 620 must not look alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.canonical import parse
from placet.service.views import EditPreview
from placet.web.arguments import MOST_ROWS, laid_out


@dataclass(frozen=True)
class Row:
    """One argument; `word` is same, changed, added or taken out. The texts are empty where it is absent."""

    name: str
    before: str
    after: str
    word: str

    @property
    def differs(self) -> bool:
        """Whether the edit touches it."""
        return self.word != "same"


def rows_of(preview: EditPreview) -> tuple[Row, ...]:
    """The rows in the preview's order (changed ones first), their texts from the arguments themselves; of too many one row."""
    before, after = preview.call.arguments, parse(preview.text)
    if len(preview.rows) > MOST_ROWS:
        return (Row("every argument", laid_out(before), laid_out(after), "changed"),)
    return tuple(_row(name, before, after, changed) for name, _, _, changed in preview.rows)


def _row(name: str, before: dict[str, Any], after: dict[str, Any], changed: bool) -> Row:
    word = "same"
    if changed:
        word = "added" if name not in before else "taken out" if name not in after else "changed"
    return Row(name, _text(before, name), _text(after, name), word)


def _text(values: dict[str, Any], name: str) -> str:
    return laid_out(values[name]) if name in values else ""
