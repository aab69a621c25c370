"""What a form says is so: in which form a value is typed, what an edit becomes, and what is wrong with it."""

from __future__ import annotations

import re

import pytest

from placet.model.canonical import exact_text
from placet.web import forms, pages
from tests.web import made
from tests.web.reading import Page


def test_nobody_promises_that_the_model_hears_why_a_call_was_edited():
    for html in (
        pages.edit(made.detail(), made.call(), made.MARIA, made.FORM),
        pages.edit_confirm(made.detail(), made.preview(), made.MARIA, made.FORM),
    ):
        assert "told to the agent" not in html
        assert "is told that" not in html
        assert "the model does not hear it" in html.lower()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("€240", "without a currency"),
        ("240 EUR", "without a currency"),
        ("1240,00", "Decimals follow a point"),
        ("240,0", "Decimals follow a point"),
        ("12,4x", "It is a number"),
        ("1241", "It is a number"),
    ],
)
def test_a_wrong_amount_says_in_which_form_it_is_wanted(typed, says):
    (problem,) = forms.problems_of_accept(made.call(), {"typed": typed})
    assert says in problem.text
    assert "1240" not in problem.text, "and does not give it away"


def test_a_page_with_problems_says_so_in_its_title_and_leads_there():
    problems = forms.problems_of_accept(made.call(), {"typed": "1"})
    html = pages.detail(made.detail(), made.MARIA, made.FORM, problems, {"call": made.call().call, "typed": "1"})
    assert Page(html).title().startswith("Error: ")
    (found,) = Page(html).all("div", class_="problems") or [
        one for _, one in Page(html).elements if one.get("class") == "problems"
    ]
    assert "autofocus" in found
    assert not Page(pages.detail(made.detail(), made.MARIA, made.FORM)).title().startswith("Error")


def test_an_edit_of_marked_text_is_seen_before_it_is_confirmed():
    arguments = {**made.REFUND, "note": "enter\u200bprise"}
    preview = made.preview(text=exact_text(arguments), type_to_accept=None)
    assert [one.field for one in forms.problems_of_edit(preview, {})] == ["saw"]
    assert forms.problems_of_edit(preview, {"saw": "yes"}) == ()
    assert forms.problems_of_edit(made.preview(), {"typed": "620.00"}) == ()
    problems = forms.problems_of_edit(preview, {})
    html = pages.edit_confirm(made.detail(), preview, made.MARIA, made.FORM, problems, {"typed": "620"})
    assert 'href="#saw-1"' in html
    assert Page(html).all("input", name="saw-1")


OPEN = {"type": "object", "properties": {"order_id": {}, "amount": {}}}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (OPEN | {"additionalProperties": False}, "and so is one that the tool does not know"),
        (OPEN | {"unevaluatedProperties": False}, "and so is one that the tool does not know"),
        (OPEN, "one that the tool\u2019s schema does not name is taken, and marked before you confirm"),
        (OPEN | {"additionalProperties": {"type": "string"}}, "is taken, and marked"),
        (None, "The tool sent no schema: what it takes is not checked"),
    ],
)
def test_only_a_closed_schema_is_said_to_refuse_unknown_keys(schema, says):
    text = re.sub(r"\s+", " ", Page(pages.edit(made.detail(), made.call(schema=schema), made.MARIA, made.FORM)).text)
    assert says in text
    assert ("so is one that the tool does not know" in text) is ("so is one" in says)


def test_a_key_that_an_open_schema_does_not_name_is_marked_before_it_is_confirmed():
    after = {**made.REFUND, "x": 1}
    rows = tuple((name, "", "", name == "x") for name in after)
    names = {"properties": {name: {} for name in made.REFUND}}
    for schema, marked in ((names, True), ({"properties": {**names["properties"], "x": {}}}, False), (None, False)):
        preview = made.preview(call=made.call(schema=schema), text=exact_text(after), rows=rows, type_to_accept=None)
        text = Page(pages.edit_confirm(made.detail(), preview, made.MARIA, made.FORM)).text
        assert ("the tool\u2019s schema does not name it" in text) is marked


def test_what_an_earlier_edit_left_is_not_called_a_proposal_of_the_agent():
    """Nor what is another revision since an answer called an edit."""
    of = {(1, True): "The agent proposed", (2, True): "The agent proposed", (2, False): "A reviewer left it so"}
    for (revision, proposed), said in of.items():
        preview = made.preview(call=made.call(revision=revision, proposed=proposed))
        text = Page(pages.edit_confirm(made.detail(), preview, made.MARIA, made.FORM)).text
        assert said in text
        assert ("The agent proposed" in text) is proposed
