"""An edit's numbers are read back: how they read, by how much they change, and a change of size by itself."""

from __future__ import annotations

import re

import pytest

from placet.model.canonical import exact_text, parse
from placet.web import forms, numbers, pages
from tests.web import made
from tests.web.reading import Page


def confirmed(amount: str, **changed) -> str:
    html = pages.edit_confirm(made.detail(), made.edited_to(amount, **changed), made.MARIA, made.FORM)
    return re.sub(r"\s+", " ", Page(html.replace("<br>", " ")).text)


def only(before: str, after: str) -> numbers.Change:
    (found,) = numbers.changes_of(parse(before), parse(after))
    return found


def test_the_confirm_page_says_by_how_much_a_number_changes_and_how_it_reads() -> None:
    text = confirmed("620.00")
    assert "changed, -620.00 reads 620.00, was 1,240.00" in text
    assert "look at this number" not in text
    assert "changed, +4,962.50 reads 6,202.5, was 1,240.00" in confirmed("620.25e1")


def test_what_elsewhere_would_be_thousands_gets_its_own_sentence() -> None:
    text = confirmed("1.240")
    assert "amount: look at this number." in text
    assert "1.240 is between 1 and 2: it reads 1.24. A point begins the decimals and never groups thousands." in text
    assert "It is about 1,000 times less now: 1.24 in place of 1,240.00." in text
    assert "changed, -1,238.76 reads 1.24, was 1,240.00" in text


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('{"a":100}', '{"a":1000}', "about 10 times as much"),
        ('{"a":100}', '{"a":10.0}', "about 10 times less"),
        ('{"a":100}', '{"a":-100}', "sign changes"),
        ('{"a":100}', '{"a":0}', "nothing now"),
        ('{"a":100}', '{"a":1e300}', "too large or too small"),
        ('{"a":"1240.5"}', '{"a":"1.240"}', "between 1 and 2"),
        ('{"a":"1240.5"}', '{"a":"620,25"}', "was a number"),
        ('{"a":1240.5}', '{"a":"620,25"}', "was a number"),
        ('{"a":{"b":[1,{"c":12.50}]}}', '{"a":{"b":[1,{"c":1.250}]}}', "between 1 and 2"),
        ("{}", '{"a":1.000}', "exactly 1"),
    ],
)
def test_a_change_of_size_is_warned_of_wherever_it_stands(before: str, after: str, says: str) -> None:
    assert says in only(before, after).warning


@pytest.mark.parametrize(
    ("before", "after"),
    [('{"a":100}', '{"a":999}'), ('{"a":100}', '{"a":10.1}'), ('{"a":1.234}', '{"a":2.345}'), ("{}", '{"a":5}')],
)
def test_other_changes_are_only_told(before: str, after: str) -> None:
    assert only(before, after).warning == ""


def test_what_is_the_same_is_not_told_and_no_boolean_is_a_number() -> None:
    assert numbers.changes_of(parse('{"a":1,"b":[2]}'), parse('{"b":[2],"a":1}')) == []
    assert numbers.changes_of(parse('{"a":false}'), parse('{"a":true}')) == []
    assert only('{"a":1}', '{"a":1.0}').by == "the same amount"


def test_an_edit_of_many_numbers_says_that_not_each_is_told() -> None:
    many = {f"n{number}": number + 1 for number in range(numbers.MOST_CHANGES + 5)}
    rows = tuple((name, "", str(value), True) for name, value in many.items())
    text = confirmed("1.00", text=exact_text(many), rows=rows, type_to_accept=None)
    assert f"Only the first {numbers.MOST_CHANGES} numbers" in text


def test_a_proposal_that_looks_grouped_is_read_back_too() -> None:
    call = made.call(arguments=parse('{"amount":1.240,"rate":1.5}'), type_to_accept=None)
    text = re.sub(r"\s+", " ", Page(pages.detail(made.detail(call), made.MARIA, made.FORM)).text)
    assert "1.24 raw: 1.240It is between 1 and 2" in text
    assert text.count("never groups thousands") == 1


def test_a_decided_edit_says_how_its_number_reads() -> None:
    done = made.decided("edited", before='{"amount":1240.00}', after='{"amount":1.240}')
    call = made.call(state="edited", may_decide=False, decided=done)
    text = re.sub(r"\s+", " ", Page(pages.detail(made.detail(call), made.MARIA, made.FORM)).text)
    assert "1240.00 to 1.240 (reads 1.24)" in text


@pytest.mark.parametrize(
    ("typed", "reads"), [("1.240", "yours reads 1.24"), ("1'240.5", "nothing else stands between the digits")]
)
def test_what_is_typed_to_accept_is_read_back(typed: str, reads: str) -> None:
    (problem,) = forms.problems_of_accept(made.call(), {"typed": typed})
    assert reads in problem.text
    assert "Type the digits as they are shown above." in problem.text
