"""What a real browser sends from the forms of a page, by keys and by presses."""

from __future__ import annotations

import pytest

from tests.web import made
from tests.web.served import Served

CALL = f"{made.PAUSE}-1"


@pytest.fixture(autouse=True)
def _no_posts(served: Served) -> None:
    served.posts.clear()


def test_reject_sends_the_fields_of_its_page(page, served):
    page.goto(f"{served.base}/detail")
    page.check("input[name=reason-1][value=own]")
    page.fill("#own-1", "No.\nAsk first.")
    page.click("#reject-1 button")
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/decide"
    own = ("own-1", "No.\r\nAsk first.")
    assert sorted(fields) == sorted(
        [*_frame(), ("comment", ""), ("reason-1", "own"), own, ("typed-1", ""), ("decision", "reject")]
    )


def test_enter_decides_nothing_from_any_field_of_a_decision(page, served):
    for name, field in (
        ("detail", "#typed-1"),
        ("detail", "input[name=reason-1][value=own]"),
        ("detail-alike", "#typed-2"),
    ):
        page.goto(f"{served.base}/{name}")
        page.focus(field)
        page.press(field, "Enter")
        page.wait_for_url("**/decide")
    assert [dict(fields)["decision"] for _, fields in served.posts] == ["look", "look", "look"]
    served.posts.clear()
    page.goto(f"{served.base}/confirm")
    page.press("#typed-1", "Enter")
    page.wait_for_url("**/edit")
    assert [path for path, _ in served.posts] == [f"/reviews/{CALL}/edit"]


def test_accept_sends_what_was_typed(page, served):
    page.goto(f"{served.base}/detail")
    page.fill("#typed-1", "1240.00")
    page.click("#accept-1 button")
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/decide"
    assert fields == [*_frame(), ("comment", ""), ("own-1", ""), ("typed-1", "1240.00"), ("decision", "accept")]


def test_one_press_sends_along_what_was_typed_for_every_call_and_verb(page, served):
    page.goto(f"{served.base}/detail-alike")
    page.fill("#own-1", "words of one")
    page.check("input[name=reason-2][value='2']")
    page.fill("#own-2", "words of two")
    page.fill("#typed-2", "b@exa")
    page.fill("#typed-1", "a@example.com")
    page.click("#accept-1 button")
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/decide"
    sent = dict(fields)
    assert sent["decision"] == "accept"
    assert {name: sent[name] for name in ("own-1", "typed-1", "reason-2", "own-2", "typed-2")} == {
        "own-1": "words of one",
        "typed-1": "a@example.com",
        "reason-2": "2",
        "own-2": "words of two",
        "typed-2": "b@exa",
    }
    assert [name for name, _ in fields].count("decision") == 1, "only the button that was pressed"


def test_own_words_are_never_cut_by_the_browser(page, served):
    page.goto(f"{served.base}/detail")
    page.focus("#own-1")
    page.keyboard.insert_text("sentence. " * 90)
    page.click("#reject-1 button")
    page.goto(f"{served.base}/edit")
    page.focus("#why")
    page.keyboard.insert_text("sentence. " * 90)
    page.click("button:has-text('Show before and after')")
    (_, reject), (_, edit) = served.posts
    assert len(dict(reject)["own-1"]) == len(dict(edit)["reason"]) == 900


def test_what_was_typed_is_sent_again_from_the_page_that_keeps_it(page, served):
    page.goto(f"{served.base}/kept-signed-out")
    assert page.get_attribute("a.btn", "target") == "_blank", "this page stays open beside the sign-in"
    page.click("text=Send it again")
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/edit"
    sent = dict(fields)
    assert (sent["reason"], sent["own-2"], sent["reason-2"]) == ("Half.", "Not \r\nthis.", "1")


def test_a_press_that_came_too_late_leads_back_with_everything_that_was_typed(page, served):
    page.goto(f"{served.base}/conflict-revision")
    page.click(".state-head button")
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/decide"
    kept = {"own-1": "Ask first.", "comment": "Hm.", "why-1": "The bank.", "reason-1": "own"}
    assert dict(fields) == {"csrf": made.FORM.csrf, "decision": "look", **kept}


def test_words_without_a_field_go_along_with_the_next_press(page, served):
    page.goto(f"{served.base}/ended-kept")
    assert page.input_value("#comment") == "Hm."
    assert page.inner_text("label[for=loose-1]") == "Own words, call 1"
    page.click("#comments button")
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/comment"
    assert {name: text for name, text in fields if name != "csrf"} == {
        "own-1": "Ask first.",
        "why-1": "The bank.",
        "comment": "Hm.",
        "decision": "comment",
    }


