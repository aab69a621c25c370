"""What stands on the pages of the gallery: people, calls and mistakes, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placet.model.absences import Absence
from placet.model.pauses import Evidence
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


def detail(*calls, **facts) -> str:
    return pages.detail(made.detail(*calls), MARIA, FORM, **facts)


def ended(state: str, **facts) -> str:
    return detail(made.call(state=state, may_decide=False, decided=made.decided(state, **facts)))


def hidden_call():
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


def mail(number: int, to: str):
    arguments = {"to": to, "subject": "Your refund"}
    head = Headline((("send_email", True), (" with 2 arguments", False)))
    return made.call(number, arguments, tool="send_email", headline=head, fixed=(), type_to_accept=("to", to))


def edited() -> str:
    before, after = made.call().text, made.preview().text
    return ended("edited", before=before, after=after, reason="50 % is the limit.", permit="done")


def two() -> str:
    voucher = made.call(
        1, state="edited", may_decide=False, decided=made.decided("edited", before='{"a":1}', after='{"a":2}')
    )
    return detail(voucher, made.plain_call(2), made.call(3))


def detail_errors() -> str:
    kept = {"call": made.call().call, "typed": "12", "reason": "own", "own": "No, because"}
    problems = [Problem("typed", "That is not the amount."), Problem("own", "Too long."), "Something else."]
    return detail(problems=problems, kept=kept)


def edit_errors() -> str:
    call = made.call()
    problems = ["amount: 1400 is more than the order total", Problem("reason", "Say why.")]
    kept = {"arguments": '{"amount": 1400,', "reason": "because", "typed-1": "12"}
    return pages.edit(made.detail(call), call, MARIA, FORM, problems, kept)


def conflict(code: str, state: str = "", **facts) -> str:
    call = made.call()
    if state:
        call = replace(call, state=state, may_decide=False, decided=made.decided(state, reason="Fine by me.", **facts))
    return pages.conflict(made.detail(call), call, MARIA, FORM, code, SENT)


def told(*others) -> str:
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


def comments(times: int = 1, **facts) -> str:
    """What two people said, one of them who looks, with text that means to be more."""
    said = (
        Comment("Maria Keller", True, made.NOW - made.HOUR, "Call them."),
        Comment("Jonas <b>", False, made.NOW, "\u202e" + "long " * 200),
    )
    return pages.detail(made.detail(made.call(), comments=said * times), MARIA, FORM, **facts)


def more_time(*others, **facts) -> str:
    """A call that can be given more time, and was before."""
    call = made.call(latest_ms=made.NOW + 50 * made.DAY)
    given = Extension(1, "Jonas Weber", made.NOW, made.NOW, call.deadline_ms, "Finance is \u202eclosed.")
    return pages.detail(made.detail(call, *others, extensions=(given,)), MARIA, FORM, **facts)


def questions(*others, **facts) -> str:
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


def observed() -> str:
    call = made.call(state="passed", may_decide=False, observed=True)
    return detail(replace(call, decided=made.decided("passed", by="", permit="done", observed=True)))


LEADS = [
    Member("sub-lea", "leads", "Lea Lang", "lea@example.com"),
    Member("sub-bea", "board", "Bea Baum", "b@example.com"),
]


def hand_errors() -> str:
    call = made.plain_call(handed=(HandedOn("leads", "Jonas Weber", made.NOW),))
    return hand_page(made.detail(call), call, MARIA, FORM, LEADS, ["leads"], "U#sub-bea", "Bea Baum is away.")


def people(
    absence: AbsenceForm | None = None, problems: Sequence[Problem] = (), ask: Ask | None = None, **changed
) -> str:
    found = made.people(**changed)
    return people_page(found, MARIA, FORM, absence or AbsenceForm(None, {}), ask or made.foretold(), problems)


def planned() -> AbsenceForm:
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


def people_errors() -> str:
    fields = {"from": "2026-12-01T08:00", "until": "2026-11-01T08:00", "delegate": "sub-tom"}
    problems = [
        Problem("until", "It ends too early."),
        Problem("delegate", "A circle."),
        Problem("", "Signed in again."),
    ]
    silent = (Silent("sub-maria", "Maria Keller", "m@example.com", "complained", 0),)
    return people(AbsenceForm(None, fields), problems, Ask({"class": "x"}, None, "No such class."), silent=silent)
