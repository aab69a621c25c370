"""Formats and regular expressions: read as widely as tools read, within bounds."""

from __future__ import annotations

import time
from typing import Annotated, Any

import pytest
from pydantic import AnyUrl, BaseModel, Field, IPvAnyAddress, StringConstraints, TypeAdapter, ValidationError

from placet.service.schemas.formats import fits
from placet.service.schemas.patterns import MOST_RETRIED, MOST_WEIGHT, NoPattern, Patterns, TooMuch, weight_of
from tests.unit.schemas.refusing import BROKEN, COMPLEX, NO_SCHEMA, refused, said

ZOD_EMAIL = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "date-time",
            ["2026-11-30T09:00:00Z", "1998-12-31T23:59:60Z", "2026-11-30 09:00"],
            ["tomorrow at nine", "2026-02-30T00:00:00Z"],
        ),
        ("date", ["2026-02-28"], ["31.02.2026", "2026-02-31", ""]),
        ("time", ["09:00:00Z", "09:00", "23:59:60Z"], ["25:00", "nine"]),
        ("duration", ["P1Y2M3DT4H", "P3W", "PT0.5S", "P1D"], ["soon", "P", "PT"]),
        ("uuid", ["6f0b1a52-0f2f-4b3a-9a44-0c8a2ad9d2a1", "6F0B1A520F2F4B3A9A440C8A2AD9D2A1"], ["not-a-uuid", ""]),
        ("email", ["a@b.example", "Bob <b@c.example>"], ["nobody", "a@", "@b", "a b@c"]),
        ("ipv4", ["192.0.2.1"], ["192.0.2.256", "::1"]),
        ("ipv6", ["::1", "2001:db8::1"], ["192.0.2.1", "g::"]),
        ("uri", ["https://a.example/b?c", "urn:isbn:1", "mailto:a@b.example"], ["a.example", "not a uri"]),
        ("hostname", ["a.b-c.example"], ["-a", "a..b", ""]),
        ("json-pointer", ["", "/a~1b"], ["a", "/~2"]),
        ("regex", ["^a+$", ZOD_EMAIL], ["(", "[a"]),
        ("money", ["anything"], []),
    ],
)
def test_a_format(name: str, good: list[str], bad: list[str]) -> None:
    rule = {"properties": {"a": {"format": name}}}
    assert [refused({"a": text}, rule)[0] for text in good] == [""] * len(good)
    assert [refused({"a": text}, rule)[0] for text in bad] == [BROKEN] * len(bad)
    assert refused({"a": 1}, rule)[0] == ""


def test_what_pydantic_takes_passes_the_schema_that_it_writes() -> None:
    import datetime as dt
    import uuid

    class Booking(BaseModel):
        at: dt.datetime
        day: dt.date
        hour: dt.time
        takes: dt.timedelta
        id: uuid.UUID
        page: AnyUrl
        host: IPvAnyAddress
        amount: Annotated[float, Field(gt=0, multiple_of=0.01)]
        code: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}\d+$")]
        note: str | None = None

    schema = Booking.model_json_schema()
    good: dict[str, Any] = {
        "at": "2026-11-30T09:00:00+01:00",
        "day": "2026-11-30",
        "hour": "09:00",
        "takes": "P1DT2H",
        "id": "6f0b1a52-0f2f-4b3a-9a44-0c8a2ad9d2a1",
        "page": "https://a.example",
        "host": "192.0.2.1",
        "amount": 4.02,
        "code": "EUR1",
    }
    Booking.model_validate(good)
    assert refused(good, schema) == ("", [])
    wrong = {
        "at": "tomorrow at nine",
        "day": "31.02.2026",
        "hour": "25:00",
        "takes": "soon",
        "id": "x",
        "page": "x",
        "host": "x",
    }
    for name, value in {**wrong, "amount": 4.021, "code": "eur1", "note": 1}.items():
        with pytest.raises(ValidationError):
            Booking.model_validate({**good, name: value})
        code, problems = refused({**good, name: value}, schema)
        assert (code, problems[0]["at"]) == (BROKEN, name)


