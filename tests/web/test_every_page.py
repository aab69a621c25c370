"""What holds for every page: order, anchors, ids, tab order, and what each form sends."""

from __future__ import annotations

import itertools
import re
from html import unescape
from urllib.parse import urlsplit

import pytest

from placet.model.canonical import digest, parse
from placet.web import assets, pages, typed
from tests.web import made
from tests.web.gallery import PAGES
from tests.web.reading import Page, forms_of

FRAME = {"csrf", "shown_at", "decision", "revision", "digest"}
PATHS = re.compile(
    r"/inbox(\?after=[\w-]+)?|/people|/sign-in(\?next=[\w%]+)?|/sign-in/start\?next=[\w%]+|/static/placet\.[0-9a-f]{12}\.(css|svg)|/reviews/[\w-]+(/edit|/reassign)?"
)


@pytest.fixture(params=PAGES, name="name")
def _name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(name="html")
def _html(name: str) -> str:
    return PAGES[name]()


def test_markup_is_whole_and_brings_nothing_along(html):
    page = Page(html)
    assert page.misnested == []
    assert page.open == []
    assert not {tag for tag, _ in page.elements} & {"script", "style", "iframe", "img", "object", "embed", "base"}
    for tag, attributes in page.elements:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert "data:" not in attributes.get("href", "") + attributes.get("src", ""), tag


def test_ids_stand_once_and_every_reference_has_its_target(html):
    page = Page(html)
    ids = page.ids()
    assert len(ids) == len(set(ids))
    for tag, attributes in page.elements:
        for name in ("for", "form", "aria-labelledby", "aria-describedby"):
            for wanted in attributes.get(name, "").split():
                assert wanted in ids, (tag, name, wanted)
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids


def test_links_lead_to_known_routes_and_forms_to_known_actions(html):
    page = Page(html)
    for attributes in [*page.all("a"), *page.all("link")]:
        if not attributes["href"].startswith("#"):
            assert PATHS.fullmatch(attributes["href"].partition("#")[0]), attributes["href"]
    for form in page.all("form"):
        if form["method"] == "get":
            assert form["action"] == "/people", "asks, and changes nothing"
            continue
        assert form["method"] == "post"
        assert re.fullmatch(r"/sign-out|/people|/reviews/[\w-]+-\d+/(edit|decide|reassign|comment)", form["action"])
        assert not urlsplit(form["action"]).netloc


def test_one_title_one_first_heading_and_headings_without_gaps(html):
    page = Page(html)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert page.title().endswith(" · Placet")


def test_nothing_has_autofocus_and_nothing_is_chosen_at_the_start(name, html):
    page = Page(html)
    assert not [one for _, one in page.elements if "autofocus" in one and one.get("class") != "problems"]
    assert "errors" in name or not [tag for tag, attributes in page.elements if "checked" in attributes]


LOOKS = {"csrf", "decision", "arguments", "reason", "comment"}
KEEPS = FRAME | {"own", "typed", "arguments", "reason", "reason-2", "own-2", "typed-2"}


def test_forms_send_exactly_the_fields_of_the_contract(name, html):
    for form, fields in forms_of(html):
        names = {field["name"] for field in fields}
        values = {field["name"]: field.get("value", "") for field in fields if field.get("type") == "hidden"}
        if form["method"] == "get":
            assert names == {"class", "requester", "at"}
            continue
        assert values.get("csrf") == made.FORM.csrf
        if form["action"] == "/people":
            sent = {"csrf", "do"} if "id" not in form else {"csrf", "do", "from", "until", "delegate"}
            assert names - {"seen"} == sent
            assert ("seen" in names) == (name == "people-planned" and "id" in form), "only what was looked at is saved"
        elif form["action"].endswith("/reassign"):
            assert _own(names) == {"csrf", "whom"}
        elif form["action"] == "/sign-out":
            assert names == {"csrf"}
        elif form.get("id") == "beside":
            loose = {field["name"] for field in fields if "readonly" in field}
            assert {typed.split(one)[0] for one in loose} <= {*typed.OF_CALL}, "what was typed while its call waited"
            assert names - loose <= {"csrf", "decision", "comment"}
            assert {field.get("value") for field in fields if field["tag"] == "button"} <= {"comment"}
        elif form.get("id") == "decisions":
            _check_decisions(fields, values, names)
        elif name.startswith("kept-"):
            assert names <= KEEPS
        elif values.get("decision") == "look":
            assert {one for one in names if not typed.split(one)[1]} <= LOOKS
        elif form["action"].endswith("/edit"):
            assert _own(names) == {"csrf", "revision", "digest", "arguments", "reason"}
        else:
            assert values["decision"] == "edit"
            assert _own(names) == FRAME | {"arguments", "new_digest", "reason"}
            _check_shown(values, "")


