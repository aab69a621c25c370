"""What a page says is so: who was told what, until when, what replaced a call, and what was known."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from placet.model.canonical import exact_text
from placet.policy.classes import Then
from placet.web import pages
from placet.web.unanswered import ends, heard
from tests.web import made, posed
from tests.web.gallery import PAGES
from tests.web.reading import Page

SUCCESSOR = "abcdefghijklmnopqrstuvwxyz"


def _ended(state: str, **facts) -> str:
    call = made.call(state=state, may_decide=False, decided=made.decided(state, **facts))
    return re.sub(r"\s+", " ", Page(pages.detail(made.detail(call), made.MARIA, made.FORM)).text)


@pytest.mark.parametrize(("state", "what"), [("rejected", "that a person said no"), ("expired", "“nobody decided”")])
def test_the_agent_was_told_only_when_its_run_went_on(state, what):
    assert f"The agent is told, when its run goes on, {what}" in _ended(state)
    assert "was told" not in _ended(state)
    assert f"The agent was told {what}" in _ended(state, ended=True)


def test_a_call_whose_run_went_on_without_it_is_not_said_to_run_later():
    assert "It has not run yet." in _ended("accepted")
    text = _ended("accepted", ended=True)
    assert "yet" not in text
    assert "The run ended without it" in text
    assert "It ran." in _ended("accepted", ended=True, permit="done")


def test_a_replaced_call_leads_to_what_replaced_it_and_to_nothing_else():
    call = made.call(
        state="superseded", may_decide=False, decided=made.decided("superseded", by="", successor=SUCCESSOR)
    )
    html = pages.detail(made.detail(call), made.MARIA, made.FORM)
    assert f'<a href="/reviews/{SUCCESSOR}">' in html
    for other in ("", "../stuck", "https://evil.example", "x" * 26 + "/", "javascript:alert(1)"):
        done = replace(call, decided=made.decided("superseded", successor=other))
        assert "asks instead" not in pages.detail(made.detail(done), made.MARIA, made.FORM)


def test_who_is_away_is_not_said_to_be_unable_to_decide():
    """The right is lent, not given away: who is away is not asked, and may decide all the same."""
    found = made.people()
    one, other = found.classes
    short = made.people(classes=(replace(one, people=1), other))
    alone = made.people(classes=(replace(one, quorum=1, people=1), other))
    home = replace(one.levels[0], groups=(replace(found.groups[0], away=()),))
    text = {
        name: re.sub(r"\s+", " ", Page(posed.people(classes=people.classes)).text)
        for name, people in (
            ("just enough", found),
            ("alone", alone),
            ("short", short),
            ("home", made.people(classes=(replace(one, people=1, levels=(home,)), other))),
        )
    }
    for name in ("just enough", "alone"):
        assert "What one of them asks for, nobody who is here can decide." in text[name]
    assert "class money-out has 1 person here" in text["short"]
    assert "Those who are here are too few to decide it." in text["short"]
    for name, said in text.items():
        assert ("Who is away is not asked, and may still decide." in said) == (name != "home")
        assert "nobody can decide" not in said
    planned = re.sub(r"\s+", " ", Page(PAGES["people-planned"]()).text)
    assert "if one of them is away too, those who are here are too few." in planned
    assert "nobody can decide" not in planned


def _column(*calls, **facts) -> list[str]:
    html = pages.detail(made.detail(*calls, **facts), made.MARIA, made.FORM)
    rows = re.findall(r"<li[^>]*>(.*?)</li>", html.split('<ol class="steps">')[1].split("</ol>")[0], re.S)
    return [re.sub(r"\s+", " ", Page(row.replace("</span><span>", "</span> <span>")).text).strip() for row in rows]


def test_the_column_tells_reminders_and_levels_and_asked_means_what_it_means_under_the_decision():
    ends_at = "Expires. It does not run; the agent hears that nobody decided"
    assert _column(reminded=((made.NOW - 10 * made.MINUTE, (1,)),)) == [
        "14:05 The agent stopped",
        "14:26 Asked: finance",
        "14:36 Reminder sent",
        "14:46 Now",
        "14:50 Reminds who has not decided",
        "15:00 Asks: finance-leads, treasury as well",
        f"17:00 It {ends_at[0].lower()}{ends_at[1:]}",
    ]


def test_the_column_of_several_calls_says_which_each_moment_is_about():
    first, second = made.call(1), made.call(2)
    level = replace(second.asked[1], at_ms=made.NOW - made.MINUTE, reached=True)
    widened = replace(second, asked=(second.asked[0], level), remind_ms=0)
    told = _column(first, widened, reminded=((made.NOW - 2 * made.MINUTE, (2,)), (made.NOW - 3 * made.MINUTE, (1, 2))))
    assert told[1:8] == [
        "14:26 Asked: finance",
        "14:43 Reminder sent",
        "14:44 Reminder sent about call 2",
        "14:45 Asked about call 2: finance-leads, treasury as well",
        "14:46 Now",
        "14:50 Reminds who has not decided about call 1",
        "15:00 Asks about call 1: finance-leads, treasury as well",
    ]


def test_what_is_over_is_told_without_what_was_still_to_come():
    call = made.call(state="accepted", may_decide=False, asked=(), decided=made.decided("accepted"))
    told = _column(call)
    assert [row for row in told if "Accepted by" in row]
    assert not [row for row in told if "Reminds" in row or "call 1" in row]


def test_calls_with_several_deadlines_each_say_their_own():
    first, second = made.call(1, deadline_ms=made.NOW + 4 * made.HOUR), made.call(2, deadline_ms=made.NOW + made.DAY)
    html = pages.detail(made.detail(second, replace(first, number=3)), made.MARIA, made.FORM)
    text = re.sub(r"\s+", " ", Page(html).text)
    assert "4 h left, until today 18:46 UTC" in text
    assert "Then call 3 expires. Call 2 is open until Tue 1 Dec, 14:46 UTC." in text
    assert "what is open expires" not in text
    same = pages.detail(made.detail(made.call(1), made.call(2)), made.MARIA, made.FORM)
    assert "Then what is open expires" in same


@pytest.mark.parametrize(
    ("thens", "action", "margin"),
    [
        (("expire",), "Then it expires and the agent hears that nobody decided.", "It expires. It does not run"),
        (
            ("reject",),
            "Then the rule of its class rejects it and the agent hears that a rule rejected it, and that no person said no.",
            "The rule of its class rejects it. It does not run; the agent hears that a rule rejected it",
        ),
        (("reject",) * 2, "Then the rule of its class rejects what is open;", "The rule of its class rejects call 2."),
        (
            ("reject", "expire"),
            "Then what is open ends as each class says, by expiry or by rejection;",
            "Call 2 expires.",
        ),
    ],
)
def test_the_end_of_what_nobody_decides_is_that_of_its_class(thens: tuple[str, ...], action: str, margin: str):
    calls = [made.call(number, then=then) for number, then in enumerate(thens, 1)]
    text = re.sub(r"\s+", " ", Page(pages.detail(made.detail(*calls), made.MARIA, made.FORM)).text)
    assert action in text
    assert margin in text
    assert ("xpires" in text) == ("expire" in thens), "no other sentence says something else"


def test_calls_that_end_first_are_named_with_their_end():
    first = [made.call(number, deadline_ms=made.NOW + made.HOUR, then="reject") for number in (1, 2)]
    html = pages.detail(made.detail(*first, made.call(3, deadline_ms=made.NOW + made.DAY)), made.MARIA, made.FORM)
    assert "Then the rules of their classes reject calls 1 and 2. Call 3 is open" in re.sub(
        r"\s+", " ", Page(html).text
    )


@pytest.mark.parametrize("then", ["expire", "reject"])
def test_what_is_foretold_ends_as_its_class_says(then: str):
    ask = made.foretold()
    money = replace(ask.forecast.action_class, then=Then(then))
    found = replace(ask, forecast=replace(ask.forecast, action_class=money))
    text = re.sub(r"\s+", " ", Page(posed.people(ask=found)).text)
    assert (f"then {ends([then])}, and {heard([then])}" in text, ends([then])) == (
        True,
        {"expire": "it expires", "reject": "the rule of its class rejects it"}[then],
    )


def test_nothing_hidden_is_said_of_plain_text_only():
    def summary(value: str) -> str:
        call = made.call(arguments={"a": value}, text=exact_text({"a": value}), type_to_accept=None)
        return Page(pages.detail(made.detail(call), made.MARIA, made.FORM)).text

    assert "no hidden characters" in summary("Grüße")
    for value in ("שלום", "Привет", "a\u200bb", "g\u0585ogle"):
        assert "no hidden characters" not in summary(value)


def test_whose_words_evidence_is_what_is_missing_and_what_was_known():
    text = re.sub(r"\s+", " ", Page(PAGES["detail-told"]()).text)
    for said in (
        "Not trusted: the user's own words, says the agent",
        "Not trusted: the result of an earlier call, says the agent",
        "Not trusted: a text that was looked up, says the agent",
        "Not trusted: the agent's own words",
        "The agent left out at least 12,345 characters of it.",
        "The agent left out at least 9,000 characters of it.",
        "What was known then: 300 of 500 were let pass",
        "It was drawn for somebody to look at afterwards.",
        "Confidence, says the agent 0.42 of 1",
        "rows, says the agent 4120",
        "cost, says the agent 0.25",
    ):
        assert said.replace(" ", "") in text.replace(" ", ""), said
    assert "What was known then" in Page(PAGES["detail-told-of-two"]()).text
    known = ("This agent has never called `pay` right after `get_order` before.",)
    page = pages.detail(made.detail(made.call(known=known)), made.MARIA, made.FORM)
    assert '<code><bdi dir="ltr">get_order</bdi></code> before.' in page
    assert "Set apart are names that the agent gave." in page
    assert "Set apart" not in PAGES["detail-told"]()
    plain = Page(PAGES["detail"]()).text
    assert not any(word in plain for word in ("Confidence", "left out", "known then", "drawn for", "observes"))


def test_what_passed_because_its_class_observes_says_so():
    text = re.sub(r"\s+", " ", Page(PAGES["ended-observed"]()).text)
    assert "Its class only observes, so this passed. Otherwise a person would have been asked. It ran." in text
    assert "Why it would have been stopped" in text
    assert "The policy let this call pass" not in text
