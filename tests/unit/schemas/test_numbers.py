"""Numbers are judged as they are written: no float is between."""

from __future__ import annotations

import pytest

from placet.model.canonical import parse
from placet.service.schemas.values import Number, Sameness, Unusable, exact, is_integral, is_multiple
from tests.unit.schemas.refusing import BROKEN, NO_SCHEMA, refused, said


@pytest.mark.parametrize(
    ("value", "schema", "code"),
    [
        *((amount, '{"multipleOf": 0.01}', "") for amount in ("4.02", "1.11", "19.99", "300.52", "2161.22", "1.21")),
        ("4.021", '{"multipleOf": 0.01}', BROKEN),
        ("9" * 1000, '{"multipleOf": 0.01}', ""),
        ("1e300", '{"multipleOf": 0.3}', BROKEN),
        ("3e300", '{"multipleOf": 0.3}', ""),
        ("100.00000000000000000001", '{"maximum": 100}', BROKEN),
        ("100.0000", '{"maximum": 100}', ""),
        ("100", '{"exclusiveMaximum": 100.00000000000000000001}', ""),
        ("9007199254740993", '{"maximum": 9007199254740992}', BROKEN),
        ("9007199254740993", '{"enum": [9007199254740992]}', BROKEN),
        ("1.0", '{"type": "integer"}', ""),
        ("1e2", '{"type": "integer"}', ""),
        ("1.5", '{"type": "integer"}', BROKEN),
        ("true", '{"type": "integer"}', BROKEN),
        ("true", '{"type": "number"}', BROKEN),
        ("true", '{"enum": [1]}', BROKEN),
        ("1.0", '{"enum": [1]}', ""),
        ("1", '{"const": 1.00}', ""),
        ("0", '{"const": false}', BROKEN),
        ("[1, 1.0]", '{"uniqueItems": true}', BROKEN),
        ("[1, true]", '{"uniqueItems": true}', ""),
        ('[{"x": 1, "y": 2}, {"y": 2.0, "x": 1}]', '{"uniqueItems": true}', BROKEN),
        ("1e-999999999", '{"multipleOf": 1e-999999999}', ""),
        ("1e-999999999", '{"multipleOf": 3, "minimum": 1e-999999998}', BROKEN),
        ("1e-999999999", '{"exclusiveMinimum": 0}', ""),
        ("1", '{"multipleOf": 0}', NO_SCHEMA),
        ("1", '{"multipleOf": 1e-99999999999999999999}', NO_SCHEMA),
        ("1e-99999999999999999999", '{"type": "number"}', BROKEN),
    ],
)
def test_a_number(value: str, schema: str, code: str) -> None:
    assert said(value, schema) == code


def test_numbers_beyond_any_double_cost_nothing() -> None:
    """A request cannot hold 1e400, other callers might."""
    for text in ("1e400", "1e999999999999", "-1e400"):
        number = Number(text)
        assert is_integral(number)
        assert is_multiple(number, Number("0.01"))
        assert not is_multiple(Number("1"), number)
        assert (number > Number(100)) == (text[0] != "-")


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(Unusable):
        exact(float("nan"))
    assert refused({"a": float("inf")}, {})[0] == BROKEN


def test_the_same_value_is_the_same() -> None:
    same = Sameness()
    pairs = [("1", "1.0"), ('{"a":1,"b":[2]}', '{"b":[2.0],"a":1}'), ("0", "-0.0"), ("[]", "[]")]
    for left, right in [(exact(parse(one)), exact(parse(other))) for one, other in pairs]:
        assert same.of(left) == same.of(right)
    same = Sameness()  # what it knows has to stay alive
    different = [exact(parse(text)) for text in ("1", "true", '"1"', "null", "[1]", '{"1":1}', "[]", "{}", '"n0 1 0"')]
    assert len({same.of(one) for one in different}) == len(different)


def test_numbers_that_python_would_hash_alike_are_told_apart_quickly() -> None:
    alike = [(2**61 - 1) * one for one in range(1, 9_000)]
    assert refused({"a": alike}, {"properties": {"a": {"uniqueItems": True}}})[0] == ""
