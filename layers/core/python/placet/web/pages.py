"""The pages of the gateway: values in, the text of a whole HTML page out.

Answer them with `placet.web.security.headers()`. Every page works without a script. What a page's forms send, and the checks
that only the pages ask for, is in `placet.web.forms`.

`problems` are plain sentences, or `Problem`s that name the field at fault. `kept` is what was posted (the form's fields,
plus `call`, the id it was posted to): it is put into that call's forms again, so that nobody types twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from placet.model.pauses import Reviewer
from placet.service.views import CallView, Detail, EditPreview, Inbox, InboxRow
from placet.web import arguments, collisions, marks, words
from placet.web.forms import FormFacts, Problem
from placet.web.panels import links_of, marked_words, panel_of, panels_of
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


def inbox(inbox: Inbox, me: Reviewer, form: FormFacts) -> str:
    """What waits for one reviewer, grouped by time and never by colour."""
    groups = _groups(inbox)
    calls = sum(group.calls for group in groups)
    head = f"{words.many(calls, 'call waits', 'calls wait')} for you" if calls else "Inbox"
    if inbox.more:
        head = f"More than {words.many(calls, 'call waits', 'calls wait')} for you"
    return render("inbox.html", inbox=inbox, groups=groups, head=head, me=me, form=form)


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
        reason=kept_reason,
        problems=texts,
        links=[("why" if item.field == "reason" else "arguments", item.text) for item in items],
        exact=panel.exact,
        exact_size=panel.exact_size,
        marked=panel.marked,
    )


def edit_confirm(
    detail: Detail, preview: EditPreview, me: Reviewer, form: FormFacts, problems: Problems = ()
) -> str:
    """Before and after, both digests, and the one form that accepts the edit."""
    panel = panel_of(replace(preview.call, type_to_accept=preview.type_to_accept), detail.as_of_ms, problems)
    typed = "typed" if preview.type_to_accept else "accept-form"
    return render(
        "confirm.html",
        detail=detail,
        preview=preview,
        call=preview.call,
        p=panel,
        me=me,
        form=form,
        links=[(f"{typed}-{panel.n}", item.text if isinstance(item, Problem) else item) for item in problems],
        changed=sum(changed for _, _, _, changed in preview.rows),
        exact=arguments.exact_for_reading(preview.text),
        exact_size=arguments.size(preview.text),
        marked=marked_words(*marks.counts(preview.text)),
        again=_for_field(preview.text),
    )


def conflict(
    detail: Detail, call: CallView, me: Reviewer, form: FormFacts, code: str, sent: str = "", sent_reason: str = ""
) -> str:
    """Why a decision was not taken: decided meanwhile, expired, replaced or changed. Status 409, or 410 after the deadline.

    Args:
        call: as it stands now.
        code: of the error: `already_decided`, `deadline_passed`, `revision_differs` or another; the record is believed first.
        sent, sent_reason: what the reviewer had sent: `accept`, `reject` or `edit`, and the reason.
    """
    facts = collisions.facts_of(call, detail.as_of_ms, me, code, sent, sent_reason)
    return render("conflict.html", detail=detail, p=panel_of(call, detail.as_of_ms), me=me, form=form, **facts)


def sign_in(next: str = "/inbox") -> str:
    """The landing page. `next` is the path on this host to come back to; anything else becomes the inbox."""
    wanted = next if next.startswith("/") and not next.startswith(("//", "/\\")) else "/inbox"
    return _lone(
        "Sign in",
        "Sign in to decide",
        ["Agents ask here before they act. What you accept happens exactly as you saw it, and is recorded under your name."],
        [(f"/sign-in/start?next={quote(wanted, safe='')}", "Sign in with your company account")],
        ["You come back to the page that you wanted.", "No account? Ask the person who runs Placet to add you as a reviewer."],
    )


def signed_out() -> str:
    """After signing out."""
    return _lone("Signed out", "You are signed out", ["Nothing can be decided from this browser any more."], [("/sign-in", "Sign in again")])


def error_absent(number: str = "") -> str:
    """404: absent and foreign in the same words. `number` is for questions, the id of the request."""
    return _lone(
        "Nothing here",
        "There is nothing here for you",
        ["The address is wrong, the call is gone, or it belongs to people you are not one of. We do not say which."],
        [("/inbox", "To your inbox")],
        ["You followed a link from a mail? Sign in as the person it was sent to."],
        number,
        404,
    )


def error_server(number: str = "", status: int = 503) -> str:
    """Our fault. Says that sending a decision again is safe."""
    return _lone(
        "That did not work",
        "That did not work, and it is our fault",
        [
            "If you sent a decision, we do not know yet whether it was recorded. Sending it again is safe: the same decision is "
            "taken once, and you get the same answer.",
            "The call itself is safe. Nothing runs without a recorded decision.",
        ],
        [("/inbox", "To your inbox")],
        [],
        number,
        status,
    )


def message(
    title: str,
    says: Sequence[str],
    link: str = "/inbox",
    link_text: str = "To your inbox",
    number: str = "",
    status: int = 403,
) -> str:
    """A page that says one thing, for refusals without a page of their own (a form too old, a decision not allowed)."""
    return _lone(title, title, says, [(link, link_text)], [], number, status)


def _lone(
    title: str,
    head: str,
    says: Sequence[str],
    links: Sequence[tuple[str, str]],
    notes: Sequence[str] = (),
    number: str = "",
    status: int = 200,
) -> str:
    return render("lone.html", title=title, head=head, says=says, links=links, notes=notes, number=number, status=status)


def _groups(inbox: Inbox) -> list[_Group]:
    """Within the hour, today, later; empty groups are left out."""
    soon, today, later = [], [], []
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


def _for_field(text: str) -> str:
    """A text to stand in a field again: the same JSON, with what a field cannot show as escapes."""
    return marks.escapes(text.replace("\r\n", "\n"))
