"""Two spellings of one person are one person, wherever people are compared: at the write, on the page, for a mail."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.model.people import SignedInAs, is_comparable, is_same_person, names_in, spellings


def wide(text: str) -> str:
    """In full-width letters, as some keyboards write them."""
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


SUB = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"
MARIA = frozenset({SUB, "maria@example.com"})
SPELLINGS = [
    "maria@example.com",
    SUB,
    SUB.upper(),
    f"urn:uuid:{SUB}",
    f"Maria Keller ({SUB})",
    "MARIA@example.com",
    "Maria@Example.com",
    "maria@EXAMPLE.com",
    "maria@example.com ",
    "\u3000\tmaria@example.com\n",
    "maria @ example.com",
    "ma ria@example.com",
    "Maria Keller <maria@example.com>",
    '"Keller, Maria" <maria@example.com>',
    "<maria@example.com>",
    "maria@example.com Maria Keller",
    "maria@example.com (Maria (finance))",
    "Maria (maria@example.com)",
    "maria(work)@example.com",
    "maria@(work)example.com",
    "Maria Keller (maria(work)@example.com)",
    "mailto:maria(work)%40example.com",
    "mailto:%6Daria%40example.com",
    '"maria"@example.com',
    '"m\\aria"@example.com',
    "'maria@example.com'",
    "mailto:maria@example.com",
    "MAILTO:maria@example.com?subject=refund",
    "mailto:maria%40example.com",
    wide("maria@example.com"),
    wide("Maria") + "@example.com",
    "\U0001d426aria@example.com",
    "maria@example\u3002com",
    "maria@example.com.",
    "ma\u200bria@example.com",
    "maria@exam\u00adple.com",
    "\ufeffmaria@example.com\u2060",
    "maria\U000e0020@example.com",
    "jonas@example.com; maria@example.com",
    "for maria@example.com, asked by jonas@example.com",
    "<mailto:maria@example.com|maria@example.com>",
    "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/maria@example.com",
    "AWSReservedSSO_Admin_abc/Maria@Example.com",
    "i:0#.f|membership|maria@example.com",
    "live.com#maria@example.com",
    "maria_example.com#EXT#@contoso.onmicrosoft.com",
    "tenant/maria_example.com#EXT#@contoso.onmicrosoft.com",
    "emailAddress=maria@example.com,CN=Maria,O=X",
    "CN=Maria/emailAddress=maria@example.com/O=X",
    "oidc|maria@example.com",
    "https://example.com/people?email=maria%40example.com",
    "maria@example.com/jonas",
    "maria@example.com|slack",
    "maria@example.com#work",
    "maria@example.com&tenant=1",
    "['maria@example.com']",
    '{"email":"maria@example.com"}',
    "maria\\@example.com",
    "%256Daria@example.com",
    "mailto:maria%2540example.com",
]
OTHERS = [
    "",
    " ",
    "\u3164",
    "maria",
    "Maria Keller",
    "aria@example.com",
    "maria@example.com.evil.example",
    "maria@example.org",
    "maria@sub.example.com",
    "maria+refunds@example.com",
    "m.aria@example.com",
    "m\u0430ria@example.com",
    "jonas@example.com",
    "role/jonas@example.com",
    "maria/jonas@example.com",
    "jonas_example.com#EXT#@contoso.onmicrosoft.com",
    "o'maria@example.com",
    SUB[:-1] + "e",
    f"a{SUB}",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_of_a_person_is_that_person(text: str) -> None:
    assert is_same_person(text, MARIA)
    assert is_comparable(text)
    assert text in spellings(MARIA, text)


@pytest.mark.parametrize("text", OTHERS)
def test_tags_dots_look_alikes_and_other_people_are_somebody_else(text: str) -> None:
    assert not is_same_person(text, MARIA)
    assert spellings(MARIA, text) == MARIA


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("maria@xn--bcher-kva.example", "maria@BÜCHER.example"),
        ("maria@XN--BCHER-KVA.example", "maria@bu\u0308cher.example"),
        ("maria@xn--strae-oqa.example", "maria@strasse.example"),
        ("maria@xn--fsqu00a.example", "maria@\u4f8b\u5b50.example"),
    ],
)
def test_a_domain_in_punycode_is_the_domain(one: str, other: str) -> None:
    assert is_same_person(one, {other})
    assert is_same_person(other, {one})


@pytest.mark.parametrize(
    "text", ["maria", "the night shift", "@", "maria@", "@example.com", "order:1182", SUB[:-1], ""]
)
def test_neither_address_nor_sub_cannot_be_compared(text: str) -> None:
    assert not is_comparable(text)


@given(st.text(max_size=256))
def test_any_text_has_names_and_is_itself(text: str) -> None:
    assert is_same_person(text, {text}) == bool(names_in(text))
    assert is_same_person(text.upper(), {text.upper().casefold()}) or not names_in(text)


ODD = [
    "\ufdfa" * 256,
    "(" * 128 + ")" * 128,
    "a@" * 128,
    '"' * 256,
    '"\\' * 128,
    "a" * 255 + "@",
    "%40" * 85,
    "a@xn--" + "9" * 250,
    "_" * 120 + "#ext#@a",
    "|" * 120 + "@" + "|" * 120,
]


@pytest.mark.parametrize("text", ODD, ids=lambda text: text[:5])
def test_an_odd_text_is_read_at_once(text: str) -> None:
    began = time.process_time()
    names_in(text)
    assert time.process_time() - began < 0.25


def test_the_names_in_a_text_are_found_once() -> None:
    """A sweep compares the same few people with everybody who asks."""
    assert names_in("Maria <maria@example.com>") is names_in("Maria <maria@example.com>")
    assert isinstance(SignedInAs("maria"), SignedInAs)
