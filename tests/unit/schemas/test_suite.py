"""The official suite: every required test of five drafts, but for what is judged otherwise on purpose, by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.schemas.refusing import BROKEN, NO_SCHEMA, URIS, refused

SUITE = Path(__file__).parent / "suite"
TESTS = {"draft4": 610, "draft6": 829, "draft7": 913, "draft2019-09": 1_227, "draft2020-12": 1_257}
ELSEWHERE = "localhost:1234"  # where the suite keeps documents that it wants fetched

# (file, case) → why. Refused as no schema: it refers to another document, and nothing is fetched.
FETCHED = {
    ("dynamicRef", "strict-tree schema, guards against misspelled properties"),
    ("dynamicRef", "tests for implementation dynamic anchor and reference link"),
    ("dynamicRef", "$ref and $dynamicAnchor are independent of order - $defs first"),
    ("dynamicRef", "$ref and $dynamicAnchor are independent of order - $ref first"),
    ("dynamicRef", "$ref to $dynamicRef finds detached $dynamicAnchor"),
}
# The suite has formats as annotations there; tools do not (docs/schemas.md).
ASSERTED = {("format", "draft2020-12")}
# A metaschema of one's own, which would have to be fetched to learn which keywords count: all do.
UNKNOWN_VOCABULARY = {("vocabulary", "schema that uses custom metaschema with with no validation vocabulary")}


def cases(name: str) -> list[tuple[str, dict[str, Any]]]:
    return [(file, case) for file, found in json.loads((SUITE / f"{name}.json").read_text()).items() for case in found]


def outcome(draft: str, case: dict[str, Any], value: Any) -> str:
    schema = case["schema"]
    named = {"$schema": URIS[draft], **schema} if isinstance(schema, dict) else schema
    return refused(value, named)[0]


@pytest.mark.parametrize("draft", TESTS)
def test_a_draft(draft: str) -> None:
    wrong, judged = [], 0
    for file, case in cases(draft):
        elsewhere = ELSEWHERE in json.dumps(case["schema"]) and file == "refRemote"
        for test in case["tests"]:
            code = outcome(draft, case, test["data"])
            judged += 1
            if elsewhere or (file, case["description"]) in FETCHED:
                fine = code == NO_SCHEMA
            elif (file, draft) in ASSERTED or (file, case["description"]) in UNKNOWN_VOCABULARY:
                fine = code in ("", BROKEN)
            else:
                fine = code == ("" if test["valid"] else BROKEN)
            if not fine:
                wrong.append((file, case["description"], test["description"], code))
    assert wrong == []
    assert judged == TESTS[draft]


def test_what_is_judged_otherwise_really_is() -> None:
    """An exception that is none any more has to go."""
    known = {(file, case["description"]) for draft in TESTS for file, case in cases(draft)}
    assert known >= FETCHED | UNKNOWN_VOCABULARY
    for draft in ("draft2019-09", "draft2020-12"):
        (case,) = [case for file, case in cases(draft) if (file, case["description"]) in UNKNOWN_VOCABULARY]
        assert any(outcome(draft, case, test["data"]) == BROKEN for test in case["tests"] if test["valid"])
    formats = [(case, test) for file, case in cases("draft2020-12") if file == "format" for test in case["tests"]]
    assert any(test["valid"] and outcome("draft2020-12", case, test["data"]) == BROKEN for case, test in formats)


def test_no_text_in_a_format_is_refused() -> None:
    """Read widely: what the suite calls valid passes, in every format; of the rest, the plainly wrong is refused."""
    refused_texts: dict[str, int] = {}
    for file, case in cases("formats"):
        for test in case["tests"]:
            code = refused(test["data"], case["schema"])[0]
            assert code == "" or not test["valid"], (file, test["description"])
            refused_texts[file] = refused_texts.get(file, 0) + (code == BROKEN)
    for name in (
        "date-time",
        "date",
        "time",
        "duration",
        "uuid",
        "email",
        "ipv4",
        "ipv6",
        "uri",
        "hostname",
        "json-pointer",
        "regex",
    ):
        assert refused_texts[name] > 0, name
