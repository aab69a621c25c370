"""The numbers of the settings and between what each of them lies: one table, so that none is without an end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EXACT = 2**53  # up to which every reader of JSON, JavaScript's too, keeps a number as it is
BOUNDS: Mapping[str, tuple[int, int]] = {
    "epoch": (1, EXACT),  # stored with every pause and permit
    "most_open": (1, 1_000_000),
    "stream_parallelization": (1, 10),  # Lambda's own
    "reserved_concurrency": (1, 100_000),  # none would stop a function for good
    "requests_per_second": (1, 10_000),  # the account's own limit, above which a brake brakes nothing
    "keeps_runs_days": (0, 3_650),
}


def amiss(name: str, value: Any) -> str:
    """What is wrong with a number of the settings, or with one of a table of them; empty when nothing is."""
    least, most = BOUNDS[name]
    for key, one in value.items() if isinstance(value, Mapping) else [("", value)]:
        if type(one) is not int or not least <= one <= most:
            of = f"of {key} " if key else ""
            return f"{of}must be a whole number from {least:,} to {most:,}, not {_short(one)}"
    return ""


def _short(value: Any) -> str:
    said = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else f"one of {value.bit_length()} bits"
    return said[:60]
