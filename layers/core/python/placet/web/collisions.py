"""Why a decision was not taken, in words."""

from __future__ import annotations

from typing import Any

from placet.model.pauses import Reviewer
from placet.service.views import CallView
from placet.web import words
from placet.web.endings import ending_of

_NOT_TAKEN = "Your decision was not taken."
_NO_EFFECT = "Nothing that you sent has had an effect."
_SENT = {"accept": "accept", "reject": "reject", "edit": "edit and accept"}


def facts_of(call: CallView, now_ms: int, me: Reviewer, code: str, sent: str, sent_reason: str) -> dict[str, Any]:
    """What `conflict.html` shows. The record is believed before the code: it may have moved on since the refusal."""
    tone, shape_name, head, says, again = _said(call, now_ms, code)
    by_person = call.decided is not None and bool(call.decided.by)
    return {
        "tone": tone,
        "shape_name": shape_name,
        "head": head,
        "says": says,
        "again": again,
        "taken": by_person,
        "rows": _rows(call, now_ms, me, sent, sent_reason),
    }


def _said(call: CallView, now_ms: int, code: str) -> tuple[str, str, str, tuple[str, ...], bool]:
    """Tone, shape, heading, paragraphs, and whether the call can be read afresh and decided."""
    ending = ending_of(call, now_ms)
    if call.decided is not None and ending is not None:
        if call.decided.state in ("accepted", "edited", "rejected"):
            who = call.decided.by or "Somebody else"
            told: tuple[str, ...] = (
                f"It was {call.decided.state}, and that stands. {_NO_EFFECT}",
                "Do you think that it is wrong? You cannot undo it here; talk to an operator.",
            )
            ago = words.ago(call.decided.at_ms, now_ms)
            return "stop", "half", f"{who} decided{' ' + ago if ago else ''}. {_NOT_TAKEN}", told, False
        return ending.tone, ending.shape, f"{ending.head} {_NOT_TAKEN}", (_NO_EFFECT, *ending.says), False
    return _by_code(call, now_ms, code)


def _by_code(call: CallView, now_ms: int, code: str) -> tuple[str, str, str, tuple[str, ...], bool]:
    """What the code of the refusal says, when the record that was read says nothing yet."""
    if code == "deadline_passed":
        when = f" at {words.day_clock(call.deadline_ms, now_ms)} UTC" if call.deadline_ms else ""
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
    return "stop", "half", _NOT_TAKEN, (f"The call moved on while you read it. {_NO_EFFECT}",), call.may_decide


def _rows(call: CallView, now_ms: int, me: Reviewer, sent: str, sent_reason: str) -> list[tuple[str, str, str]]:
    mine = _SENT.get(sent, sent) + (f": “{sent_reason}”" if sent_reason else "")
    decided = call.decided
    if decided is None or not decided.by:
        return [
            ("who", "", f"you, {me.name or me.email}"),
            ("when", "", words.clock_s(now_ms) + " UTC"),
            ("what", "", mine),
        ]
    theirs = decided.state + (f": “{decided.reason}”" if decided.reason else "")
    return [
        ("who", decided.by, f"you, {me.name or me.email}"),
        (
            "when",
            f"{words.day_clock(decided.at_ms, now_ms)} UTC" if decided.at_ms else "",
            f"{words.clock_s(now_ms)} UTC",
        ),
        ("what", theirs, mine),
    ]
