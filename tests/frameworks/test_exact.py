"""Numbers and texts cross to the gateway and back as they are, and both sides agree on digests."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from placet.client import NotExact
from placet.client.exact import arguments_of, digest_of, to_text
from placet.model import canonical

VALUES = [
    {"amount": 240.0, "order_id": "1182"},
    {"z": 1, "a": {"ä": [1, 2.5, -0.0, 1e22, 1e-7]}, "A": None, "b": [True, False]},
    {"big": 2**200, "text": 'a\u202e"\\\n\x00\U0001f600', "": ""},
    {"nested": [[[{}]], []], "emoji\U0001f600": 1, "\uff5e": 2},
]


@pytest.mark.parametrize("value", VALUES)
def test_what_is_sent_is_the_value(value):
    assert json.loads(to_text(value)) == value


@pytest.mark.parametrize("value", VALUES)
def test_both_sides_compute_one_digest(value):
    text = to_text(value)
    assert digest_of(text) == canonical.digest(canonical.parse(text))


@pytest.mark.parametrize("text", ['{"a":200.00}', '{"a":2e2}', '{"a":-0}', '{"a":-0.0,"B":1.10}', '{"a":1E400}'])
def test_numbers_keep_their_text_in_the_digest(text):
    if "E400" in text:
        assert digest_of(text) != digest_of('{"a":1E401}')
        return
    assert digest_of(text) == canonical.digest(canonical.parse(text))
    assert digest_of('{"a":200.00}') != digest_of('{"a":200.0}')


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), {1: 2}, {"a": {1, 2}}, b"x", "\ud800"])
def test_what_json_cannot_say_is_refused(value):
    with pytest.raises(NotExact):
        to_text({"a": value} if not isinstance(value, dict) else value)


def test_permitted_arguments_come_back_as_float_or_decimal():
    assert arguments_of('{"amount":200.00,"n":9007199254740993}') == {"amount": 200.0, "n": 2**53 + 1}
    exact = arguments_of('{"amount":200.00}', decimals=True)["amount"]
    assert isinstance(exact, Decimal)
    assert str(exact) == "200.00"
    assert to_text({"amount": exact}) == '{"amount":200.00}'


def test_arguments_are_an_object():
    with pytest.raises(NotExact):
        arguments_of("[1]")
    with pytest.raises(NotExact):
        digest_of("{")
