"""Numbers in another country's spelling, and texts that are no JSON: told in our words, with the place and what was meant."""

from __future__ import annotations

import json
import time

import pytest

from placet.model.errors import Invalid
from placet.model.numerals import is_json_number, meant_by, value_of, written_out
from placet.model.states import Verdict
from placet.service.editing import edited
from placet.service.loading import call_of
from placet.service.mistyped import told
from tests.gateway import REFUND, Gateway


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("620,25", ("620.25",)),
        ("1.240,50", ("1240.50",)),
        ("1,240.50", ("1240.50",)),
        ("1'240.5", ("1240.5",)),
        ("1\u2019240.5", ("1240.5",)),
        ("1 240,5", ("1240.5",)),
        ("1\u202f240", ("1240",)),
        ("1.240.500", ("1240500",)),
        ("1,240", ("1240", "1.240")),
        ("\u20ac620", ("620",)),
        ("620.25 EUR", ("620.25",)),
        ("620,-", ("620",)),
        (".5", ("0.5",)),
        ("+5", ("5",)),
        ("007", ("7",)),
        ("\u22125", ("-5",)),
        ("", ()),
        ("EUR", ()),
    ],
)
def test_what_is_meant(written: str, meant: tuple[str, ...]) -> None:
    assert meant_by(written) == meant
    assert all(map(is_json_number, meant))


@pytest.mark.parametrize(
    "written", ["620,25", "1.240,50", "1'240.5", "1 240", "\u20ac620", "620 EUR", "1,240", ".5", "05"]
)
def test_an_edit_with_a_number_of_another_country_is_told_where_and_what_to_write(written: str) -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND)
    text = f'{{\n  "order_id": "1182",\n  "amount": {written}\n}}'
    with pytest.raises(Invalid) as refused:
        edited(gateway.ports, head, call_of(head, 1), text)
    assert refused.value.detail.startswith("Line 3, amount: ")
    assert f"write {' or '.join(meant_by(written))}." in refused.value.detail


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The field is empty"),
        ('{"a": 1', "ends too early"),
        ('{"a": 1,}', "character 9: A comma stands before the end"),
        ("{'a': 1}", "straight double quotes"),
        ("{\u201ca\u201d: 1}", "straight double quotes"),
        ('{"a" 1}', "colon"),
        ('{"a": 1 "b": 2}', "comma is missing"),
        ('{"a": 1} // why', "have ended already"),
        ('{"a": "x\ny"}', "line break"),
        ('{"a": "\\q"}', "backslash"),
        ('{"a": True}', "a value is expected"),
    ],
)
def test_no_word_of_the_library_reaches_a_page(text: str, says: str) -> None:
    sentence = told(text)
    assert says in sentence
    with pytest.raises(json.JSONDecodeError) as theirs:
        json.loads(text)
    assert theirs.value.msg not in sentence


def test_a_long_line_is_told_of_at_once() -> None:
    for line in ("1" * 200_000 + "x", "1." * 100_000, "1 " * 100_000 + "x", '{"a": ' + "1'" * 100_000):
        begun = time.perf_counter()
        told(line)
        assert time.perf_counter() - begun < 1


def test_a_value_is_written_out_exactly_and_never_at_any_length() -> None:
    found = {text: value_of(text) for text in ("1.240", "620.25e1", "-0.10", "1e-7", "1.0000000")}
    said = {text: written_out(value) for text, value in found.items() if value is not None}
    assert said == {"1.240": "1.24", "620.25e1": "6202.5", "-0.10": "-0.10", "1e-7": "0.0000001", "1.0000000": "1.00"}
    for text in ("1e300", "1e-300", "9" * 900, "1,5", "NaN"):
        assert value_of(text) is None


def test_a_refused_edit_decides_nothing() -> None:
    gateway = Gateway()
    head = gateway.shown(REFUND)
    with pytest.raises(Invalid):
        gateway.decide(head, 1, Verdict.EDIT, arguments='{"order_id":"1182","amount":620,25}', new_digest="0" * 64)
    assert gateway.head(head.pause).open_calls == 1
