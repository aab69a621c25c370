"""docs/api.md and the code name the same problem codes, with the same status."""

from __future__ import annotations

import re

from placet.http.problems import OUR_FAULT, STATUS
from placet.model import errors
from tests.docs.reading import ROOT, raised_codes, rows

API = ROOT / "docs/api.md"
TABLE = {
    code: int(status)
    for codes, status, _ in rows(API, "code", "status", "when")
    for code in re.findall(r"`(\w+)`", codes)
}
OWN_STATUS = {"Malformed": 400, **dict.fromkeys(("SignInNeeded", "OfAnotherSession"), STATUS[errors.NotAllowed])}


def test_every_code_that_is_raised_stands_in_the_table_and_no_other():
    assert raised_codes().keys() | {OUR_FAULT["code"]} == TABLE.keys()


def test_the_table_says_the_status_under_which_a_code_is_answered():
    wrong = {
        code: (TABLE[code], kind)
        for code, kinds in raised_codes().items()
        for kind in kinds
        if TABLE[code] != (OWN_STATUS.get(kind) or STATUS[getattr(errors, kind)])
    }
    assert not wrong


def test_a_code_named_in_the_text_stands_in_the_table_with_that_status():
    named = set()
    for status, rest in re.findall(r"`(4\d\d|5\d\d) (\w+`(?: / `\w+`)*)", API.read_text()):
        named |= {(code, int(status)) for code in re.findall(r"\w+", rest)}
    assert len(named) > 15
    assert named <= set(TABLE.items())
