"""What the demo's scripted model says: chosen by the user's first message, so that every process reads the same script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Script:
    """One conversation.

    Attributes:
        asks: the user's message.
        says: what the model says beside its calls.
        calls: (tool, arguments) of the model's one turn with calls.
        wait_at_most_s: a shorter deadline than the policy's, None for the policy's.
    """

    asks: str
    says: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    entity: str
    requester: str = "eve@example.com"
    wait_at_most_s: int | None = None


def _refund(order: str, amount: float) -> tuple[str, dict[str, Any]]:
    return "issue_refund", {"order_id": order, "amount": amount}


SCRIPTS = {
    "accept": Script(
        "My lamp from order 1182 arrived broken. I would like my money back.",
        "The order was paid with 240.00 and the photo shows a broken lamp, so I would refund it in full.",
        (_refund("1182", 240.0),),
        "order:1182",
    ),
    "edit": Script(
        "Order 1190 came two weeks late. Please give me my money back.",
        "The delivery was late, so I would refund the order in full.",
        (_refund("1190", 240.0),),
        "order:1190",
    ),
    "reject": Script(
        "Please remove everything you know about the customers of 2019.",
        "I would delete the records of 2019.",
        (("delete_records", {"table": "customers", "where": "year = 2019"}),),
        "table:customers",
    ),
    "two": Script(
        "Refund order 1201 and tell the customer by email, please.",
        "I would refund the order and write to the customer.",
        (
            _refund("1201", 310.0),
            ("send_email", {"to": "kim@example.com", "subject": "Your refund", "body": "It is on its way."}),
        ),
        "order:1201",
    ),
    "kill": Script(
        "Tell the supplier of order 1207 that the parts are missing.",
        "I would write to the supplier.",
        (("send_email", {"to": "parts@example.com", "subject": "Order 1207", "body": "Two parts are missing."}),),
        "order:1207",
    ),
    "late": Script(
        "Order 1213 was the wrong colour. Can I have my money back?",
        "I would refund the order.",
        (_refund("1213", 180.0),),
        "order:1213",
        wait_at_most_s=5,
    ),
    "small": Script(
        "The cable in order 1220 was missing.",
        "The cable costs 40.00, so I refund that.",
        (_refund("1220", 40.0),),
        "order:1220",
    ),
}
SEEDED = ("accept", "reject", "two", "small")


def script_of(asks: str) -> Script:
    """The script that starts with this message. Raises KeyError for an unknown one."""
    return {script.asks: script for script in SCRIPTS.values()}[asks]
