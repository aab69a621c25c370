"""Drawing a schema with its values: the dialects, the mark, and what one drawing knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.unit.schemas.refusing import URIS as DRAFTS

URIS = DRAFTS | {"none": "", "unknown": "https://example.com/dialects/ours"}
ORDER = tuple(URIS)
OPEN = ("none", "unknown")  # judged as 2020-12 with OpenAPI's forms
MARK = "MARKER"  # in texts of arguments, never in a schema
DEPTH = 3


@dataclass
class Drawing:
    """What is being drawn: the dialect, what is referred to, and which families were used."""

    random: Random
    dialect: str
    table: Mapping[str, tuple[str, Family]]
    named: dict[str, Any] = field(default_factory=dict)
    families: set[str] = field(default_factory=set)

    def since(self, dialect: str) -> bool:
        """Whether this dialect is that one or later."""
        return self.dialect in OPEN or ORDER.index(self.dialect) >= ORDER.index(dialect)

    @property
    def place(self) -> str:
        """Where this dialect keeps what is referred to."""
        return "$defs" if self.since("draft2019-09") else "definitions"

    def inner(self, level: int = 0) -> Made:
        """Any family: deeper ones up to some level."""
        known = [name for name, (since, _) in self.table.items() if self.since(since)]
        deep = [name for name in known if name not in FLAT]
        name = self.random.choice(deep if level < DEPTH and self.random.random() < 0.6 else sorted(FLAT & set(known)))
        self.families.add(name)
        return self.table[name][1](self, level + 1)

    def word(self) -> str:
        """A text with the mark."""
        return f"{MARK}-{self.random.randrange(10**6)}"


@dataclass(frozen=True)
class Made:
    """A schema, a value that fits it, and one that does not."""

    schema: Any
    fits: Any
    breaks: Any


Family = Callable[[Drawing, int], Made]
FLAT = {
    "type",
    "bounds",
    "multipleOf",
    "lengths",
    "pattern",
    "format",
    "enum",
    "const",
    "counts",
    "uniqueItems",
    "nullable",
}
