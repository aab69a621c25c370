"""The public corpora with what Placet has to do with each case, and cases at the edges of the stated limits.

JSONTestSuite says of most cases what every reader must do (`y_` accept, `n_` refuse). Where it leaves the choice (`i_`, and the
transformations `t_`), docs/canonical-json.md decides: nothing is guessed, and what cannot be kept exactly is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"

# Must be accepted by the suite, is refused by the documented rule: of two values one would have to be thrown away.
STRICTER = {
    "y_object_duplicated_key": "json_duplicate_key",
    "y_object_duplicated_key_and_value": "json_duplicate_key",
}
KEPT = ("number", "object_key", "string_with_escaped_NULL")  # of the transformations: what can be kept as it is written
FREE = {  # of the free choices: numbers of any size and smallness are kept as text
    "i_number_double_huge_neg_exp",
    "i_number_real_underflow",
    "i_number_too_big_neg_int",
    "i_number_too_big_pos_int",
    "i_number_very_big_negative_int",
}


@dataclass(frozen=True)
class Case:
    """One text, whether it has to be accepted, and the code of its refusal where it is fixed."""

    name: str
    text: bytes
    accepted: bool
    code: str = ""


def cases() -> list[Case]:
    """All of them."""
    return [*_suite(), *_naughty(), *_edges()]


def _suite() -> Iterator[Case]:
    for raw in json.loads((DATA / "json_test_suite.json").read_text()):
        name = raw["name"]
        if name in STRICTER:
            yield Case(name, _bytes(raw), False, STRICTER[name])
        elif name.startswith(("y_", "n_")):
            yield Case(name, _bytes(raw), name.startswith("y_"))
        else:
            yield Case(name, _bytes(raw), name in FREE or name.removeprefix("t_").startswith(KEPT))


def _bytes(raw: dict[str, Any]) -> bytes:
    if "hex" in raw:
        return bytes.fromhex(raw["hex"])
    text = raw["text"] if "text" in raw else raw["unit"] * raw["times"] + raw["tail"]
    return str(text).encode()


def _naughty() -> Iterator[Case]:
    """Each naughty text as a key and a value, written as itself and with escapes."""
    for number, text in enumerate(json.loads((DATA / "blns.json").read_text())):
        pair = {"text": text, "in a list": [text], f"key {text}": 1}
        written = json.dumps(pair, ensure_ascii=number % 2 == 0)
        yield Case(f"naughty_{number}", written.encode(), True)


def _edges() -> Iterator[Case]:
    """One below, at and above each stated limit."""
    for depth in (63, 64, 65):
        yield Case(f"depth_{depth}", b"[" * depth + b"]" * depth, depth <= 64, "" if depth <= 64 else "json_too_deep")
    for size in (262_143, 262_144, 262_145):
        text = b'"' + b"x" * (size - 2) + b'"'
        yield Case(f"bytes_{size}", text, size <= 262_144, "" if size <= 262_144 else "body_too_large")
    for length in (999, 1_000, 1_001):
        fits = length <= 1_000
        yield Case(f"digits_{length}", b"0." + b"3" * (length - 2), fits, "" if fits else "json_number")
        yield Case(f"whole_digits_{length}", b"9" * length, fits, "" if fits else "json_number")
    for text, fits in ((b"1.7976931348623157e308", True), (b"1.797693134862315808e308", False), (b"-1e400", False)):
        yield Case(f"double_{text.decode()}", text, fits, "" if fits else "json_number")
