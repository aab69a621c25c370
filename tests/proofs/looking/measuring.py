"""What a browser shows of a page, measured: width, what is cut off or painted over, the bar, order, and frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = (Path(__file__).parent / "measuring.js").read_text()


@dataclass
class Seen:
    """What was wrong, by kind: (page, text, width, what)."""

    sideways: list[str] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)

    def add(self, where: str, found: dict[str, Any]) -> None:
        """What the script found on one page."""
        for kind in ("sideways", "covered", "order", "unmarked"):
            getattr(self, kind).extend(f"{where}: {one}" for one in sorted(set(found[kind])))
