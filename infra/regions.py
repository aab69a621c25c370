"""Names of regions: those that botocore lists, and those that a newer one may be called, for AWS opens some each year."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache

import botocore
from botocore.loaders import Loader

# As all of them are called: a part of the world, in some partitions one of a country, a direction, a number.
_LIKE = re.compile(
    r"[a-z]{2,4}(?:-[a-z]{2,4})?-(?:north|south|central|(?:north|south)?(?:east|west))-[1-9][0-9]?", re.ASCII
)


@cache
def known() -> frozenset[str]:
    """Every region of every partition that botocore lists."""
    partitions = Loader().load_data("partitions")["partitions"]
    return frozenset(name for one in partitions for name in one["regions"] if not name.endswith("-global"))


def amiss(name: str) -> str:
    """What is wrong with the name of a region; empty when botocore lists it, or a newer one could be called so."""
    if name in known() or _LIKE.fullmatch(name):
        return ""
    return f"{name!r} is no region of AWS{_near(name)}"


def told(names: Iterable[str]) -> Iterator[str]:
    """A sentence for each that botocore does not list: newer than it, or misspelt."""
    for name in sorted(set(names) - known()):
        yield f"botocore {botocore.__version__} lists no region {name}: taken for a newer one{_near(name)}"


def _near(name: str) -> str:
    near = get_close_matches(name, sorted(known()), n=1, cutoff=0.8)
    return f"; is {near[0]} meant?" if near else ""
