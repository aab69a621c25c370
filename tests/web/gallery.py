"""Every page once, by name: what the rules that hold for all pages are checked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from placet.model.pauses import Reviewer
from placet.service.views import HandedOn
from placet.web import pages
from placet.web.forms import Problem
from placet.web.handing import hand_page
from tests.web import made, posed
from tests.web.posed import ALONG, FORM, KEPT, LEADS, MARIA, SENT

PAGES: dict[str, Callable[[], str]] = {
    "inbox": lambda: pages.inbox(made.full_inbox(), MARIA, FORM),
    "inbox-more": lambda: pages.inbox(made.inbox(made.row(), made.row(), more=True), MARIA, FORM),
    "inbox-empty": lambda: pages.inbox(made.inbox(), MARIA, FORM),
    "inbox-not-all-mine": lambda: pages.inbox(
        made.inbox(
            made.row(), made.row(why_not="The agent says it acts for you."), made.row(open_calls=0, why_not="Over.")
        ),
        MARIA,
        FORM,
    ),
    "inbox-no-group": lambda: pages.inbox(made.inbox(), Reviewer("sub-of-nora", "", ""), FORM),
    "inbox-later": lambda: pages.inbox(made.inbox(made.row(), more=True), MARIA, FORM, first=False),
    "inbox-last": lambda: pages.inbox(made.inbox(made.row()), MARIA, FORM, first=False),
    "inbox-nothing-later": lambda: pages.inbox(made.inbox(), MARIA, FORM, first=False),
    "inbox-others-first": lambda: pages.inbox(made.inbox(more=True), MARIA, FORM),
    "detail": lambda: posed.detail(),
    "detail-plain": lambda: posed.detail(made.plain_call(1)),
    "detail-hidden": lambda: posed.detail(posed.hidden_call()),
    "detail-errors": posed.detail_errors,
    "detail-not-mine": lambda: posed.detail(
        made.call(may_decide=False, may_edit=False, why_not="You are the requester.")
    ),
    "detail-no-edit": lambda: posed.detail(made.call(may_edit=False), notice="Recorded."),
    "detail-three-calls": posed.two,
    "detail-alike": lambda: posed.detail(posed.mail(1, "a@example.com"), posed.mail(2, "b@example.com")),
    "detail-unreadable": lambda: posed.detail(
        made.call(
            may_edit=False, unreadable=(("notify", "The text is no plain boolean."),), arguments={"notify": "yes"}
        )
    ),
    "detail-noted": lambda: posed.detail(made.call(notes=("An edit is sent back to the agent as an instruction.",))),
    "detail-bare": lambda: pages.detail(
        made.detail(made.call(arguments={}, why=(), consequence=""), requester="", entity="", evidence=(), says=""),
        MARIA,
        FORM,
    ),
    "detail-comments": lambda: posed.comments(),
    "detail-comments-errors": lambda: posed.comments(
        problems=[Problem("comment", "Nobody can see anything of this text.")], kept={"call": made.call().call}
    ),
    "detail-comments-full": lambda: posed.comments(50),
    "detail-more-time": lambda: posed.more_time(),
    "detail-more-time-of-two": lambda: posed.more_time(made.plain_call(2)),
    "detail-more-time-errors": lambda: posed.more_time(
        problems=[Problem("until", "Choose until when."), Problem("why", "More time needs a reason.")],
        kept={"call": made.call().call, "why": "later", "until": str(made.NOW + 50 * made.DAY)},
    ),
    "detail-questions": lambda: posed.questions(),
    "detail-questions-of-two": lambda: posed.questions(made.plain_call(2, may_ask=True)),
    "detail-questions-errors": lambda: posed.questions(
        problems=[Problem("question", "Nobody can see anything of this text.")],
        kept={"call": made.call().call, "question": "Which?"},
    ),
    "detail-agreed-may-ask": lambda: posed.detail(
        made.call(may_decide=False, why_not="You have agreed already.", quorum=2, may_ask=True)
    ),
    "inbox-asked": lambda: pages.inbox(
        made.inbox(made.row(question="open"), made.row(question="answered")), MARIA, FORM
    ),
    "detail-agreed-more-time": lambda: posed.detail(
        made.call(may_decide=False, why_not="You have agreed already.", quorum=2, latest_ms=made.NOW + 9 * made.DAY)
    ),
    "detail-told": lambda: posed.told(),
    "detail-told-of-two": lambda: posed.told(made.plain_call(2)),
    "ended-kept": lambda: posed.detail(
        made.call(state="rejected", may_decide=False, decided=made.decided("rejected", reason="No.")),
        kept={**SENT, "call": made.call().call},
        notice="Your question is recorded.",
    ),
    "ended-observed": lambda: posed.observed(),
    "ended-accepted": lambda: posed.ended("accepted"),
    "ended-edited": posed.edited,
    "ended-rejected": lambda: posed.ended("rejected", reason="No."),
    "ended-expired": lambda: posed.ended("expired", by="", permit="none"),
    "ended-superseded": lambda: posed.ended("superseded", by=""),
    "ended-cancelled": lambda: posed.ended("cancelled", by=""),
    "ended-repeated": lambda: posed.ended("repeated", by="", permit="none"),
    "ended-denied": lambda: posed.ended("denied", by="", permit="none"),
    "ended-passed": lambda: posed.ended("passed", by="", permit="unknown"),
    "edit": lambda: pages.edit(made.detail(), made.call(), MARIA, FORM),
    "edit-errors": posed.edit_errors,
    "confirm": lambda: pages.edit_confirm(made.detail(), made.preview(), MARIA, FORM),
    "confirm-errors": lambda: pages.edit_confirm(made.detail(), made.preview(), MARIA, FORM, ["Type the amount."]),
    "edit-along": lambda: pages.edit(made.detail(), made.call(), MARIA, FORM, (), ALONG),
    "confirm-along": lambda: pages.edit_confirm(made.detail(), made.preview(), MARIA, FORM, (), ALONG, ALONG),
    "hand-along": lambda: hand_page(made.detail(), made.call(), MARIA, FORM, LEADS, ["finance"], "", "", ALONG),
    "conflict-decided": lambda: posed.conflict("already_decided", "accepted"),
    "conflict-superseded": lambda: posed.conflict("revision_differs", "superseded"),
    "conflict-expired": lambda: posed.conflict("deadline_passed"),
    "conflict-revision": lambda: posed.conflict("revision_differs"),
    "conflict-other": lambda: posed.conflict("epoch_differs"),
    "conflict-own": lambda: posed.conflict("already_decided", "accepted", by_you=True),
    "conflict-edit": lambda: pages.conflict(
        made.detail(made.call()),
        made.call(),
        MARIA,
        FORM,
        "revision_differs",
        {"arguments": '{"amount": 1.240}'},
    ),
    "detail-over": lambda: posed.detail(
        made.call(deadline_ms=made.NOW - 40_000, may_decide=False, may_edit=False, hindered="deadline_passed")
    ),
    "confirm-size": lambda: pages.edit_confirm(made.detail(), made.edited_to("1.240"), MARIA, FORM),
    "hand": lambda: hand_page(made.detail(), made.call(), MARIA, FORM, LEADS, ["finance", "leads"]),
    "hand-errors": posed.hand_errors,
    "detail-handed": lambda: posed.detail(
        made.call(handed=(HandedOn("Lea Lang", "Jonas Weber", made.NOW - made.HOUR),))
    ),
    "detail-reminded": lambda: pages.detail(made.detail(reminded=((made.NOW - made.MINUTE, (1,)),)), MARIA, FORM),
    "people": lambda: posed.people(),
    "people-planned": lambda: posed.people(posed.planned()),
    "people-errors": posed.people_errors,
    "people-well": lambda: posed.people(groups=made.people().groups[:1], classes=(), silent=(), absences=()),
    "sign-in": lambda: pages.sign_in("/reviews/abc"),
    "signed-out": pages.signed_out,
    "absent": lambda: pages.error_absent("7f3c-91aa"),
    "server": lambda: pages.error_server("02d1-c4e8", sent=False),
    "kept-signed-out": lambda: pages.signed_out_meanwhile("/reviews/abc/edit", KEPT),
    "kept-absent": lambda: pages.error_absent(kept=replace(KEPT, send="")),
    "kept-server": lambda: pages.error_server(kept=KEPT, sent=True),
    "message": lambda: pages.message("This form is too old", ["Open the call again and decide there."]),
}