def _own(names):
    """Without what goes along from the page of the pause: fields of its calls, and a comment."""
    return {one for one in names if not typed.split(one)[1]} - {"comment"}


def _check_decisions(fields, values, names):
    numbers = {name.removeprefix("digest-") for name in names if name.startswith("digest-")}
    beside = {name for name in names if name.startswith(("until-", "why-", "question-", "seen-", "comment"))}
    assert numbers or beside
    for number in numbers:
        _check_shown(values, f"-{number}")
        assert {f"reason-{number}", f"own-{number}"} <= names
    plain = {"csrf", "shown_at", "decision"}
    assert {name.rpartition("-")[2] for name in names - plain - beside} == numbers
    for button in (field for field in fields if field["tag"] == "button"):
        assert button["name"] == "decision"
        if button["value"] == "look":
            continue
        assert "formnovalidate" in button, "what is missing for another verb holds nothing up"
        if button["value"] in ("extend", "comment", "ask"):
            assert re.fullmatch(rf"/reviews/{made.PAUSE}-\d/{button['value']}", button["formaction"])
            continue
        assert button["value"] in ("accept", "reject")
        assert re.fullmatch(rf"/reviews/{made.PAUSE}-({'|'.join(numbers)})/decide", button["formaction"])


def _check_shown(values, number):
    assert values["shown_at"] == str(made.NOW)
    assert values[f"revision{number}"] == "1"
    assert re.fullmatch("[0-9a-f]{64}", values[f"digest{number}"])


def test_what_enter_presses_decides_nothing(html):
    """Enter presses the first button of a form (HTML, implicit submission): where something is decided, that one only looks."""
    page = Page(html)
    for form, fields in forms_of(html):
        confirms = any(one.get("value") == "edit" for one in fields if one["name"] == "decision")
        if form.get("id") == "decisions" or confirms:
            place = page.elements.index(("form", form))
            first = next(attributes for tag, attributes in page.elements[place:] if tag == "button")
            assert {"hidden", "formnovalidate"} <= first.keys()
            assert first.get("value") == "look" or first["formaction"].endswith("/edit")


def test_each_panel_of_several_says_which_call_it_decides():
    page = Page(PAGES["detail-alike"]())
    text = re.sub(r"\s+", " ", page.text)
    for number, other in ((1, "a@example.com"), (2, "b@example.com")):
        assert f"Reject call {number}" in text
        assert f"Accept call {number}: " in text
        assert f"Edit the arguments of call {number}" in text
        assert text.count(f'Call {number}: send_email, to "{other}"') == 3, "beside each verb"
    assert len(page.all("a", href="#call-2")) == 3


def test_reject_comes_before_edit_before_accept_and_accept_is_last():
    page = Page(PAGES["detail"]())
    order = [ident for ident in page.ids() if ident in ("reject-1", "edit-1", "accept-1")]
    assert order == ["reject-1", "edit-1", "accept-1"]
    controls = [(tag, attributes) for tag, attributes in page.elements if tag in ("a", "button", "input", "textarea")]
    assert controls[-1][0] == "button"
    assert "btn-act" not in PAGES["detail"](), "filled leads on, never decides"
    assert page.html.rindex("Accept: refund") > page.html.rindex("Edit the arguments") > page.html.rindex(">Reject<")


def test_the_document_is_in_the_order_in_which_a_call_is_judged():
    html = PAGES["detail"]()
    marks = ["Cannot be undone", "<h1", 'class="cons"', "data-left", 'class="call', "Why it was stopped", ">Evidence<"]
    marks += ["What the agent says", 'class="margin"', 'class="bar"', 'class="verdict"']
    places = [html.index(mark) for mark in marks]
    assert places == sorted(places)


def test_the_bar_holds_links_only():
    for name in ("detail", "detail-three-calls"):
        bar = PAGES[name]().partition('<div class="bar"')[2].partition("</div>")[0]
        assert bar.count("<a ") >= 2
        assert "<button" not in bar
        assert "<form" not in bar


