"""The proof of what a reviewer sees at its quick size, and planted bugs that it has to see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest

from placet.model import visible
from placet.web import assets, visible_text
from tests.proofs import Size, layout
from tests.proofs.looking.texts import ours, texts


def test_the_proof_holds() -> None:
    proof = layout.prove(print, Size(quick=True))
    assert proof.violations == [], proof.table
    assert proof.figures["texts"] == len(layout.QUICK)


def test_there_are_texts_enough_and_each_name_once() -> None:
    names = [text.name for text in texts()]
    assert len(names) == len(set(names)) >= layout.LEAST
    assert set(layout.QUICK) <= set(names)
    assert {kind.partition(":")[0] for kind in names} == {"order", "alike", "hidden", "long", "honest", "naughty"}


@pytest.fixture(scope="module")
def window() -> Iterator[layout.Window]:
    """One browser for all planted bugs."""
    with layout.opened() as opened:
        yield opened


@contextmanager
def _style(*changes: tuple[str, str]) -> Iterator[None]:
    """The stylesheet with some of its rules changed, under a name that no browser has seen."""
    body = assets._BODIES["placet.css"].decode()
    for old, new in changes:
        assert old in body, old
        body = body.replace(old, new)
    name = f"planted-{hash(body)}.css"
    with (
        mock.patch.dict(assets._BODIES, {"placet.css": body.encode()}),
        mock.patch.dict(assets._LASTING, {name: "placet.css"}),
        mock.patch.dict(assets._URLS, {"placet.css": f"/static/{name}"}),
    ):
        yield


def _without(tag: str):
    return mock.patch.object(visible_text, "Markup", _Forgetful.of(tag))


class _Forgetful(visible_text.Markup):
    """Markup that leaves one element away."""

    tag = ""

    @classmethod
    def of(cls, tag: str) -> type[_Forgetful]:
        return type("Without", (cls,), {"tag": tag})

    def __new__(cls, text: str = "") -> visible_text.Markup:
        return visible_text.escape("").__class__(
            text.replace(f"<{cls.tag}", "<span").replace(f"</{cls.tag}>", "</span>")
        )


ONE_LINE = ("overflow: hidden; text-overflow: ellipsis; white-space: nowrap;", "")
LOW = ("max-block-size: 20vh; overflow: hidden auto;", "")
WRAPPED = ("overflow-wrap: anywhere", "overflow-wrap: normal")
KEPT_IN = ("overflow: hidden; overflow: clip;", "")
BUGS = {
    "a bar without a height": (
        "covered",
        "long: a word of 590",
        lambda: _style(ONE_LINE, LOW, (".bar .value { white-space: pre; }", "")),
    ),
    "words that do not wrap": ("covered", "long: a word of 590", lambda: _style(WRAPPED)),
    "words that widen the page": ("sideways", "long: a word of 590", lambda: _style(WRAPPED, KEPT_IN)),
    "marks painted over others": ("covered", "alike: thirty marks on a foreign letter", lambda: _style(KEPT_IN)),
    "no order": ("order_differs", "order: a host behind a Hebrew one", lambda: _without("bdo")),
    "a field with an order of its own": (
        "order_differs",
        "order: a host behind a Hebrew one",
        lambda: _style(("unicode-bidi: bidi-override", "color: inherit")),
    ),
    "no frames": ("unmarked", "order: a host behind a Hebrew one", lambda: _without("mark")),
    "a slash that is none": (
        "unmarked",
        "alike: division slash",
        lambda: mock.patch("placet.model.lookalikes._RESEMBLING", frozenset()),
    ),
    "blanks that push": (
        "unmarked",
        "hidden: alternating wide spaces",
        lambda: mock.patch("placet.model.visible._pads", return_value=()),
    ),
    "an escape between Hebrew letters": (
        "order_differs",
        "order: Hebrew around a mark",
        lambda: mock.patch("placet.model.visible._turned", visible.pieces),
    ),
    "a name that widens its column": (
        "sideways",
        "long: a path",
        lambda: _style((".batch tbody th { overflow-wrap: anywhere; }", "")),
    ),
    "nobody asked": (
        "unmarked",
        "hidden: zero width",
        lambda: mock.patch("placet.web.panels.findings", return_value=visible_text.Counts()),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_seen(bug, window) -> None:
    figure, name, planted = BUGS[bug]
    visible_text.pieces.cache_clear()
    with planted():
        chosen = [text for text in ours() if text.name == name]
        proof = layout.play(lambda line: None, chosen, [390, 768], least=1, window=window)
    visible_text.pieces.cache_clear()
    assert proof.figures[figure] > 0, proof.table
    assert proof.violations
