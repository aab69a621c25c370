"""Why a decision was not taken, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.model.pauses import Reviewer
from placet.service.views import CallView, Decided
from placet.web import phrases
from placet.web.forms import reason_of, with_line_feeds
from placet.web.outcomes import changes, ending_of, name_of

_NOT_TAKEN = "Your decision was not taken."
_NO_EFFECT = "Nothing that you sent has had an effect."
_NO_SECOND = "What you sent now has had no effect beside it."
_SENT = {
    "accept": "accept",
    "reject": "reject",
    "edit": "edit and accept",
    "ask": "question to the agent",
    "extend": "more time",
}
_OF_OTHERS = {"ask": "Your question was not asked.", "extend": "No time was given."}  # of what is no decision
_WORDS = {"edit": "reason", "ask": "question", "extend": "why"}  # the field that a verb's own words stand in


def facts_of(call: CallView, now_ms: int, me: Reviewer, code: str, sent: Mapping[str, str]) -> dict[str, Any]:
    """What `conflict.html` shows. The record is believed before the code: it may have moved on since the refusal.

    Args:
        sent: the form that was not taken; without a `decision` it asked for the preview of an edit.
    """
    tone, icon_name, head, says, again = _said(call, now_ms, code)
    head = head.replace(_NOT_TAKEN, _OF_OTHERS.get(sent.get("decision", ""), _NOT_TAKEN))
    by_person = call.decided is not None and bool(call.decided.by)
    return {
        "tone": tone,
        "icon_name": icon_name,
        "head": head,
        "says": says,
        "again": again,
        "taken": by_person,
        "rows": _rows(call, now_ms, me, sent),
    }


def _said(call: CallView, now_ms: int, code: str) -> tuple[str, str, str, tuple[str, ...], bool]:
    """Tone, icon, heading, paragraphs, and whether the call can be read afresh and decided."""
    ending = ending_of(call, now_ms)
    if call.decided is not None and ending is not None:
        if call.decided.state in ("accepted", "edited", "rejected") and not call.decided.by_rule:
            return _decided(call, call.decided, now_ms)
        return ending.tone, ending.icon, f"{ending.head} {_NOT_TAKEN}", (_NO_EFFECT, *ending.says), False
    if ending is not None:
        return ending.tone, ending.icon, f"{ending.head} {_NOT_TAKEN}", (_NO_EFFECT, *ending.says), False
    return _by_code(call, now_ms, code)


def _decided(call: CallView, decided: Decided, now_ms: int) -> tuple[str, str, str, tuple[str, ...], bool]:
    ago = phrases.ago(decided.at_ms, now_ms)
    head = f"{name_of(decided, 'Somebody else')} decided{' ' + ago if ago else ''}."
    stands = f"The call was {decided.state}, and that stands."
    if decided.by_you:
        told = (
            f"{stands} You sent that from another window, or pressed before. {_NO_SECOND}",
            f"Was the first one wrong? {_way_back(call)}",
        )
        return "care", "half", f"{head} What you sent now was not taken.", told, False
    told = (f"{stands} {_NO_EFFECT}", f"Do you think that it is wrong? {_way_back(call)}")
    return "stop", "half", f"{head} {_NOT_TAKEN}", told, False


def _way_back(call: CallView) -> str:
    """What can still be done about a decision that is wrong."""
    if call.may_undo:
        return f"You can undo it on the page of the call until {phrases.clock_s(call.undo_until_ms)} UTC; nothing runs before."
    return "You cannot undo it here; talk to an operator."


def _by_code(call: CallView, now_ms: int, code: str) -> tuple[str, str, str, tuple[str, ...], bool]:
    """What the code of the refusal says, when the record that was read says nothing yet."""
    if code == "deadline_passed":
        when = f" at {phrases.day_clock(call.deadline_ms, now_ms)} UTC" if call.deadline_ms else ""
        told = (f"Nobody had decided by then, so nothing runs. {_NO_EFFECT}",)
        return "care", "clock", f"The time to decide ended{when}. {_NOT_TAKEN}", told, False
    if code in ("revision_differs", "digest_differs"):
        told = (f"What you decided on is not what stands there now. {_NO_EFFECT} Read it afresh.",)
        return "care", "swap", f"The call changed while you read it. {_NOT_TAKEN}", told, True
    if code == "already_decided":
        return "stop", "half", f"Somebody else decided. {_NOT_TAKEN}", (_NO_EFFECT,), False
    if code == "not_shown_yet":
        told = (f"Nobody is asked about the call yet. {_NO_EFFECT} Try again in a moment.",)
        return "care", "clock", _NOT_TAKEN, told, True
    if code == call.hindered and call.why_not:
        return "stop", "half", _NOT_TAKEN, (f"{call.why_not} {_NO_EFFECT}",), False
    return "stop", "half", _NOT_TAKEN, (f"The call moved on while you read it. {_NO_EFFECT}",), call.may_decide


def _rows(call: CallView, now_ms: int, me: Reviewer, sent: Mapping[str, str]) -> list[tuple[str, str, str]]:
    mine = _mine(sent)
    decided = call.decided
    you = f"you, {me.name or me.email or me.sub}"
    if decided is None or not decided.by:
        return [("who", "", you), ("when", "", phrases.clock_s(now_ms) + " UTC"), ("what", "", mine)]
    when = f"{phrases.day_clock(decided.at_ms, now_ms)} UTC" if decided.at_ms else ""
    return [
        ("who", you if decided.by_you else decided.by, you),
        ("when", when, f"{phrases.clock_s(now_ms)} UTC"),
        ("what", _theirs(decided), mine),
    ]


def _mine(sent: Mapping[str, str]) -> str:
    decision = sent.get("decision", "") or "edit"
    named = _WORDS.get(decision)
    reason = with_line_feeds(sent.get(named, "")).strip() if named else reason_of(sent)
    return _SENT.get(decision, decision) + (f": “{reason}”" if reason else "")


def _theirs(decided: Decided) -> str:
    """What was taken; of an edit its values."""
    values = "; ".join(
        f"{change.name} {change.after or 'taken out'}" + (f" (was {change.before})" if change.before else "")
        for change in changes(decided)
    )
    said = f"edit: {values}" if values else decided.state
    return said + (f"\n“{decided.reason}”" if decided.reason else "")
