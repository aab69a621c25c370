"""The proof of exact JSON at its quick size, and planted bugs that it has to see."""

from unittest import mock

import pytest

from placet.model.canonical import Lexeme, canonical
from tests.proofs import Size, json
from tests.proofs.exact.corpus import cases


def test_the_proof_holds() -> None:
    proof = json.prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["corpus"] >= 300
    assert proof.figures["executed"] == proof.figures["generated"]


def test_the_corpora_are_whole() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names)
    assert sum(name[:2] in ("y_", "n_", "i_") for name in names) == 318


@pytest.mark.parametrize(
    ("where", "bug", "figure"),
    [
        ("placet.model.canonical._decimal", lambda text: Lexeme(repr(float(text))), "bytes_changed"),
        ("placet.model.canonical._object", dict, "accepted_wrong"),
        ("placet.model.canonical._check_surrogates", lambda value: None, "accepted_wrong"),
        ("placet.model.canonical._constant", Lexeme, "accepted_wrong"),
        ("placet.model.canonical.MAX_NUMBER_CHARACTERS", 30, "refused_wrong"),
        ("placet.service.execute.exact_text", canonical, "bytes_changed"),
    ],
)
def test_a_planted_bug_is_seen(where: str, bug: object, figure: str) -> None:
    with mock.patch(where, bug):
        proof = json.play(lambda line: None, 60, seed=1)
    assert proof.figures[figure] > 0
    assert proof.violations
