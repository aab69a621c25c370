"""The pages of a text: it stands in every place of each that an agent fills, at the lengths that a capture takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from placet.model.canonical import digest, exact_text
from placet.model.pauses import Evidence
from placet.policy.rules import Always, Tool
from placet.service.cards import shortened
from placet.service.headlines import headline
from placet.web import mail, pages
from tests.web import made

TOOL = Tool("delete_records", "x", sentence="Delete from {table} where {where} now", rules=(Always("r", "Always."),))
NAMES = ("inbox", "detail", "two calls", "edit", "edit again", "confirm", "conflict", "ended", "mail")
TITLE, SOURCE, SHORT, TEXT, REASON = 200, 256, 256, 20_000, 500  # what captures and forms take


def pages_of(text: str) -> dict[str, str]:
    """Name -> page."""
    call = _call(text)
    detail = _detail(text, call)
    reason = text[:REASON]
    done = replace(call, state="edited", may_decide=False, decided=_edited(text, call))
    preview = replace(
        made.preview(),
        call=call,
        text=call.text,
        digest=call.digest,
        headline=call.headline,
        reason=reason,
        type_to_accept=("where", text),
        rows=tuple((name, "", "", True) for name in call.arguments),
    )
    typed = {"arguments": exact_text({"a": text}), "reason": reason}
    return {
        "inbox": inbox_of([text]),
        "detail": pages.detail(detail, made.MARIA, made.FORM),
        "two calls": pages.detail(replace(detail, calls=(call, _call(text, 2))), made.MARIA, made.FORM),
        "edit": pages.edit(detail, call, made.MARIA, made.FORM),
        "edit again": pages.edit(detail, call, made.MARIA, made.FORM, [text[:REASON]], typed),
        "confirm": pages.edit_confirm(detail, preview, made.MARIA, made.FORM),
        "conflict": pages.conflict(
            _detail(text, done),
            done,
            made.MARIA,
            made.FORM,
            "already_decided",
            {"decision": "edit", **typed},
        ),
        "ended": pages.detail(_detail(text, done), made.MARIA, made.FORM),
        "mail": mail_of(text),
    }


def inbox_of(texts: Iterable[str]) -> str:
    """The inbox with a row for each text."""
    rows = (
        made.row(
            title=shortened(f"Refund {text} now", 80, "in the call"),
            tools=(text[:60], "delete_records"),
            entity=text[:SHORT],
            requester=text[:SHORT],
            agent="support-agent",
            why=(shortened(text, 60), "The amount is over 100.00"),
        )
        for text in texts
    )
    return pages.inbox(made.inbox(*rows), made.MARIA, made.FORM)


def mail_of(text: str) -> str:
    """The notification."""
    facts = mail.MailFacts(
        reviewer_name="Maria Keller",
        reviewer_email="maria@example.com",
        title_class="",
        headline="",
        tools=(text[:SHORT], "delete_records"),
        agent="support-agent",
        requester=text[:SHORT],
        entity=text[:SHORT],
        deadline_ms=made.NOW + made.HOUR,
        link="https://placet.example.com/reviews/k3vQ7mZp",
        action_class="money-out",
        now_ms=made.NOW,
    )
    return mail.html(facts)


def _call(text: str, number: int = 1) -> Any:
    short = text[:70]
    values = {"table": short, "where": text, f"key {short}": 1, "list": [short, text, 1], "deep": {short: [text]}}
    return made.call(
        number,
        values,
        tool=text[:100],
        headline=headline(TOOL, values),
        text=exact_text(values),
        digest=digest(values),
        fixed=("table",),
        type_to_accept=("where", text),
        why=((f"rule/{short}", f"It says {short}."),),
        unreadable=(),
    )


def _detail(text: str, *calls: Any) -> Any:
    return made.detail(
        *calls,
        run=text[:SHORT],
        requester=text[:SHORT],
        entity=text[:SHORT],
        evidence=(
            Evidence(text[:TITLE], text[:SOURCE], False, text[:TEXT]),
            Evidence("Policy", text[:SOURCE], True, "x"),
        ),
        says=text[:TEXT],
    )


def _edited(text: str, call: Any) -> Any:
    return made.decided("edited", before=exact_text({"where": "x"}), after=call.text, reason=text[:REASON])
