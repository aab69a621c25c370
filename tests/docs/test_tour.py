"""docs/tour.md: every name stands in its file, and whoever an arrow begins at names what it leads to."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.reading import ROOT

PAGE = ROOT / "docs/tour.md"
VERBS = ["capture", "dispatch", "notify", "escalate", "review", "decide", "resume", "execute", "sweep"]


class Hop(NamedTuple):
    """`Class.method`, or a name beside classes, in a file."""

    name: str
    path: str

    @property
    def source(self) -> str:
        return (PAGE.parent / self.path).resolve().read_text()

    @property
    def is_there(self) -> bool:
        """Whether the file defines it, not only imports it."""
        outer, _, inner = self.name.partition(".")
        for node in ast.parse(self.source).body:
            named = [getattr(node, "name", ""), *(ast.unparse(one) for one in getattr(node, "targets", ()))]
            named.append(ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else "")
            if outer in named:
                return not inner or inner in {getattr(one, "name", "") for one in getattr(node, "body", ())}
        return False

    def leads_to(self, other: Hop) -> bool:
        """Whether its file names the other one beside where it defines something of that name."""
        name = other.name.rpartition(".")[2]
        return bool(re.search(rf"\b{name}\b", re.sub(rf"(?:def|class) {name}\b", "", self.source)))


def ways(text: str) -> list[list[Hop]]:
    """The hops of each line that has arrows."""
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    return [[Hop(*found) for found in re.findall(r"\[`([\w.]+)`\]\((\S+?\.py)\)", line)] for line in lines]


def wrong(text: str) -> list[str]:
    """What of a page is not so."""
    hops = [hop for way in ways(text) for hop in way]
    gone = [f"{hop.name} is not in {hop.path}" for hop in hops if not hop.is_there]
    pairs = [pair for way in ways(text) for pair in pairwise(way)]
    return gone + [f"{one.path} says nothing of {other.name}" for one, other in pairs if not one.leads_to(other)]


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


@pytest.mark.parametrize(
    "line",
    [
        "- [`decided`](../functions/decide/handler.py)",
        "- [`post_form`](../functions/decide/handler.py) → [`sweep`](../layers/core/python/placet/service/sweep.py)",
        "- [`Gateway.decide`](../layers/core/python/placet/client/gateway.py)",
        "- [`claim`](../functions/execute/handler.py)",
    ],
)
def test_a_step_that_is_not_in_the_code_is_seen(line: str) -> None:
    assert len(wrong(line)) == 1
