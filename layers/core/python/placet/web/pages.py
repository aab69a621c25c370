"""The pages of the gateway: values in, the text of a whole HTML page out.

Answer them with `placet.web.security.headers()`. Every page works without a script. What a page's forms send, and the
checks that only the pages ask for, is in `placet.web.forms`.

`problems` are plain sentences, or `Problem`s that name the field at fault. `kept` is what was posted (the form's
fields, plus `call`, the id it was posted to): it is put into that call's forms again, so that nobody types twice.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from placet.model.canonical import parse
from placet.model.pauses import Reviewer
from placet.service.views import CallView, Detail, EditPreview, Inbox, InboxRow
from placet.web import arguments, conflict_page, phrases, typed
from placet.web.differences import is_closed, rows_of, warnings_of
from placet.web.forms import FormFacts, Problem, for_field, with_line_feeds
from placet.web.panels import (
    BESIDE,
    Panel,
    links_of,
    marked_total,
    marked_words,
    panel_of,
    panels_of,
    takes_comments,
    without_field,
)
from placet.web.rendering import render
from placet.web.standalone_pages import (
    Kept,
    error_absent,
    error_server,
    message,
    sign_in,
    signed_in_unnamed,
    signed_out,
    signed_out_meanwhile,
)

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
    told = phrases.many(calls, f"{later}call waits", f"{later}calls wait")
    return f"{at_least}{told} for you"


def detail(
    detail: Detail,
    me: Reviewer,
    form: FormFacts,
    problems: Problems = (),
    kept: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> str:
    """A pause with all its calls: the exact call, why it was stopped, the evidence, and one decision per open call.

    Args:
        kept: what was typed before: into its fields again, and what has none any more is shown to be copied.
        notice: what was done; where what was typed stands now is said behind it.
    """
    panels = panels_of(detail, problems, kept)
    loose = without_field(detail, panels, kept or {})
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
        notice=f"{notice} {_where_kept(kept or {}, loose)}".strip() if notice else "",
        loose=[(_travels(panels, name), label, text) for name, label, text in typed.rows(loose)],
        takes_comments=takes_comments(detail),
        talks=any(panel.open and (panel.call.latest_ms or panel.call.may_ask) for panel in panels),
        typed=kept or {},
        beside={item.field: item.text for item in problems if isinstance(item, Problem) and item.field in BESIDE},
    )


def _where_kept(kept: Mapping[str, str], loose: Mapping[str, str]) -> str:
    """Where what was typed stands on a page, as it was made."""
    if not typed.texts(kept):
        return ""
    if not loose:
        return "What you typed is kept below."
    if len(loose) < len(typed.texts(kept)):
        return "What you typed is kept below; what has no field here any more stands there to be copied."
    return "What you typed has no field here any more; it stands below to be copied."


def _travels(panels: Sequence[Panel], name: str) -> str:
    """The name under which a text without a field goes along with the next press; empty where the page has the name itself, or
    where it is of the form of an edit."""
    field, number = typed.split(name)
    if number:
        return name if any(str(panel.n) == number and field not in panel.fields for panel in panels) else ""
    return name if field in BESIDE else ""


def edit(
    detail: Detail,
    call: CallView,
    me: Reviewer,
    form: FormFacts,
    problems: Problems = (),
    kept: Mapping[str, str] | None = None,
) -> str:
    """The arguments in a field to change, with the evidence beside them. Leads to before and after; decides nothing.

    Args:
        kept: what was typed before: arguments and reason into their fields, anything else to be copied.
    """
    kept = kept or {}
    there = {name: kept.get(name, "") for name in ("arguments", "reason")}
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
        text=for_field(there["arguments"]) if there["arguments"] else arguments.editable(call.arguments),
        reason=with_line_feeds(there["reason"]),
        loose=_to_copy(kept, there),
        carried=typed.carried(kept),
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
    posted: Mapping[str, str] | None = None,
) -> str:
    """Before and after, both digests, and the one form that accepts the edit.

    Args:
        kept: what was typed before, of this call. posted: every field of the form, of which other calls' go along.
    """
    preview = replace(preview, reason=with_line_feeds(preview.reason))
    panel = panel_of(replace(preview.call, type_to_accept=preview.type_to_accept), detail.as_of_ms, problems, kept)
    anchor = "typed" if preview.type_to_accept else "accept-form"
    found = arguments.marked_in(parse(preview.text))
    rows = rows_of(preview)
    own = f"typed-{panel.n}" if preview.type_to_accept else ""
    carried = {name: value for name, value in typed.carried(posted or {}).items() if name != own}
    return render(
        "confirm.html",
        loose=_to_copy({**(kept or {}), **carried}, {"arguments", "reason", *panel.kept}),
        carried=carried,
        detail=detail,
        preview=preview,
        call=preview.call,
        p=panel,
        me=me,
        form=form,
        links=[
            (f"{'saw' if isinstance(item, Problem) and item.field == 'saw' else anchor}-{panel.n}", _text_of(item))
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


def _to_copy(kept: Mapping[str, str], there: Container[str]) -> list[tuple[str, str, str]]:
    """What was typed beside an edit and does not stand in its fields, which are `there`."""
    loose = {name: text for name, text in typed.texts(kept).items() if name not in there}
    return [("", label, text) for _, label, text in typed.rows(loose)]


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
    sent = sent or {}
    facts = conflict_page.facts_of(call, detail.as_of_ms, me, code, typed.fields_of(sent, call.number))
    written = typed.texts(sent)
    facts |= {
        "kept": typed.rows(written),
        "beside": {name: value for name, value in typed.beside(sent).items() if typed.split(name)[1]},
        "kept_to": f"/reviews/{call.call}/{'edit' if 'arguments' in written and call.may_edit else 'decide'}",
    }
    return render("conflict.html", detail=detail, p=panel_of(call, detail.as_of_ms), me=me, form=form, **facts)


def _groups(inbox: Inbox) -> list[_Group]:
    """Within the hour, today, later; empty groups are left out."""
    soon: list[InboxRow] = []
    today: list[InboxRow] = []
    later: list[InboxRow] = []
    for row in inbox.rows:
        if row.deadline_ms - inbox.as_of_ms <= phrases.HOUR * 1000:
            soon.append(row)
        else:
            (today if phrases.same_day(row.deadline_ms, inbox.as_of_ms) else later).append(row)
    groups = [
        _Group("Within the hour", True, tuple(soon)),
        _Group("Today", False, tuple(today)),
        _Group("Later", False, tuple(later)),
    ]
    return [group for group in groups if group.rows]


def _text_of(problem: str | Problem) -> str:
    return problem.text if isinstance(problem, Problem) else problem