def test_dates_are_read_as_pydantic_reads_them() -> None:
    import datetime as dt

    kinds = {"date-time": dt.datetime, "date": dt.date, "time": dt.time, "duration": dt.timedelta}
    texts = [
        "2026-11-30",
        "2026-11-30T09:00",
        "2026-11-30T09:00:00.123456Z",
        "09:00:00+02:00",
        "1700000000",
        "01:02:03",
        "-P1D",
        "1 day, 01:00:00",
    ]
    for name, kind in kinds.items():
        for text in texts:
            try:
                TypeAdapter(kind).validate_python(text)
            except ValidationError:
                continue
            assert fits(name, text), (name, text)


@pytest.mark.parametrize(
    ("pattern", "text", "code"),
    [
        ("^(a+)+$", "a" * 40 + "!", BROKEN),
        ("b", "abc", ""),
        (r"^\/\u0041\p{L}$", "/A\u00e9", ""),
        (r"^a$", "a\n", BROKEN),
        (ZOD_EMAIL, "a.b@c.example", ""),
        (ZOD_EMAIL, "a..b@c.example", BROKEN),
        (ZOD_EMAIL, "a.b@c.example\n", BROKEN),
        # as Java and JavaScript write letters beyond 16 bits, and what Rust reads as something else
        (r"^[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*$", "plain \U0001f600", ""),
        (r"^[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*$", "a\x01", BROKEN),
        (r"^\uD83D\uDE00$", "\U0001f600", ""),
        (r"^(\ud800[\udc00-\udfff]|[\ud801-\udbfe][\udc00-\udfff]|x)*$", "x\U0001f600\U00010000", ""),
        (r"^(\ud800[\udc00-\udfff]|[\ud801-\udbfe][\udc00-\udfff]|x)*$", "y", BROKEN),
        (r"^\<[a-z]+\>$", "<tag>", ""),
        (r"\<\w+\>", "hello", BROKEN),
        ("^[a-z&&]+$", "a&", ""),
        ("^[!--z]+$", "#z-", ""),
        ("^[!--z]+$", "a", BROKEN),
        ("^[a-z[0-9]+$", "[5", ""),
        ("^[a-z[0-9]]$", "[]", ""),
        ("^[[:alpha:]]$", "a", ""),
        (r"^\cA$", "\x01", ""),
        ("^[^]$", "\n", ""),
        # honest ones with large counts
        (r"^[^\s@\"]{1,64}@[^\s@]{1,255}$", "maria@example.com", ""),
        (r"\w{16,128}", "a" * 20, ""),
        (r"^[\s\S]{1,2000}$", "a", ""),
        (r"vpc-[\w]{1,120}", "vpc-1", ""),
        # looks ahead from the start, of any text
        (r"^(?!\s*$).+", "x" * 3_200, ""),
        (r"^(?!\s*$).+", "   ", BROKEN),
        (r"^(?=.*\d)(?=.*[a-z]).{3,}$", "a1b", ""),
        (r"^(?=.*\d)(?=.*[a-z]).{3,}$", "abc", BROKEN),
        (r"^(?!(a|b)$)\w+$", "ab", ""),
        (r"^(?!(a|b)$)\w+$", "a", BROKEN),
        (r"^(?!a|b)c|d", "xd", ""),
        (r"^(?!a)*b", "b", ""),
        (r"^(\w)\1$", "xx", ""),
        (r"^(\w)\1$", "xy", BROKEN),
        ("^{.*}$", "{x}", ""),
        (r"^(x+x+)+(?=y)y", "x" * 1_900, COMPLEX),
        (r"(?=x)x", "x" * 3_000, COMPLEX),
        ("((a{40}){40}){40}", "a", COMPLEX),
        (r"(?x)a # (", "a", NO_SCHEMA),
        ("(", "a", NO_SCHEMA),
        # the class of nothing, and what a group of a name has found
        ("[]", "a", BROKEN),
        ("^(?:[]|a)$", "a", ""),
        ("^(?:[]|a)$", "b", BROKEN),
        (r"^[x][]$|^[\]]$", "]", BROKEN),
        (r"[]\]", "]", BROKEN),
        ("^[]a]$", "]", ""),
        (r"^(?<n>a|b)\k<n>$", "bb", ""),
        (r"^(?<n>a|b)\k<n>$", "ab", BROKEN),
        (r"^(?<n>a)(?=b)b\k<n>$", "aba", ""),
        (r"^(?<year>\d{4})-\k<year>$", "2026-2026", ""),
        (r"^a\k<n>$", "ak<n>", ""),
        (r"^(?<m>a)\k<n>$", "ak<n>", NO_SCHEMA),
        (r"^[\k<n>]$", "<", ""),
        (r"^(?<n>a+)+\k<n>$", "a" * 1_900 + "!", COMPLEX),
        (r"^\p{RGI_Emoji}$", "a", NO_SCHEMA),
    ],
)
def test_a_pattern(pattern: str, text: str, code: str) -> None:
    began = time.process_time()
    for rule in ({"pattern": pattern}, {"propertyNames": {"pattern": pattern}}):
        value: Any = text if "pattern" in rule else {text: 1}
        assert refused({"a": value}, {"properties": {"a": rule}})[0] == code
    names = {"patternProperties": {pattern: {"not": {}}}}
    assert refused({text: 1}, names)[0] == {"": BROKEN, BROKEN: ""}.get(code, code)
    old = {"$schema": "http://json-schema.org/draft-04/schema#", **names}
    assert refused({text: 1}, old)[0] == {"": BROKEN, BROKEN: ""}.get(code, code)
    assert time.process_time() - began < 1.5


