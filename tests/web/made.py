"""Made-up pauses for the page tests. All names, numbers and stories are invented."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from placet.model.absences import Absence
from placet.model.canonical import Lexeme, digest, exact_text
from placet.model.cursors import Place, cursor
from placet.model.pauses import Evidence, Reviewer
from placet.policy.classes import ActionClass, Level
from placet.policy.rules import Effect
from placet.records.people import Member
from placet.service.forecast import Cell, Forecast, Row, Seat
from placet.service.people import Asked, ClassView, GroupView, LevelView, People, Silent
from placet.service.views import AskedLevel, CallView, Decided, Detail, EditPreview, Headline, Inbox, InboxRow
from placet.web.forms import FormFacts
from placet.web.people import Ask

NOW = 1_796_049_963_000  # Mon 30 Nov 2026, 14:46:03 UTC
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
PAUSE = "k3vQ7mZp_pause-id"

MARIA = Reviewer("sub-maria", "Maria Keller", "maria@example.com", frozenset({"finance"}))
FORM = FormFacts(csrf="csrf-of-maria", shown="", shown_at_ms=NOW)

REFUND: dict[str, Any] = {
    "order_id": "1182",
    "amount": Lexeme("1240.00"),
    "currency": "EUR",
    "reason": "damaged_in_transit",
    "note": "Customer reports a cracked boiler housing. Full refund as asked.",
    "notify": True,
}

EVIDENCE = (
    Evidence("Last message of the customer", "ticket:4471, message 6", False, "The machine arrived with a crack."),
    Evidence("Passage of the refund policy", "refund-policy.md", True, "After 30 days: repair, or 50 % of the price."),
)


def call(number: int = 1, arguments: dict[str, Any] | None = None, **changed: Any) -> CallView:
    """A call that waits: a refund that cannot be undone, with a value to type."""
    values = REFUND if arguments is None else arguments
    made = CallView(
        call=f"{PAUSE}-{number}",
        number=number,
        tool="refund_order",
        headline=Headline((("Refund ", False), ("1,240.00 EUR", True), (" for order ", False), ("1182", True))),
        effect=Effect.NEVER,
        consequence="The money goes to the customer. Placet cannot get it back.",
        action_class="money-out",
        arguments=values,
        text=exact_text(values),
        digest=digest(values),
        revision=1,
        schema=None,
        why=(("money-out/over-limit", "The amount is over 500.00 EUR."),),
        asked=(
            AskedLevel(("finance",), NOW - 20 * MINUTE, reached=True),
            AskedLevel(("finance-leads", "treasury"), NOW + 14 * MINUTE, reached=False),
        ),
        remind_ms=NOW + 4 * MINUTE,
        deadline_ms=NOW + 2 * HOUR + 14 * MINUTE,
        state="pending",
        may_decide=True,
        why_not="",
        may_edit=True,
        fixed=("order_id", "currency"),
        type_to_accept=("amount", "1240.00"),
        group="finance",
        quorum=1,
        votes=0,
        decided=None,
    )
    return replace(made, **changed)


def plain_call(number: int = 2, **changed: Any) -> CallView:
    """A call that can be undone by hand: one press accepts it."""
    facts: dict[str, Any] = {
        "arguments": {"order_id": "1207", "stop_parcel": True, "restock": None, "weight": 12345},
        "tool": "cancel_order",
        "headline": Headline((("Cancel ", False), ("order 1207", True))),
        "effect": Effect.HARD,
        "consequence": "",
        "action_class": "order-change",
        "fixed": (),
        "type_to_accept": None,
        "quorum": 2,
        "votes": 1,
    }
    return call(number, **(facts | changed))


def decided(state: str = "accepted", **changed: Any) -> Decided:
    """How a call ended, nine minutes ago."""
    made = Decided(state, "Jonas Weber", NOW - 9 * MINUTE, "", "", "", "free")
    return replace(made, **changed)


def detail(*calls: CallView, **changed: Any) -> Detail:
    """A pause with these calls, or with one refund."""
    made = Detail(
        pause=PAUSE,
        run="thread-7",
        agent="support-agent",
        framework="LangGraph",
        requester="Elif Demir",
        entity="order:1182",
        asked_ms=NOW - 41 * MINUTE,
        deadline_ms=NOW + 2 * HOUR + 14 * MINUTE,
        as_of_ms=NOW,
        state="open",
        calls=calls or (call(),),
        evidence=EVIDENCE,
        says="The customer is entitled to a full refund. I recommend approving.",
        policy_version="2026-11-12.1",
    )
    return replace(made, **changed)


def row(**changed: Any) -> InboxRow:
    """One row of the inbox."""
    made = InboxRow(
        pause=PAUSE,
        title="Refund 1,240.00 EUR for order 1182",
        tools=("refund_order",),
        entity="order:1182",
        classes=("money-out",),
        why=("The amount is over 500.00 EUR.", "The order was delivered 42 days ago."),
        requester="Elif Demir",
        agent="support-agent",
        framework="LangGraph",
        effect=Effect.NEVER,
        asked_ms=NOW - 41 * MINUTE,
        deadline_ms=NOW + 2 * HOUR + 14 * MINUTE,
        open_calls=1,
    )
    return replace(made, **changed)


def inbox(*rows: InboxRow, more: bool = False) -> Inbox:
    """What waits; `more`: on a further page."""
    return Inbox(rows, cursor("inbox", Place(NOW, PAUSE)) if more else "", NOW)


def full_inbox() -> Inbox:
    """One row in each group of time, one of them with two calls."""
    return inbox(
        row(deadline_ms=NOW + 19 * MINUTE, asked_ms=NOW - 23 * HOUR),
        row(effect=Effect.HARD, tools=("cancel_order", "send_voucher"), open_calls=2),
        row(effect=Effect.CAN, deadline_ms=NOW + 3 * DAY, requester="", entity=""),
    )


def people(**changed: Any) -> People:
    """Two groups: one of three with somebody away, one that is empty; and a class that needs both of its people."""
    maria, jonas, tom = (
        Member(sub, "finance", name, f"{sub}@example.com")
        for sub, name in (("sub-maria", "Maria Keller"), ("sub-jonas", "Jonas Weber"), ("sub-tom", "Tom Achterberg"))
    )
    away = Absence("sub-tom", "Tom Achterberg", NOW - DAY, NOW + DAY, "sub-jonas", "Jonas Weber", "sub-tom")
    later = Absence("sub-jonas", "Jonas Weber", NOW + 2 * DAY, NOW + 3 * DAY, "", "", "sub-jonas")
    asked = (Asked("Maria Keller"), Asked("Jonas Weber"), Asked("Jonas Weber", "Tom Achterberg"))
    finance = GroupView("finance", (maria, jonas, tom), asked, (away,), "")
    leads = GroupView("leads", (), (), (), "empty")
    made = People(
        classes=(
            ClassView("money-out", 2, (LevelView(0, (finance,)), LevelView(3600, (leads,))), 2),
            ClassView("general", 1, (LevelView(0, (finance,)),), 2),
        ),
        groups=(finance, leads),
        absences=(away, later),
        silent=(Silent("sub-tom", "Tom Achterberg", "tom@example.com", "bounced", NOW - DAY),),
        as_of_ms=NOW,
    )
    return replace(made, **changed)


def foretold(requester: str = "sub-jonas") -> Ask:
    """A class of two levels, looked at now, in an hour and in a day: asked, not yet, away with and without a stand-in, over."""
    money = ActionClass(
        "money-out", (Level(("finance",)), Level(("leads",), after_s=3600)), 20 * 3600, 86_400, 86_400, quorum=2
    )
    asked = Cell("asked", (Seat("Maria Keller"), Seat("Tom Achterberg", NOW + DAY, "Jonas Weber")))
    rows = (
        Row(
            1,
            ("finance",),
            0,
            (asked, Cell("asked", (Seat("Maria Keller", NOW + DAY),), "too_few_people"), Cell("over")),
        ),
        Row(2, ("leads",), 3600, (Cell("later"), Cell("asked", (), "group_empty"), Cell("over"))),
    )
    moments = (NOW, NOW + HOUR, NOW + DAY)
    found = Forecast(money, moments, (True, False, True), rows, (NOW + HOUR,), NOW + 20 * HOUR)
    return Ask({"class": "money-out", "requester": requester, "at": "2026-11-30T14:46"}, found)


def preview(**changed: Any) -> EditPreview:
    """An edit of the refund that would be accepted."""
    after = REFUND | {"amount": Lexeme("620.00"), "reason": "goodwill"}
    rows = [(name, exact_text(REFUND[name]), exact_text(after[name]), REFUND[name] != after[name]) for name in after]
    made = EditPreview(
        call=call(),
        text=exact_text(after),
        digest=digest(after),
        headline=Headline((("Refund ", False), ("620.00 EUR", True), (" for order ", False), ("1182", True))),
        rows=tuple(sorted(rows, key=lambda item: not item[3])),
        reason="Past 30 days the policy allows 50 %.",
        type_to_accept=("amount", "620.00"),
    )
    return replace(made, **changed)


def edited_to(amount: str, **changed: Any) -> EditPreview:
    """An edit of the refund to this amount, as it was written."""
    after = REFUND | {"amount": Lexeme(amount)}
    rows = tuple(
        (name, exact_text(REFUND[name]), exact_text(after[name]), REFUND[name] != after[name]) for name in after
    )
    facts = {"text": exact_text(after), "digest": digest(after), "rows": rows, "type_to_accept": ("amount", amount)}
    return preview(**(facts | changed))
