"""The People page: read by reviewers, saved by nobody but oneself, after what follows was seen."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.ops import Item
from placet.service import members
from placet.service.absences import absences
from tests.functions.conftest import BASE, Api
from tests.web.reading import Page

PAGE, SEND = "GET /people", "POST /people"
FROM, UNTIL = "2096-12-01T08:00", "2096-12-04T17:00"


def said(answer: dict[str, Any]) -> str:
    return " ".join(Page(answer["body"]).text.split())


def form(csrf: str, do: str = "show", **changed: str) -> dict[str, str]:
    return {"csrf": csrf, "do": do, "from": FROM, "until": UNTIL, "delegate": "jonas", **changed}


def saved(csrf: str, **changed: str) -> dict[str, str]:
    sent = form(csrf, "save", **changed)
    return {"seen": "|".join(sent[name] for name in ("from", "until", "delegate")), **sent}


def away(api: Api) -> list[tuple[str, str]]:
    return [(one.sub, one.delegate) for one in absences(api.gateway.ports).known.values()]


def items(api: Api) -> dict[Any, Item]:
    return {key: dict(item) for key, item in api.gateway.table.items.items()}


def test_the_page_names_groups_people_and_whose_mail_comes_back_and_changes_nothing(api: Api) -> None:
    gateway = api.gateway
    gateway.table.write(writes.refuse_mail(gateway.keys, "jonas", "bounced", "j@example.com", gateway.clock.now_ms()))
    cookie, _ = api.signed_in()
    before = items(api)
    answer = api.page("review", PAGE, cookie)
    text = said(answer)
    for needed in ("Jonas Weber", "finance", "money-out, level 1", "gets no mail: it comes back as undeliverable"):
        assert needed in text
    assert "j@example.com" not in answer["body"], "an address is its owner's to see"
    assert "default-src 'none'" in answer["headers"]["content-security-policy"]
    assert items(api) == before
    own = said(api.page("review", PAGE, api.signed_in("jonas")[0]))
    assert "Mail to you, at j@example.com, is not sent any more" in own


def test_the_bar_of_every_page_leads_there_and_only_for_who_belongs_to_a_group(api: Api) -> None:
    cookie, _ = api.signed_in()
    assert 'href="/people"' in api.page("review", "GET /inbox", cookie)["body"]
    stranger, other = api.signed_in("stranger")
    assert 'href="/people"' not in api.page("review", "GET /inbox", stranger)["body"]
    assert api.page("review", PAGE, stranger)["statusCode"] == 404
    assert api.page("decide", SEND, stranger, saved(other))["statusCode"] == 404
    answer = api.page("review", PAGE, rawPath="/people")
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, "/sign-in?next=%2Fpeople")


def test_what_follows_is_shown_before_it_is_saved(api: Api) -> None:
    cookie, csrf = api.signed_in()
    shown = api.page("decide", SEND, cookie, form(csrf))
    assert shown["statusCode"] == 200
    assert "finance: Jonas Weber; 1 accept is needed. They are just enough" in said(shown)
    assert away(api) == []
    for sent in (form(csrf, "save"), {**saved(csrf), "until": "2096-12-05T17:00"}, {**saved(csrf), "delegate": ""}):
        refused = api.page("decide", SEND, cookie, sent)
        assert refused["statusCode"] == 409
        assert "You changed something after you looked" in said(refused)
        assert away(api) == []
    answer = api.page("decide", SEND, cookie, saved(csrf))
    assert (answer["statusCode"], answer["headers"]["location"]) == (303, "/people#me-h")
    assert away(api) == [("maria", "jonas")]


def test_an_absence_is_shown_and_taken_back(api: Api) -> None:
    cookie, csrf = api.signed_in()
    now = api.gateway.clock.now_ms()
    api.page("decide", SEND, cookie, saved(csrf, **{"from": "", "until": "2026-12-04T17:00"}))
    (found,) = absences(api.gateway.ports).known.values()
    assert (found.from_ms, found.by) == (now, "maria"), "an empty field is now"
    page = api.page("review", PAGE, cookie)
    assert "You are away until Fri 4 Dec, 17:00 UTC; Jonas Weber decides in your place." in said(page)
    assert 'value="2026-12-04T17:00"' in page["body"]
    assert api.page("decide", SEND, cookie, {"csrf": csrf, "do": "back"})["statusCode"] == 303
    assert away(api) == []
    assert api.page("decide", SEND, cookie, {"csrf": csrf, "do": "back"})["statusCode"] == 303, "again is the same"


def test_to_be_back_keeps_what_was_typed_for_another_absence(api: Api) -> None:
    cookie, csrf = api.signed_in()
    api.page("decide", SEND, cookie, saved(csrf))
    assert api.page("decide", SEND, cookie, form(csrf, "back"))["statusCode"] == 303, "nothing was typed"
    api.page("decide", SEND, cookie, saved(csrf))
    answer = api.page("decide", SEND, cookie, form(csrf, "back", until="2097-06-01T08:00"))
    assert (answer["statusCode"], 'value="2097-06-01T08:00"' in answer["body"], away(api)) == (200, True, [])
    assert 'value="back"' not in answer["body"], "and they are back"


@pytest.mark.parametrize(
    ("changed", "status", "says"),
    [
        ({"until": ""}, 422, "Say until when."),
        ({"until": "soon"}, 422, "Write a moment of UTC such as"),
        ({"from": "2096-13-01T08:00"}, 422, "Write a moment of UTC such as"),
        ({"from": "0001-01-01T00:00"}, 422, "Write a moment of UTC such as"),
        ({"until": "2096-11-30T00:00"}, 422, "An absence ends after it begins"),
        ({"until": "2098-12-01T08:00"}, 422, "at most 366 days"),
        ({"delegate": "stranger"}, 422, "The delegate belongs to no group"),
        ({"delegate": "maria"}, 422, "would lead back to Maria Keller"),
        ({"delegate": "m" * 3_000}, 422, "The delegate belongs to no group"),
        ({"delegate": "a#b"}, 422, "The delegate belongs to no group"),
    ],
)
def test_a_mistake_is_told_at_its_field_and_what_was_typed_is_kept(api: Api, changed, status, says) -> None:
    cookie, csrf = api.signed_in()
    answer = api.page("decide", SEND, cookie, saved(csrf, **changed))
    assert answer["statusCode"] == status
    assert says in said(answer)
    assert 'aria-invalid="true"' in answer["body"]
    sent = {"from": FROM, "until": UNTIL, **changed}
    for name in ("from", "until"):
        assert f'name="{name}" type="datetime-local" value="{sent[name]}"' in answer["body"]
    assert away(api) == []


def test_only_our_own_page_of_this_session_saves(api: Api) -> None:
    cookie, csrf = api.signed_in()
    _, others = api.signed_in("jonas")
    sent = {"content-type": "application/x-www-form-urlencoded"}
    for origin, token in (("https://evil.example", csrf), (BASE, others), (BASE, "")):
        headers = {**sent, "origin": origin}
        answer = api.page("decide", SEND, cookie, saved(token), headers=headers)
        assert answer["statusCode"] == 403
        assert away(api) == []
    again = api.page(
        "decide", SEND, cookie, saved(others), headers={**sent, "origin": BASE, "sec-fetch-site": "same-origin"}
    )
    assert again["statusCode"] == 403
    assert "You signed in again after this page was made" in said(again)
    assert f'value="{FROM}"' in again["body"], "what was typed is kept"
    assert away(api) == []


def test_a_form_after_the_session_ended_keeps_what_was_typed(api: Api) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": BASE, "sec-fetch-site": "same-origin"}
    answer = api.page("decide", SEND, "", saved("old"), headers=headers, rawPath="/people")
    assert answer["statusCode"] == 403
    assert FROM in answer["body"]
    assert "/sign-in?next=%2Fpeople" in answer["body"]
    assert 'name="do" value="show"' in answer["body"], "sent again it is looked at"


def test_the_page_says_who_would_be_asked(api: Api) -> None:
    cookie, _ = api.signed_in()
    asked = {"class": "general", "requester": "jonas", "at": "2096-12-01T08:00"}
    page = said(api.page("review", PAGE, cookie, queryStringParameters=asked))
    table = page.partition("Who would be asked")[2].partition("Your absence")[0]
    assert "class general" in table
    assert "Maria Keller" in table
    assert "Jonas Weber" not in table
    for odd in ({"class": "nothing"}, {"requester": "\u202e" * 999}, {"at": "2999-12-31T23:59"}):
        assert api.page("review", PAGE, cookie, queryStringParameters={**asked, **odd})["statusCode"] == 200


CUT = ["2096-12-04T17:00+05:00", "2096-12-04T17:00-08:00", "2096-12-04T17:00:30", "2096-12-04T17:00 CET"]
CUT += ["2096-12-04T17:00Europe/Berlin", "2096-12-04T17:005", "\uff12\uff10\uff19\uff16-12-04T17:00", "yesterday"]


@pytest.mark.parametrize("text", CUT)
def test_a_moment_is_read_whole_or_not_at_all(api: Api, text: str) -> None:
    """What is cut off, or an offset that nobody looks at, would be another moment than the one that was meant."""
    cookie, csrf = api.signed_in()
    for name in ("from", "until"):
        answer = api.page("decide", SEND, cookie, saved(csrf, **{name: text}))
        assert answer["statusCode"] == 422
        assert "Write a moment of UTC such as 2026-12-04T17:00: whole minutes, and no zone" in said(answer)
        assert f'name="{name}" type="datetime-local" value="{text}"' in answer["body"]
    assert away(api) == []
    answer = api.page("review", PAGE, cookie, queryStringParameters={"class": "general", "at": text})
    assert answer["statusCode"] == 422
    assert "Write a moment of UTC" in said(answer)
    assert f'type="datetime-local" value="{text}"' in answer["body"]
    assert "Who would be asked" not in said(answer)


@pytest.mark.parametrize(
    "text", ["2096-12-04T17:00Z", "2096-12-04 17:00", " 2096-12-04T17:00 ", "2096-12-04T17:00:00.000"]
)
def test_other_ways_to_write_the_same_moment(api: Api, text: str) -> None:
    cookie, csrf = api.signed_in()
    assert api.page("decide", SEND, cookie, saved(csrf, until=text))["statusCode"] == 303
    until_ms = absences(api.gateway.ports).known["maria"].until_ms
    assert until_ms == int(datetime(2096, 12, 4, 17, tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize("text", ["jonas@example.com", "nobody@example.com", "Jonas Weber", "\u202ejonas", "x" * 5000])
def test_no_text_tells_whose_address_it_is(api: Api, text: str) -> None:
    """Who asks is chosen among the people on the page; whatever else is sent is not compared with anybody, nor shown."""
    cookie, _ = api.signed_in()
    answer = api.page("review", PAGE, cookie, queryStringParameters={"class": "general", "requester": text})
    assert answer["statusCode"] == 200
    assert "Choose who asks from the list" in said(answer)
    assert "Who would be asked" not in said(answer)
    assert f'value="{text}"' not in answer["body"]


def test_who_asks_is_compared_as_a_person(api: Api) -> None:
    """With one account of hers every one that has an address of hers is out."""
    members.add(api.gateway.ports, Reviewer("google_9", "M. Keller", "MARIA@example.com"), "approvers")
    cookie, _ = api.signed_in()
    page = said(api.page("review", PAGE, cookie, queryStringParameters={"class": "general", "requester": "maria"}))
    table = page.partition("Who would be asked")[2].partition("Your absence")[0]
    assert "Jonas Weber" in table
    assert "Keller" not in table


@pytest.mark.parametrize(("at", "taken"), [("2000-01-01T00:00", True), ("1999-12-31T23:59", False)])
@pytest.mark.parametrize("late", [False, True])
def test_a_moment_of_this_thousand_years_can_be_asked_about(api: Api, at: str, taken: bool, late: bool) -> None:
    if late:
        at = "2999-12-31T23:59" if taken else "3000-01-01T00:00"
    page = said(api.page("review", PAGE, api.signed_in()[0], queryStringParameters={"at": at}))
    assert ("Write a moment of UTC" not in page) == taken


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"until": "2099-12-04T17:00"}, "until"), ({"from": "2020-12-01T08:00", "until": "2020-12-02T08:00"}, "until")],
)
def test_what_is_wrong_with_a_moment_is_told_at_its_field(api: Api, changed: dict[str, str], field: str) -> None:
    cookie, csrf = api.signed_in()
    answer = api.page("decide", SEND, cookie, form(csrf, **changed))
    assert answer["statusCode"] == 422
    assert f'href="#{field}' in answer["body"], answer["body"][:3000]
