"""The SDK and the gateway read the texts of Bedrock alike, and both refuse what has no certain reading."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.client.bedrock.decoding import digest_in
from placet.client.errors import NotExact
from placet.frameworks.bedrock.decoding import decode
from placet.model.canonical import digest
from placet.model.errors import Invalid

READ = [
    ("string", "007"),
    ("string", ""),
    ("string", 'ä\u202e"\\\n\U0001f600'),
    ("integer", "5000"),
    ("integer", "-0"),
    ("integer", "-17"),
    ("integer", "999999999999999999"),
    ("number", "12.50"),
    ("number", "12.5"),
    ("number", "0.100000000000000005"),
    ("number", "-0.0"),
    ("number", "7"),
    ("boolean", "true"),
    ("boolean", "false"),
    ("array", "[1, 2.50, -0, 1e22, 123456789012345678901234567890]"),
    ("array", "[]"),
    ("array", '[{"item": "a:b=c, d", "quantity": 2.0}]'),
    ("object", '{"z": 1, "a": {"A": null, "ä": [true]}}'),
]
REFUSED = [
    ("integer", "5e3"),
    ("integer", "05000"),
    ("integer", "5,000"),
    ("integer", "5000.0"),
    ("integer", " 5000"),
    ("integer", "\u0665"),
    ("integer", "1000000000000000000"),
    ("number", "NaN"),
    ("number", "1e309"),
    ("number", ".5"),
    ("number", "five hundred"),
    ("boolean", "True"),
    ("boolean", "yes"),
    ("boolean", ""),
    ("array", "['a', 'b']"),
    ("array", "[{itemName=item1, quantity=2}]"),
    ("array", '{"a": 1}'),
    ("array", "[NaN]"),
    ("array", '[{"a": 1, "a": 2}]'),
    ("array", '["\\ud800"]'),
    ("array", "[" * 5_000 + "]" * 5_000),
    ("object", "[1]"),
    ("", "x"),
    ("date", "2026-11-29"),
]
TEXT = st.text(max_size=12) | st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,20})?(e[0-9])?", fullmatch=True)
NESTED = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4), st.lists, max_leaves=6)
TYPED = ("string", "integer")
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "", "date"])


def one(declared: str, text: str, name: str = "x") -> dict[str, str]:
    return {"name": name, "type": declared, "value": text}


@pytest.mark.parametrize(("declared", "text"), READ)
def test_both_sides_compute_one_digest(declared: str, text: str) -> None:
    found = decode([one(declared, text)])
    assert not found.unreadable
    assert digest_in([one(declared, text)]) == digest(found.arguments)


def test_both_leave_out_what_came_without_a_value() -> None:
    given = [{"name": "x", "type": "integer", "value": "1"}, {"name": "y", "type": "integer"}]
    assert digest_in(given) == digest(decode(given).arguments) == digest({"x": 1})
    with pytest.raises(NotExact, match="given twice"):
        digest_in([*given, {"name": "y", "type": "integer", "value": "2"}])


@pytest.mark.parametrize(("declared", "text"), REFUSED)
def test_both_sides_refuse(declared: str, text: str) -> None:
    assert decode([one(declared, text)]).unreadable
    with pytest.raises(NotExact):
        digest_in([one(declared, text)])


@pytest.mark.parametrize(
    "given",
    [
        [one("integer", "1"), one("integer", "1")],
        [{"name": "", "type": "string", "value": "x"}],
        [{"name": "x", "type": "string", "value": 5}],
        [{"name": "x", "value": "5"}],
        ["x"],
        [one("string", "\ud800")],
    ],
)
def test_lists_of_another_shape_are_refused(given: list[object]) -> None:
    with pytest.raises(NotExact):
        digest_in(given)


def test_order_does_not_count_and_text_does() -> None:
    first, second = one("integer", "1", "a"), one("number", "2.50", "b")
    assert digest_in([first, second]) == digest_in([second, first])
    assert digest_in([second]) != digest_in([one("number", "2.5", "b")])


@given(st.lists(st.tuples(st.text(min_size=1, max_size=3), TYPES, TEXT | NESTED.map(repr)), max_size=4))
def test_whatever_the_gateway_reads_the_sdk_reads_alike(values: list[tuple[str, str, str]]) -> None:
    """And the other way round: a call that the gateway cannot read is never confirmed, so the SDK must not find a digest."""
    given = [one(declared, text, name) for name, declared, text in values]
    try:
        found = decode(given)
    except Invalid:
        found = None
    try:
        computed = digest_in(given)
    except NotExact:
        assert found is None or found.unreadable or _lone(given)
        return
    assert found is not None
    assert not found.unreadable
    assert computed == digest(found.arguments)


@pytest.mark.parametrize(
    ("path", "body", "arguments"),
    [
        ([one("integer", "1")], [one("integer", "1")], {"x": 1}),
        ([one("integer", "1")], [one("integer", "2")], {"parameters.x": 1, "requestBody.x": 2}),
        ([one("integer", "1")], [one("string", "1")], {"parameters.x": 1, "requestBody.x": "1"}),
        ([one("integer", "1")], [one("integer", "2", "y")], {"x": 1, "y": 2}),
    ],
)
def test_both_tell_the_places_of_one_name_apart(path: list[Any], body: list[Any], arguments: dict[str, Any]) -> None:
    assert digest_in(path, body) == digest(decode(path, body).arguments) == digest(arguments)


FEW = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", "parameters.x", "requestBody.x"]),
        st.sampled_from(["1", "2", None]),
        st.sampled_from(TYPED),
    ),
    max_size=3,
)


@given(FEW, FEW)
def test_both_read_any_two_places_alike(path: list[tuple[str, Any, str]], body: list[tuple[str, Any, str]]) -> None:
    given = [[{"name": name, "type": declared, "value": value} for name, value, declared in at] for at in (path, body)]
    found = decode(*given)
    if found.unreadable:
        with pytest.raises(NotExact, match="given twice"):
            digest_in(*given)
    else:
        assert digest_in(*given) == digest(found.arguments)


def _lone(given: list[dict[str, str]]) -> bool:
    """Half of a surrogate pair cannot reach the gateway: its body would not be read."""
    return any("\ud800" <= character <= "\udfff" for each in given for text in each.values() for character in text)
