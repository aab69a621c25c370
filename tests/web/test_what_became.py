"""What a page tells of the past: who agreed, what was taken back, who was asked, and that a rule is no person."""

from __future__ import annotations

import re
from typing import Any

import pytest

from placet.model.acting import Acting
from placet.service.happened import Earlier
from placet.service.views import CallView
from placet.web import pages
from placet.web.conflict_page import facts_of
from placet.web.forms import _same
from tests.web import made
from tests.web.reading import Page


def _text(*calls: CallView, **facts: Any) -> str:
    detail = made.detail(*calls, **facts)
    return re.sub(r"\s+", " ", Page(pages.detail(detail, made.MARIA, made.FORM)).text)


def _by_rule(**facts: Any) -> CallView:
    said = "Nobody decided in time, and so the rule of its class said no; no person said no."
    decided = made.decided("rejected", by=Acting("", ""), by_rule=True, reason=said)
    return made.call(state="rejected", may_decide=False, decided=decided, **facts)


def test_what_a_rule_says_is_nobodys_words():
    for calls in ((_by_rule(),), (_by_rule(), made.plain_call(2))):
        text = _text(*calls)
        assert "so the rule of its class rejected this" in text
        assert "wrote" not in text


def test_a_rule_that_rejected_meanwhile_is_not_somebody_else():
    told = facts_of(_by_rule(), made.NOW, made.MARIA, "already_decided", {"decision": "reject"})
    assert "Somebody else" not in told["head"]
    assert "so the rule of its class rejected this" in told["head"]
    assert not told["taken"]


@pytest.mark.parametrize("by_you", [True, False])
def test_a_decision_that_may_be_undone_is_not_said_to_stand_for_ever(by_you):
    decided = made.decided("accepted", by_you=by_you)
    until = made.NOW + made.MINUTE
    for may_undo, words in (
        (True, "You can undo it on the page of the call until 14:47:03 UTC"),
        (False, "talk to an operator"),
    ):
        call = made.call(state="accepted", decided=decided, may_undo=may_undo, undo_until_ms=until if may_undo else 0)
        told = facts_of(call, made.NOW, made.MARIA, "already_decided", {"decision": "reject"})
        assert words in " ".join(told["says"])
        assert ("talk to an operator" in " ".join(told["says"])) is not may_undo


def test_votes_and_what_was_taken_back_stand_in_the_column():
    jonas, maria = Acting("Jonas Weber", ""), Acting("Maria Keller", "Ingrid Solberg")
    at = made.NOW - 9 * made.MINUTE
    earlier = (
        Earlier(1, "voted", at, maria, "accept"),
        Earlier(1, "decided", at + 1, jonas, "edit", "vier Tage"),
        Earlier(1, "undone", at + 2, maria),
        Earlier(1, "reopened", at + 3, Acting("", "")),
        Earlier(1, "ruled", at + 4, Acting("", "")),
    )
    text = _text(earlier=earlier)
    for said in (
        "Maria Keller for Ingrid Solberg agreed to it",
        "Jonas Weber edited and accepted it: “vier Tage”",
        "Maria Keller for Ingrid Solberg took the decision on it back: it was to be decided again",
        "The approval of it was too old to run: it was to be decided again",
        "The rule of its class rejected it",
    ):
        assert said in text
    assert "agreed to call 1" in _text(made.call(), made.plain_call(2), earlier=earlier)


def test_nobody_is_said_to_be_asked_where_nobody_may_decide():
    assert "Asked: finance" in _text()
    unheard = _text(unheard=True)
    assert "Asked: finance" not in unheard
    assert "Nobody who may decide was found, which operators are told. To be asked: finance" in unheard


@pytest.mark.parametrize("typed", ["1_240.5", "١٢٤٠.٥", "1240.5_", "0x4d8", "1.240,5", "1'240.5", "NaN", "٫5"])  # noqa: RUF001
def test_a_value_to_type_is_typed_in_plain_digits(typed):
    assert not _same("1240.5", typed)


@pytest.mark.parametrize("typed", ["1240.5", "1,240.5", "1 240.5", "1240.50", " 1240.5 ", "1.2405e3"])
def test_a_value_to_type_is_read_as_the_page_shows_numbers(typed):
    assert _same("1240.5", typed)
