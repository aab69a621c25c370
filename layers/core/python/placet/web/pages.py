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
from placet.web import arguments, collisions, marks, words
from placet.web.differences import rows_of
from placet.web.forms import FormFacts, Problem, with_line_feeds
from placet.web.lone import error_absent, error_server, message, sign_in, signed_out
from placet.web.panels import links_of, marked_total, marked_words, panel_of, panels_of
from placet.web.rendering import render

__all__ = [
    "FormFacts",
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
    "signed_out",
]

Problems = Sequence[str | Problem]


@dataclass(frozen=True)
class _Group:
    title: str
    soon: bool
    rows: tuple[InboxRow, ...]

    @property
    def calls(self) -> int:
        return sum(row.open_calls for row in self.rows)


def inbox(inbox: Inbox, me: Reviewer, form: FormFacts, *, first: bool = True) -> str:
    """One page of what waits for a reviewer, grouped by time and never by colour; `first`: nothing stands before it."""
    groups = _groups(inbox)
    calls = sum(group.calls for group in groups)
    head = f"{words.many(calls, 'call waits', 'calls wait')} for you" if calls else "Inbox"
    if not first:
        head = f"{words.many(calls, 'later call waits', 'later calls wait')} for you" if calls else "Nothing later"
    elif inbox.next:
        head = f"More than {words.many(calls, 'call waits', 'calls wait')} for you"
    return render("inbox.html", inbox=inbox, groups=groups, head=head, me=me, form=form, first=first)


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
        "detail.html", detail=detail, panels=panels, title=title, me=me, form=form, links=links, notice=notice or ""
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
        text=_for_field(kept_text) if kept_text else arguments.editable(call.arguments),
        reason=with_line_feeds(kept_reason),
        problems=texts,
        links=[("why" if item.field == "reason" else "arguments", item.text) for item in items],
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
        rows=rows_of(preview),
        exact=arguments.exact_for_reading(preview.text),
        exact_size=arguments.size(preview.text),
        marked=marked_words(found),
        marked_total=marked_total(found),
        again=_for_field(preview.text),
    )


def conflict(
    detail: Detail, call: CallView, me: Reviewer, form: FormFacts, code: str, sent: str = "", sent_reason: str = ""
) -> str:
    """Why a decision was not taken: decided meanwhile, expired, replaced or changed. Status 409, or 410.

    Args:
        call: as it stands now.
        code: of the error: `already_decided`, `deadline_passed`, `revision_differs` or another. The record is believed
            before it.
        sent, sent_reason: what the reviewer had sent: `accept`, `reject` or `edit`, and the reason.
    """
    facts = collisions.facts_of(call, detail.as_of_ms, me, code, sent, sent_reason)
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


def _for_field(text: str) -> str:
    """A text to stand in a field again: the same JSON, with what a field cannot show as escapes."""
    return marks.escapes(with_line_feeds(text))