def test_accept_of_marked_and_long_text_sends_its_ticks(page, served):
    page.goto(f"{served.base}/detail-hidden")
    page.fill("#typed-1", "contacts")
    for field in ("#saw-1", "#read-4-1", "#read-5-1"):
        page.check(field)
    page.click("#accept-1 button")
    ((_, fields),) = served.posts
    ticks = {name for name, value in fields if value == "yes"}
    assert ticks == {"saw-1", "read-4-1", "read-5-1"}


def test_who_was_asked_and_who_is_next_stands_above_the_ways_to_decide(page, served):
    page.goto(f"{served.base}/detail")
    told = page.locator("section.verdict").first.inner_text()
    asked = "Asked: finance at 14:26. If nobody decides, finance-leads, treasury as well at 15:00."
    assert "Who has not decided is reminded at 14:50." in told
    assert told.index(asked) < told.index("Reject")


def test_one_press_accepts_what_can_be_undone(page, served):
    page.goto(f"{served.base}/detail-plain")
    page.click("#accept-1 button")
    ((_, fields),) = served.posts
    assert [name for name, _ in fields] == [
        "csrf",
        "shown_at",
        "revision-1",
        "digest-1",
        "comment",
        "own-1",
        "decision",
    ]


def test_the_edit_is_previewed_then_confirmed_with_both_digests(page, served):
    page.goto(f"{served.base}/edit")
    page.fill("#arguments", '{"amount": 620.00}')
    page.fill("#why", "Half.")
    page.click("button:has-text('Show before and after')")
    page.goto(f"{served.base}/confirm")
    page.fill("#typed-1", "620.00")
    page.click("#accept-form-1 .go button")
    (first, preview), (second, confirmed) = served.posts
    assert (first, second) == (f"/reviews/{CALL}/edit", f"/reviews/{CALL}/decide")
    digest = made.call().digest
    assert preview == [
        ("csrf", made.FORM.csrf),
        ("revision", "1"),
        ("digest", digest),
        ("arguments", '{"amount": 620.00}'),
        ("reason", "Half."),
    ]
    edit = made.preview()
    assert confirmed == [
        ("csrf", made.FORM.csrf),
        ("shown_at", str(made.NOW)),
        ("decision", "edit"),
        ("revision", "1"),
        ("digest", digest),
        ("arguments", edit.text),
        ("new_digest", edit.digest),
        ("reason", edit.reason),
        ("typed-1", "620.00"),
    ]


def test_changing_an_edit_again_keeps_it(page, served):
    page.goto(f"{served.base}/confirm")
    page.click("text=Change it again, your edit is kept")
    page.fill("#arguments", '{"amount": 600}')
    page.get_by_role("button", name="Show before and after").click()
    ((path, fields),) = served.posts
    assert path == f"/reviews/{CALL}/edit"
    assert ("arguments", '{"amount": 600}') in fields
    assert ("reason", made.preview().reason) in fields


def test_enter_saves_no_absence_and_what_was_looked_at_is_what_is_saved(page, served):
    page.goto(f"{served.base}/people-planned")
    page.press("#until", "Enter")
    page.wait_for_url("**/people")
    page.goto(f"{served.base}/people-planned")
    page.fill("#until", "2026-12-05T17:00")
    page.select_option("#delegate", "sub-tom")
    page.click("text=Save the absence")
    (first, shown), (second, saved) = served.posts
    assert first == second == "/people"
    assert dict(shown)["do"] == "show"
    assert saved == [
        ("csrf", made.FORM.csrf),
        ("seen", "2026-12-01T08:00|2026-12-04T17:00|sub-jonas"),
        ("from", "2026-12-01T08:00"),
        ("until", "2026-12-05T17:00"),
        ("delegate", "sub-tom"),
        ("do", "save"),
    ], "the server sees that it was changed after the look"


def test_an_absence_is_taken_back_with_one_press_and_asking_sends_no_form(page, served):
    page.goto(f"{served.base}/people-planned")
    page.click("text=Take the absence back")
    ((path, fields),) = served.posts
    assert (path, dict(fields)["do"], dict(fields)["until"]) == ("/people", "back", "2026-12-04T17:00")
    page.goto(f"{served.base}/people")
    page.select_option("#rq", "sub-tom")
    page.click("text=Show >> nth=0")
    page.wait_for_url("**/people?class=money-out&requester=sub-tom&at=2026-11-30T14%3A46")
    assert len(served.posts) == 1


def _frame() -> list[tuple[str, str]]:
    return [
        ("csrf", made.FORM.csrf),
        ("shown_at", str(made.NOW)),
        ("revision-1", "1"),
        ("digest-1", made.call().digest),
    ]