def test_a_list_of_a_thousand_addresses_or_ids_is_read() -> None:
    rule = {"properties": {"a": {"items": {"pattern": ZOD_EMAIL}}, "b": {"items": {"pattern": r"^[\w-]{1,36}$"}}}}
    assert refused({"a": ["someone@example.com"] * 1_000, "b": ["x" * 36] * 1_000}, rule)[0] == ""


def test_an_address_may_be_long() -> None:
    rule = {"properties": {"a": {"format": "uri"}}}
    assert refused({"a": "data:image/png;base64," + "A" * 100_000}, rule)[0] == ""
    assert refused({"a": "https://x.example/" + "a" * 2_500}, rule)[0] == ""
    assert refused({"a": "no address " * 1_000}, rule)[0] == BROKEN


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("a{100}", 100),
        ("(?:ab){3}", 6),
        ("((a{10}){10}){10}", 1_000),
        ("[]a)]{10}", 10),
        (r"[\]a)]{10}", 10),
        ("(?:a{50}[])]){50}", 2_500),
        (r"(?:a{50}[\\]){50}", 2_500),
        ("(?:a{50}[[x])]]){50}", 2_500),
        (r"(?:\p{L}){20}", 20 * 16),
        ("(?<n>a{9}){9}", 81),
        ("(?i:a{9}){9}", 81),
        ("a{5,}", 5),
        ("a{2,30}", 30),
    ],
)
def test_a_weight_is_never_too_small(pattern: str, least: int) -> None:
    assert weight_of(pattern) >= least


def test_what_is_too_heavy_is_never_built() -> None:
    for pattern in (f"a{{{MOST_WEIGHT + 1}}}", "(a{1000}){1000}", "(" * 200 + ")" * 200):
        with pytest.raises(TooMuch):
            Patterns().build(pattern)
    with pytest.raises(NoPattern):
        Patterns().build("a{99999999999}{")


def test_searches_of_one_check_have_one_budget() -> None:
    patterns = Patterns()
    for _ in range(MOST_RETRIED):
        assert patterns.found(r"(?=x)x", "x")
    with pytest.raises(TooMuch):
        patterns.found(r"(?=x)x", "x")
    little = Patterns(matching=1_000_000)
    assert not little.found("x" * 50, "y" * 10_000)
    with pytest.raises(TooMuch):
        little.found("x" * 50, "y" * 10_000)


def test_a_format_is_asked_of_arguments_before_people_are() -> None:
    assert said('"tomorrow at nine"', '{"type": "string", "format": "date-time"}') == BROKEN
