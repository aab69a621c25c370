"""docs/tour.md: every name stands in its file, and whatever an arrow begins at leads to where it ends, in the page's order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.reading import ROOT
from tests.docs.tracing import File, file_of

PAGE = ROOT / "docs/tour.md"
VERBS = ["capture", "dispatch", "notify", "escalate", "review", "decide", "resume", "execute", "sweep"]


class Hop(NamedTuple):
    """`Class.method`, or a name beside classes, in a file."""

    name: str
    path: str

    @property
    def file(self) -> File:
        return file_of((PAGE.parent / self.path).resolve())

    @property
    def is_there(self) -> bool:
        return self.name in self.file

    @property
    def last(self) -> str:
        """Its name without its class."""
        return self.name.rpartition(".")[2]


def ways(text: str) -> list[list[Hop]]:
    """The hops of each line that has arrows."""
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    return [[Hop(*found) for found in re.findall(r"\[`([\w.]+)`\]\((\S+?\.py)\)", line)] for line in lines]


def wrong(text: str) -> list[str]:
    """What of a page is not so."""
    hops = [hop for way in ways(text) for hop in way]
    gone = [f"{hop.name} is not in {hop.path}" for hop in hops if not hop.is_there]
    return gone or [sentence for part in text.split("\n## ") for sentence in lost(part)]


def lost(part: str) -> Iterator[str]:
    """Arrows of one part that lead nowhere, or to what was called before the arrow above it."""
    pairs = list(dict.fromkeys(pair for way in ways(part) for pair in pairwise(way)))
    for one in dict.fromkeys(one for one, _ in pairs):
        used, at = one.file.used_by(one.name), -1
        for other in (other for begins, other in pairs if begins == one):
            after = [number for number, name in enumerate(used) if name == other.last]
            if not after:
                yield f"{one.name} of {one.path} does not lead to {other.name}"
            elif after[-1] <= at:
                yield f"{one.name} of {one.path} calls {other.name} sooner"
            at = next((number for number in after if number > at), at)


def test_every_step_is_in_the_code() -> None:
    assert wrong(PAGE.read_text()) == []
    assert sum(map(len, ways(PAGE.read_text()))) > 60


def test_it_goes_in_the_order_of_the_flow_and_each_verb_has_its_function_and_its_file() -> None:
    parts = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]
    assert [part.split()[0] for part in parts] == VERBS
    for verb, part in zip(VERBS, parts, strict=True):
        paths = {Path(hop.path).as_posix() for way in ways(part) for hop in way}
        assert f"../functions/{verb}/handler.py" in paths, verb
        assert f"../layers/core/python/placet/service/{verb}.py" in paths, verb


HERE = "../layers/core/python/placet/service"
SENDS = f"- [`notify`]({HERE}/notify.py) → [`Ses.send`](../layers/core/python/placet/aws/mail.py)"
TIMES = f"- [`notify`]({HERE}/notify.py) → [`set_timer`]({HERE}/timer.py)"


@pytest.mark.parametrize(
    "line",
    [
        "- [`decided`](../functions/decide/handler.py)",
        f"- [`post_form`](../functions/decide/handler.py) → [`sweep`]({HERE}/sweep.py)",
        "- [`Gateway.decide`](../layers/core/python/placet/client/gateway.py)",
        "- [`claim`](../functions/execute/handler.py)",
        # Both are named in the file, one by the other's neighbour.
        f"- [`edge_of`]({HERE}/dispatch.py) → [`start_wait`]({HERE}/dispatch.py)",
        f"{TIMES}\n{SENDS}",
    ],
)
def test_a_step_that_is_not_in_the_code_is_seen(line: str) -> None:
    assert len(wrong(line)) == 1


def test_what_one_function_calls_may_be_told_in_its_order() -> None:
    assert wrong(f"{SENDS}\n{TIMES}") == []
