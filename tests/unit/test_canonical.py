"""Exact JSON: refused, or kept to the byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.model.canonical import MAX_DEPTH, Lexeme, canonical, digest, exact_text, parse
from placet.model.errors import Invalid, TooLarge


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a":1,"a":2}', "json_duplicate_key"),
        ('{"b":{"a":1,"a":1}}', "json_duplicate_key"),
        ('{"a":1,"\\u0061":2}', "json_duplicate_key"),
        ("[NaN]", "json_number"),
        ("[Infinity]", "json_number"),
        ("[-Infinity]", "json_number"),
        ("[1e400]", "json_number"),
        ("[" + "9" * 1001 + "]", "json_number"),
        ('["\\ud800"]', "json_surrogate"),
        ('{"\\udfff":1}', "json_surrogate"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "json_too_deep"),
        ("[" * 100_000, "json_too_deep"),
        ("{", "json_invalid"),
        ("", "json_invalid"),
        ("[1,]", "json_invalid"),
        ("[01]", "json_invalid"),
        ("\ufeff[]", "json_invalid"),
        ("'a'", "json_invalid"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_its_code(text: str, code: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse(text)
    assert caught.value.code == code
    assert caught.value.malformed


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(Invalid):
        parse(b'"\xff"')


def test_a_body_over_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(TooLarge):
        parse('"' + "a" * 100 + '"', max_bytes=101)
    assert parse('"' + "a" * 99 + '"', max_bytes=101) == "a" * 99


@pytest.mark.parametrize(
    "text", ["1", "1.0", "1.00", "1e0", "-0", "0.1", "9007199254740993", "9" * 900, "1E+2", "1e-300"]
)
def test_a_number_is_kept_as_it_was_written(text: str) -> None:
    assert exact_text(parse(text)) == text
    assert canonical(parse(text)) == text


def test_key_order_is_kept_in_the_text_and_sorted_in_the_canonical_form() -> None:
    value = parse('{ "b" : 1.50 , "a" : [ true, null ] }')
    assert exact_text(value) == '{"b":1.50,"a":[true,null]}'
    assert canonical(value) == '{"a":[true,null],"b":1.50}'
    assert digest(value) == digest(parse('{"a":[true,null],"b":1.50}'))


@pytest.mark.parametrize(
    ("one", "other"), [("1", "1.0"), ("0", "-0"), ('"é"', '"e\u0301"'), ('"1"', "1"), ("true", "1")]
)
def test_values_that_differ_have_other_digests(one: str, other: str) -> None:
    assert digest(parse(one)) != digest(parse(other))


def test_a_lexeme_is_not_taken_for_text() -> None:
    assert exact_text([Lexeme("1.50"), "1.50"]) == '[1.50,"1.50"]'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_text_survives_the_round_trip_to_the_byte(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    read = parse(text)
    assert exact_text(read) == text
    assert canonical(parse(canonical(read))) == canonical(read)
