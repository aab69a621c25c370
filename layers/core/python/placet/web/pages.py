"""The pages of the gateway: values in, the text of a whole HTML page out.

Answer them with `placet.web.security.headers()`. Every page works without a script. What a page's forms send, and the
checks that only the pages ask for, is in `placet.web.forms`.

`problems` are plain sentences, or `Problem`s that name the field at fault. `kept` is what was posted (the form's
fields, plus `call`, the id it was posted to): it is put into that call's forms again, so that nobody types twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from placet.model.canonical import parse
from placet.model.pauses import Reviewer
from placet.service.views import CallView, Detail, EditPreview, Inbox, InboxRow
from placet.web import arguments, collisions, words
from placet.web.differences import is_closed, rows_of, warnings_of
from placet.web.forms import FormFacts, Problem, carried, for_field, with_line_feeds
from placet.web.lone import (
    Kept,
    error_absent,
    error_server,
    message,
    sign_in,
    signed_in_unnamed,
    signed_out,
    signed_out_meanwhile,
)
from placet.web.panels import BESIDE, links_of, marked_total, marked_words, panel_of, panels_of
from placet.web.rendering import render

__all__ = [
    "FormFacts",
    "Kept",
    "Problem",
    "conflict",
    "detail",
    "edit",
    "edit_confirm",
    "error_absent",
    "error_server",
    "inbox",
    "message",
    "sign_in",
    "signed_in_unnamed",
    "signed_out",
    "signed_out_meanwhile",
]

Problems = Sequence[str | Problem]


@dataclass(frozen=True)
class _Group:
    title: str
    soon: bool
    rows: tuple[InboxRow, ...]

    @property
    def calls(self) -> int:
        """Those that wait for this person; what somebody else decides, or what is over, is listed and not counted."""
        return sum(row.open_calls for row in self.rows if not row.why_not)

    @property
    def others(self) -> int:
        return sum(bool(row.why_not) for row in self.rows)


def inbox(inbox: Inbox, me: Reviewer, form: FormFacts, *, first: bool = True) -> str:
    """One page of what waits for a reviewer, grouped by time and never by colour; `first`: nothing stands before it."""
    groups = _groups(inbox)
    calls = sum(group.calls for group in groups)
    return render(
        "inbox.html",
        inbox=inbox,
        groups=groups,
        head=_inbox_head(calls, first, bool(inbox.next)),
        me=me,
        form=form,
        first=first,
    )


def _inbox_head(calls: int, first: bool, more: bool) -> str:
    """How much waits, as far as this page tells: what stands on others is not counted, and more is said where more follows."""
    if not calls:
        return "Inbox" if first else "Nothing later" if not more else "Later calls"
    at_least = "More than " if more else ""
    later = "" if first else "later "
    told = words.many(calls, f"{later}call waits", f"{later}calls wait")
    return f"{at_least}{told} for you"


def detail(
    detail: Detail,
    me: Reviewer,
    form: FormFacts,
    problems: Problems = (),
    kept: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> str:
    """A pause with all its calls: the exact call, why it was stopped, the evidence, and one decision per open call."""
    panels = panels_of(detail, problems, kept)
    title = panels[0].call.headline.text
    if len(panels) > 1:
        open_calls = sum(panel.open for panel in panels)
        title = f"{len(panels)} calls{' for ' + detail.entity if detail.entity else ''}: {open_calls} open"
    links = links_of(problems, panels, kept)
    return render(
        "detail.html",
        detail=detail,
        panels=panels,
        title=title,
        me=me,
        form=form,
        links=links,
        notice=notice or "",
        talks=any(panel.open and (panel.call.latest_ms or panel.call.may_ask) for panel in panels),
        typed=kept or {},
        beside={item.field: item.text for item in problems if isinstance(item, Problem) and item.field in BESIDE},
    )


def edit(
    detail: Detail,
    call: CallView,
    me: Reviewer,
    form: FormFacts,
    problems: Problems = (),
    kept_text: str = "",
    kept_reason: str = "",
) -> str:
    """The arguments in a field to change, with the evidence beside them. Leads to before and after; decides nothing."""
    panel = panel_of(call, detail.as_of_ms)
    items = [item if isinstance(item, Problem) else Problem("arguments", item) for item in problems]
    texts = {
        "arguments": [item.text for item in items if item.field != "reason"],
        "reason": [item.text for item in items if item.field == "reason"],
    }
    return render(
        "edit.html",
        detail=detail,
        call=call,
        me=me,
        form=form,
        text=for_field(kept_text) if kept_text else arguments.editable(call.arguments),
        reason=with_line_feeds(kept_reason),
        problems=texts,
        links=[("why" if item.field == "reason" else "arguments", item.text) for item in items],
        closed=is_closed(call.schema),
        exact=panel.exact,
        exact_size=panel.exact_size,
        marked=panel.marked,
    )


def edit_confirm(
    detail: Detail,
    preview: EditPreview,
    me: Reviewer,
    form: FormFacts,
    problems: Problems = (),
    kept: Mapping[str, str] | None = None,
) -> str:
    """Before and after, both digests, and the one form that accepts the edit."""
    preview = replace(preview, reason=with_line_feeds(preview.reason))
    panel = panel_of(replace(preview.call, type_to_accept=preview.type_to_accept), detail.as_of_ms, problems, kept)
    typed = "typed" if preview.type_to_accept else "accept-form"
    found = arguments.marked_in(parse(preview.text))
    rows = rows_of(preview)
    return render(
        "confirm.html",
        detail=detail,
        preview=preview,
        call=preview.call,
        p=panel,
        me=me,
        form=form,
        links=[
            (f"{'saw' if isinstance(item, Problem) and item.field == 'saw' else typed}-{panel.n}", _text_of(item))
            for item in problems
        ],
        rows=rows,
        warnings=warnings_of(rows),
        closed=is_closed(preview.call.schema),
        exact=arguments.exact_for_reading(preview.text),
        exact_size=arguments.size(preview.text),
        marked=marked_words(found),
        marked_total=marked_total(found),
        again=for_field(preview.text),
    )


def conflict(
    detail: Detail, call: CallView, me: Reviewer, form: FormFacts, code: str, sent: Mapping[str, str] | None = None
) -> str:
    """Why a decision was not taken: decided meanwhile, expired, replaced or changed. Status 409, or 410.

    Args:
        call: as it stands now.
        code: of the error: `already_decided`, `deadline_passed`, `revision_differs` or another. The record is believed
            before it.
        sent: the form that was not taken.
    """
    facts = collisions.facts_of(call, detail.as_of_ms, me, code, sent or {})
    goes_along = carried(call, sent or {})
    facts |= {
        "carried": goes_along,
        "carried_to": f"/reviews/{call.call}/{'edit' if 'arguments' in goes_along else 'decide'}",
    }
    return render("conflict.html", detail=detail, p=panel_of(call, detail.as_of_ms), me=me, form=form, **facts)


def _groups(inbox: Inbox) -> list[_Group]:
    """Within the hour, today, later; empty groups are left out."""
    soon: list[InboxRow] = []
    today: list[InboxRow] = []
    later: list[InboxRow] = []
    for row in inbox.rows:
        if row.deadline_ms - inbox.as_of_ms <= words.HOUR * 1000:
            soon.append(row)
        else:
            (today if words.same_day(row.deadline_ms, inbox.as_of_ms) else later).append(row)
    groups = [
        _Group("Within the hour", True, tuple(soon)),
        _Group("Today", False, tuple(today)),
        _Group("Later", False, tuple(later)),
    ]
    return [group for group in groups if group.rows]


def _text_of(problem: str | Problem) -> str:
    return problem.text if isinstance(problem, Problem) else problem
