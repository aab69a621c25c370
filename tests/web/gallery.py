"""Every page once, by name: what the rules that hold for all pages are checked on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from placet.model.absences import Absence
from placet.model.pauses import Evidence, Reviewer
from placet.records.people import Member
from placet.service.foresight import Follows
from placet.service.happened import Answered, Comment, Extension, Question
from placet.service.people import Silent
from placet.service.views import HandedOn, Headline
from placet.web import pages
from placet.web.forms import Problem
from placet.web.handing import hand_page
from placet.web.people import AbsenceForm, Ask, people_page
from tests.web import made

FORM, MARIA = made.FORM, made.MARIA
KEPT = pages.Kept(
    f"/reviews/{made.PAUSE}-1/edit",
    {"csrf": made.FORM.csrf, "revision": "1", "reason-2": "1"},
    {"arguments": '{"amount": "\u202e620"}', "reason": "Half.", "own-2": "Not \r\nthis."},
    "Send it again",
)
SENT = {"decision": "reject", "reason-1": "own", "own-1": "Ask first.", "comment": "Hm.", "why-1": "The bank."}
ALONG = {
    "comment": "Hm.",
    "own-1": "Ask first.",
    "own-2": "Not this.",
    "reason-2": "own",
    "revision-2": "1",
    "saw-1": "yes",
}
HIDDEN = "last_login < '2024-01-01'\n  AND region = '\u0415U'\n  AND plan <> 'enter\u200bprise' \u202ereverse\u202c"


def _detail(*calls, **facts) -> str:
    return pages.detail(made.detail(*calls), MARIA, FORM, **facts)


def _ended(state: str, **facts) -> str:
    return _detail(made.call(state=state, may_decide=False, decided=made.decided(state, **facts)))


def _hidden_call():
    return made.call(
        arguments={
            "table": "contacts",
            "where": HIDDEN,
            "limit": None,
            "to": [f"p{n}@example.com" for n in range(60)],
            "body": "Dear all, " * 90,
        },
        fixed=(),
        type_to_accept=("table", "contacts"),
    )


def _mail(number: int, to: str):
    arguments = {"to": to, "subject": "Your refund"}
    head = Headline((("send_email", True), (" with 2 arguments", False)))
    return made.call(number, arguments, tool="send_email", headline=head, fixed=(), type_to_accept=("to", to))


def _edited() -> str:
    before, after = made.call().text, made.preview().text
    return _ended("edited", before=before, after=after, reason="50 % is the limit.", permit="done")


def _two() -> str:
    voucher = made.call(
        1, state="edited", may_decide=False, decided=made.decided("edited", before='{"a":1}', after='{"a":2}')
    )
    return _detail(voucher, made.plain_call(2), made.call(3))


def _detail_errors() -> str:
    kept = {"call": made.call().call, "typed": "12", "reason": "own", "own": "No, because"}
    problems = [Problem("typed", "That is not the amount."), Problem("own", "Too long."), "Something else."]
    return _detail(problems=problems, kept=kept)


def _edit_errors() -> str:
    call = made.call()
    problems = ["amount: 1400 is more than the order total", Problem("reason", "Say why.")]
    kept = {"arguments": '{"amount": 1400,', "reason": "because", "typed-1": "12"}
    return pages.edit(made.detail(call), call, MARIA, FORM, problems, kept)


def _conflict(code: str, state: str = "", **facts) -> str:
    call = made.call()
    if state:
        call = replace(call, state=state, may_decide=False, decided=made.decided(state, reason="Fine by me.", **facts))
    return pages.conflict(made.detail(call), call, MARIA, FORM, code, SENT)


def _told(*others) -> str:
    """All that an agent can say beside its call."""
    evidence = (
        Evidence("Last message of the user", "conversation", False, "Refund 1182, please.", "user"),
        Evidence("Result of get_order", "get_order", False, "total 1240.00", "tool", 12_345),
        Evidence("Passages that search found", "search, wiki/9", False, "Refund all.", "retrieved"),
        Evidence("Note", "agent", False, "I looked it up.", "agent"),
        Evidence("3 pieces left out", "", False, "", "tool", 9_000),
    )
    known = ("300 of 500 were let pass without a person today before this call.",)
    call = made.call(known=known, sampled=True)
    numbers = (("rows", "4120"), ("cost", "0.25"))
    found = made.detail(call, *others, evidence=evidence, confidence="0.42", numbers=numbers)
    return pages.detail(found, MARIA, FORM)


def _comments(times: int = 1, **facts) -> str:
    """What two people said, one of them who looks, with text that means to be more."""
    said = (
        Comment("Maria Keller", True, made.NOW - made.HOUR, "Call them."),
        Comment("Jonas <b>", False, made.NOW, "\u202e" + "long " * 200),
    )
    return pages.detail(made.detail(made.call(), comments=said * times), MARIA, FORM, **facts)


def _more_time(*others, **facts) -> str:
    """A call that can be given more time, and was before."""
    call = made.call(latest_ms=made.NOW + 50 * made.DAY)
    given = Extension(1, "Jonas Weber", made.NOW, made.NOW, call.deadline_ms, "Finance is \u202eclosed.")
    return pages.detail(made.detail(call, *others, extensions=(given,)), MARIA, FORM, **facts)


def _questions(*others, **facts) -> str:
    """What two people asked, one of them who looks, and what the agent answered to one of them."""
    piece = Evidence("Result of get_order", "get_order", False, "total <b>1240.00", "tool", 12)
    asked = (
        Question(1, 1, "Maria Keller", True, made.NOW - made.HOUR, 1, "Which \u202eorder?", None),
        Question(
            1, 2, "Jonas <b>", False, made.NOW, 1, "long " * 200, Answered(made.NOW, 1, "The first <i>one.", (piece,))
        ),
    )
    call = made.call(may_ask=True)
    return pages.detail(made.detail(call, *others, questions=asked), MARIA, FORM, **facts)


def _observed() -> str:
    call = made.call(state="passed", may_decide=False, observed=True)
    return _detail(replace(call, decided=made.decided("passed", by="", permit="done", observed=True)))


LEADS = [
    Member("sub-lea", "leads", "Lea Lang", "lea@example.com"),
    Member("sub-bea", "board", "Bea Baum", "b@example.com"),
]


def _hand_errors() -> str:
    call = made.plain_call(handed=(HandedOn("leads", "Jonas Weber", made.NOW),))
    return hand_page(made.detail(call), call, MARIA, FORM, LEADS, ["leads"], "U#sub-bea", "Bea Baum is away.")


def _people(
    absence: AbsenceForm | None = None, problems: Sequence[Problem] = (), ask: Ask | None = None, **changed
) -> str:
    found = made.people(**changed)
    return people_page(found, MARIA, FORM, absence or AbsenceForm(None, {}), ask or made.foretold(), problems)


def _planned() -> AbsenceForm:
    fields = {"from": "2026-12-01T08:00", "until": "2026-12-04T17:00", "delegate": "sub-jonas"}
    planned = Absence(
        "sub-maria", "Maria Keller", made.NOW + made.DAY, made.NOW + 4 * made.DAY, "sub-jonas", "Jonas Weber"
    )
    then = (
        Follows("finance", ("Tom Achterberg", "Ana Costa", "Ingrid Solberg"), "Jonas Weber", 1, 4),
        Follows("stewards", ("Tom Achterberg",), "Jonas Weber", 2, 2),
        Follows("legal", (), "Jonas Weber", 2, 1),
        Follows("leads", (), "", 1, 0),
    )
    return AbsenceForm(planned, fields, planned, then)


def _people_errors() -> str:
    fields = {"from": "2026-12-01T08:00", "until": "2026-11-01T08:00", "delegate": "sub-tom"}
    problems = [
        Problem("until", "It ends too early."),
        Problem("delegate", "A circle."),
        Problem("", "Signed in again."),
    ]
    silent = (Silent("sub-maria", "Maria Keller", "m@example.com", "complained", 0),)
    return _people(AbsenceForm(None, fields), problems, Ask({"class": "x"}, None, "No such class."), silent=silent)


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
    "detail": lambda: _detail(),
    "detail-plain": lambda: _detail(made.plain_call(1)),
    "detail-hidden": lambda: _detail(_hidden_call()),
    "detail-errors": _detail_errors,
    "detail-not-mine": lambda: _detail(made.call(may_decide=False, may_edit=False, why_not="You are the requester.")),
    "detail-no-edit": lambda: _detail(made.call(may_edit=False), notice="Recorded."),
    "detail-three-calls": _two,
    "detail-alike": lambda: _detail(_mail(1, "a@example.com"), _mail(2, "b@example.com")),
    "detail-unreadable": lambda: _detail(
        made.call(
            may_edit=False, unreadable=(("notify", "The text is no plain boolean."),), arguments={"notify": "yes"}
        )
    ),
    "detail-noted": lambda: _detail(made.call(notes=("An edit is sent back to the agent as an instruction.",))),
    "detail-bare": lambda: pages.detail(
        made.detail(made.call(arguments={}, why=(), consequence=""), requester="", entity="", evidence=(), says=""),
        MARIA,
        FORM,
    ),
    "detail-comments": lambda: _comments(),
    "detail-comments-errors": lambda: _comments(
        problems=[Problem("comment", "Nobody can see anything of this text.")], kept={"call": made.call().call}
    ),
    "detail-comments-full": lambda: _comments(50),
    "detail-more-time": lambda: _more_time(),
    "detail-more-time-of-two": lambda: _more_time(made.plain_call(2)),
    "detail-more-time-errors": lambda: _more_time(
        problems=[Problem("until", "Choose until when."), Problem("why", "More time needs a reason.")],
        kept={"call": made.call().call, "why": "later", "until": str(made.NOW + 50 * made.DAY)},
    ),
    "detail-questions": lambda: _questions(),
    "detail-questions-of-two": lambda: _questions(made.plain_call(2, may_ask=True)),
    "detail-questions-errors": lambda: _questions(
        problems=[Problem("question", "Nobody can see anything of this text.")],
        kept={"call": made.call().call, "question": "Which?"},
    ),
    "detail-agreed-may-ask": lambda: _detail(
        made.call(may_decide=False, why_not="You have agreed already.", quorum=2, may_ask=True)
    ),
    "inbox-asked": lambda: pages.inbox(
        made.inbox(made.row(question="open"), made.row(question="answered")), MARIA, FORM
    ),
    "detail-agreed-more-time": lambda: _detail(
        made.call(may_decide=False, why_not="You have agreed already.", quorum=2, latest_ms=made.NOW + 9 * made.DAY)
    ),
    "detail-told": lambda: _told(),
    "detail-told-of-two": lambda: _told(made.plain_call(2)),
    "ended-kept": lambda: _detail(
        made.call(state="rejected", may_decide=False, decided=made.decided("rejected", reason="No.")),
        kept={**SENT, "call": made.call().call},
        notice="Your question is recorded.",
    ),
    "ended-observed": lambda: _observed(),
    "ended-accepted": lambda: _ended("accepted"),
    "ended-edited": _edited,
    "ended-rejected": lambda: _ended("rejected", reason="No."),
    "ended-expired": lambda: _ended("expired", by="", permit="none"),
    "ended-superseded": lambda: _ended("superseded", by=""),
    "ended-cancelled": lambda: _ended("cancelled", by=""),
    "ended-repeated": lambda: _ended("repeated", by="", permit="none"),
    "ended-denied": lambda: _ended("denied", by="", permit="none"),
    "ended-passed": lambda: _ended("passed", by="", permit="unknown"),
    "edit": lambda: pages.edit(made.detail(), made.call(), MARIA, FORM),
    "edit-errors": _edit_errors,
    "confirm": lambda: pages.edit_confirm(made.detail(), made.preview(), MARIA, FORM),
    "confirm-errors": lambda: pages.edit_confirm(made.detail(), made.preview(), MARIA, FORM, ["Type the amount."]),
    "edit-along": lambda: pages.edit(made.detail(), made.call(), MARIA, FORM, (), ALONG),
    "confirm-along": lambda: pages.edit_confirm(made.detail(), made.preview(), MARIA, FORM, (), ALONG, ALONG),
    "hand-along": lambda: hand_page(made.detail(), made.call(), MARIA, FORM, LEADS, ["finance"], "", "", ALONG),
    "conflict-decided": lambda: _conflict("already_decided", "accepted"),
    "conflict-superseded": lambda: _conflict("revision_differs", "superseded"),
    "conflict-expired": lambda: _conflict("deadline_passed"),
    "conflict-revision": lambda: _conflict("revision_differs"),
    "conflict-other": lambda: _conflict("epoch_differs"),
    "conflict-own": lambda: _conflict("already_decided", "accepted", by_you=True),
    "conflict-edit": lambda: pages.conflict(
        made.detail(made.call()), made.call(), MARIA, FORM, "revision_differs", {"arguments": '{"amount": 1.240}'}
    ),
    "detail-over": lambda: _detail(
        made.call(deadline_ms=made.NOW - 40_000, may_decide=False, may_edit=False, hindered="deadline_passed")
    ),
    "confirm-size": lambda: pages.edit_confirm(made.detail(), made.edited_to("1.240"), MARIA, FORM),
    "hand": lambda: hand_page(made.detail(), made.call(), MARIA, FORM, LEADS, ["finance", "leads"]),
    "hand-errors": _hand_errors,
    "detail-handed": lambda: _detail(made.call(handed=(HandedOn("Lea Lang", "Jonas Weber", made.NOW - made.HOUR),))),
    "detail-reminded": lambda: pages.detail(made.detail(reminded=((made.NOW - made.MINUTE, (1,)),)), MARIA, FORM),
    "people": lambda: _people(),
    "people-planned": lambda: _people(_planned()),
    "people-errors": _people_errors,
    "people-well": lambda: _people(groups=made.people().groups[:1], classes=(), silent=(), absences=()),
    "sign-in": lambda: pages.sign_in("/reviews/abc"),
    "signed-out": pages.signed_out,
    "absent": lambda: pages.error_absent("7f3c-91aa"),
    "server": lambda: pages.error_server("02d1-c4e8", sent=False),
    "kept-signed-out": lambda: pages.signed_out_meanwhile("/reviews/abc/edit", KEPT),
    "kept-absent": lambda: pages.error_absent(kept=replace(KEPT, send="")),
    "kept-server": lambda: pages.error_server(kept=KEPT, sent=True),
    "message": lambda: pages.message("This form is too old", ["Open the call again and decide there."]),
}
