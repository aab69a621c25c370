"""docs/canonical-json.md: every example is what the code does."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from placet.model.canonical import MAX_BODY_BYTES, MAX_DEPTH, MAX_NUMBER_CHARACTERS, canonical, digest, parse
from placet.model.errors import PlacetError
from tests.docs.reading import ROOT, blocks, raised_codes, rows

PAGE = ROOT / "docs/canonical-json.md"
REFUSED, DIGESTS = (json.loads(text) for text in blocks(PAGE, "json"))


@pytest.mark.parametrize("example", REFUSED, ids=lambda one: one["text"])
def test_refused(example: dict[str, str]) -> None:
    with pytest.raises(PlacetError) as caught:
        parse(example["text"])
    assert caught.value.code == example["code"]


@pytest.mark.parametrize("example", DIGESTS, ids=lambda one: one["text"])
def test_digests(example: dict[str, str]) -> None:
    value = parse(example["text"])
    assert canonical(value) == example["canonical"]
    assert digest(value) == example["digest"] == hashlib.sha256(example["canonical"].encode()).hexdigest()


def test_the_shell_line_has_the_first_digest() -> None:
    (text,) = re.findall(r"printf '%s' '(.*)' \|", PAGE.read_text())
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[0]["digest"]


def test_every_code_of_the_reader_is_on_the_page() -> None:
    named = {code.strip("`") for code, *_ in rows(PAGE, "code", "status", "refused")}
    assert named == {code for code in raised_codes() if code.startswith("json_")} | {"body_too_large"}


def test_the_limits_are_those_of_the_code() -> None:
    text = PAGE.read_text()
    for limit in (MAX_BODY_BYTES, MAX_DEPTH, MAX_NUMBER_CHARACTERS):
        assert f"{limit:,}" in text
