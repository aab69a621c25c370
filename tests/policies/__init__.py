"""Policies as a customer writes them, with one mistake each: the first line says the sentence with which it is refused."""

from __future__ import annotations

from pathlib import Path

POLICIES = sorted(path for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def refused_with(path: Path) -> str:
    """What the refusal has to say; raises ValueError for a file that is to be taken."""
    verb, _, sentence = path.read_text().splitlines()[0].removeprefix("# ").partition(": ")
    if verb != "refused" or not sentence:
        raise ValueError(f"{path.name} is no mistake")
    return sentence
