"""The checks that only the pages ask for, and the reason that a form gives."""

from __future__ import annotations

import pytest

from placet.model.canonical import Lexeme
from placet.model.limits import MAX_REASON
from placet.web import forms
from tests.web import made


@pytest.mark.parametrize("typed", ["1240.00", " 1240.00 ", "1,240.00", "1240", "1240.0", "1,240"])
def test_the_typed_amount_is_taken_in_any_honest_form(typed):
    assert forms.problems_of_accept(made.call(), {"typed": typed}) == ()


@pytest.mark.parametrize("typed", ["", "1240.01", "12,40.00", "1.240,00", "-1240.00", "1240 EUR", "NaN", "1,2,4,0"])
def test_any_other_typed_amount_is_refused(typed):
    (problem,) = forms.problems_of_accept(made.call(), {"typed": typed})
    assert problem.field == "typed"


def test_a_typed_name_must_be_the_same_text():
    call = made.call(type_to_accept=("table", "contacts"))
    assert forms.problems_of_accept(call, {"typed": "contacts"}) == ()
    assert forms.problems_of_accept(call, {"typed": "Contacts"})
    assert forms.problems_of_accept(made.call(type_to_accept=("table", "")), {"typed": ""})


def test_a_call_that_can_be_undone_needs_nothing_more_than_the_press():
    assert forms.problems_of_accept(made.plain_call(), {}) == ()


def test_long_text_must_be_ticked_and_marked_characters_be_seen():
    call = made.call(arguments={"body": "x" * 601, "to": ["a"] * 51, "who": "\u0440aypal"}, type_to_accept=None)
    assert [problem.field for problem in forms.problems_of_accept(call, {})] == ["read-1", "read-2", "saw"]
    assert forms.problems_of_accept(call, {"read-1": "yes", "read-2": "yes", "saw": "yes"}) == ()


def test_hidden_characters_in_a_name_or_deep_inside_are_found():
    for arguments in ({"a\u200b": 1}, {"a": {"b": ["c\u202e"]}}, {"a\nb": 1}, {"a": [{"k\u00ad": Lexeme("1.0")}]}):
        call = made.call(arguments=arguments, type_to_accept=None)
        assert [problem.field for problem in forms.problems_of_accept(call, {})] == ["saw"]
    assert forms.problems_of_accept(made.call(tool="refund\u2060_order", type_to_accept=None), {})[0].field == "saw"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"reason": "2"}, forms.REASONS["2"]),
        ({"reason": "own", "own": " No.\r\nNot this. "}, "No.\nNot this."),
        ({"reason": "1", "own": "Thanks."}, f"{forms.REASONS['1']} Thanks."),
        ({"own": "No."}, "No."),
        ({"reason": "99", "own": ""}, ""),
        ({"decision": "edit", "reason": "50 % only.\r\n"}, "50 % only."),
        ({}, ""),
    ],
)
def test_the_reason(fields, reason):
    assert forms.reason_of(fields) == reason


def test_a_reject_needs_a_reason_of_readable_length():
    assert forms.problems_of_reject({"reason": "own", "own": "  "})[0].field == "reason"
    assert forms.problems_of_reject({"reason": "own", "own": "x" * 401})[0].field == "own"
    assert forms.problems_of_reject({"reason": "own", "own": "x" * 400}) == ()
    assert all(forms.problems_of_reject({"reason": key}) == () for key in forms.REASONS)


@pytest.mark.parametrize("chosen", [*forms.REASONS, "own"])
def test_the_one_limit_of_own_words_holds_whatever_is_chosen_beside_them(chosen):
    fields = {"reason": chosen, "own": "\U0001f600" * (forms.LONGEST_OWN - 1) + "\r\n."}
    assert forms.problems_of_reject(fields)[0].field == "own", "a line end is one character, an emoji too"
    fields["own"] = "\U0001f600" * (forms.LONGEST_OWN - 2) + "\r\n."
    assert forms.problems_of_reject(fields) == ()
    assert len(forms.reason_of(fields)) <= MAX_REASON


def test_why_somebody_edits_has_the_limit_of_a_reason():
    assert forms.problems_of_why("x" * MAX_REASON) == ()
    assert forms.problems_of_why("x" * (MAX_REASON + 1))[0].field == "reason"


def test_shown_at_goes_out_as_the_handler_gave_it():
    assert forms.FormFacts("c", "signed.mark", 5).shown_at == "signed.mark"
    assert forms.FormFacts("c", shown_at_ms=5).shown_at == "5"