def test_one_panel_per_open_call_and_none_for_a_decided_one():
    page = Page(PAGES["detail-three-calls"]())
    assert [ident for ident in page.ids() if re.fullmatch(r"decide-\d", ident)] == ["decide-2", "decide-3"]
    assert {"call-1", "call-2", "call-3"} <= set(page.ids())
    assert "Jonas Weber edited and accepted this 9 min ago" in page.text
    assert page.html.count('class="done"') == 1


def test_who_may_not_decide_gets_the_reason_and_no_form():
    html = PAGES["detail-not-mine"]()
    assert "You are the requester." in html
    assert "/decide" not in html
    assert 'class="bar"' not in html


@pytest.mark.parametrize("state", ["accepted", "edited", "rejected", "expired", "superseded", "cancelled", "passed"])
def test_an_ended_call_says_how_and_offers_nothing_to_decide(state):
    html = PAGES[f"ended-{state}"]()
    assert "/decide" not in html
    assert 'class="state-head' in html
    assert "1970" not in html


def test_a_number_is_read_and_its_raw_form_stands_beside_it():
    page = Page(PAGES["detail"]())
    assert "1,240.00 raw: 1240.00" in re.sub(r"\s+", " ", page.text)
    assert "yes raw: true" in re.sub(r"\s+", " ", page.text)


def test_lists_and_long_texts_are_whole_and_boxed():
    page = Page(PAGES["detail-hidden"]())
    assert all(f"p{number}@example.com" in page.text for number in range(60))
    assert page.html.count('class="box" tabindex="0" role="region"') == 2
    assert {field["name"] for field in page.all("input", type="checkbox")} == {"read-4-1", "read-5-1", "saw-1"}


def test_a_page_without_a_clock_does_not_invent_one():
    waiting = made.call(deadline_ms=0, may_decide=False, why_not="Nobody is asked yet.")
    html = pages.detail(made.detail(waiting, deadline_ms=0), made.MARIA, made.FORM)
    ended = made.call(state="cancelled", may_decide=False, decided=made.decided("cancelled", by="", at_ms=0))
    html += pages.detail(made.detail(ended), made.MARIA, made.FORM)
    html += pages.conflict(made.detail(ended), ended, made.MARIA, made.FORM, "call_cancelled")
    assert "1970" not in html


def test_the_edit_of_a_type_is_seen_where_the_text_is_the_same():
    preview = made.preview(
        text='{"amount":"1240.00"}', rows=(("amount", "1240.00", "1240.00", True), ("note", "x", "", True))
    )
    text = Page(pages.edit_confirm(made.detail(), preview, made.MARIA, made.FORM)).text
    assert '1240.00"1240.00"changed' in re.sub(r"\s+", "", text)
    assert "taken out" in text


def test_the_field_of_an_edit_starts_with_the_same_json():
    call = made.call(arguments={"where": "a\u200bb\r\n\t", "n": made.REFUND["amount"], "deep": {"a": [1, {}]}})
    html = pages.edit(made.detail(call), call, made.MARIA, made.FORM)
    (field,) = re.findall(r'name="arguments"[^>]*>\n(.*?)</textarea>', html, re.DOTALL)
    assert digest(parse(unescape(field))) == call.digest


def test_assets_are_found_under_both_names_and_nothing_else_is():
    for name, kind in (("placet.css", "text/css; charset=utf-8"), ("placet.svg", "image/svg+xml")):
        lasting = assets.url(name).removeprefix("/static/")
        assert assets.find(lasting) == assets.find(name)
        assert assets.find(name)[1] == kind
        assert "immutable" in assets.cache_control(lasting)
        assert "immutable" not in assets.cache_control(name)
    for name in ("../pages.py", "", ".", "placet.000000000000.css", "placet.css/", "%2e%2e/pages.py"):
        assert assets.find(name) is None


def test_what_has_no_certain_reading_can_only_be_rejected():
    html = PAGES["detail-unreadable"]()
    assert "Nobody can say what would run, so it cannot be accepted." in html
    sent = [one.get("value") for _, fields in forms_of(html) for one in fields if one.get("name") == "decision"]
    assert sent == ["look", "comment", "look", "reject"], "looking leads to the page on which it is handed on"
    assert "Edit the arguments" not in html


def test_how_the_framework_takes_the_decision_is_said():
    assert "An edit is sent back to the agent as an instruction." in PAGES["detail-noted"]()
