"""What lists show of a pause is whole or says what is missing, and no value makes the action sentence long."""

from __future__ import annotations

import json
from typing import Any

import pytest

from placet.model.canonical import Lexeme
from placet.model.pauses import Capture, NativePause, ProposedCall
from placet.policy import ActionClass, Always, Level, Policy, Tool, rule_on
from placet.service.cards import card_of, shortened
from placet.service.headlines import headline
from placet.web.arguments import arguments_of
from tests.web import made

SENTENCES = {
    "delete_records": "Delete records from {table} where {where}",
    "issue_refund": "Refund {amount} for order {order_id}",
    "send_email": "Send mail to {to}",
}
WHY = ("The amount is over 100.00.", "The order is old.", "The customer is new.", "It is night.")
POLICY = Policy.of(
    "1",
    [ActionClass("money", levels=(Level(("finance",)),), deadline_s=60, hard_maximum_s=60, freshness_s=60)],
    [
        Tool("delete_records", "money", sentence=SENTENCES["delete_records"], rules=(Always("r0", WHY[0]),)),
        Tool("issue_refund", "money", sentence=SENTENCES["issue_refund"], rules=(Always("r0", WHY[0]),)),
        Tool("send_email", "money", sentence=SENTENCES["send_email"], rules=tuple(map(Always, "abcd", WHY))),
    ],
    "money",
)
REFUND = ("issue_refund", {"amount": 200, "order_id": "1400"})


def card(*calls: tuple[str, dict[str, Any]], **facts: str) -> dict[str, Any]:
    proposed = tuple(ProposedCall(n, f"c{n}", "", tool, arguments) for n, (tool, arguments) in enumerate(calls, 1))
    captured = Capture("agent", "langchain", "run", NativePause("k", {}, proposed), "{}", **facts)
    return card_of(POLICY, captured, {call.number: rule_on(POLICY, call.tool, call.arguments) for call in proposed})


def bytes_of(card: dict[str, Any]) -> int:
    return len(json.dumps(card, ensure_ascii=False).encode())


def test_a_short_action_stands_whole() -> None:
    assert card(REFUND)["title"] == "Refund 200 for order 1400"


def test_a_cut_title_says_how_much_more_there_is() -> None:
    where = "last_login < '2024-01-01' AND region = 'EU' AND plan <> 'enterprise'"
    title = card(("delete_records", {"table": "contacts", "where": where}))["title"]
    whole = f"Delete records from contacts where {where}"
    kept, _, rest = title.partition("\u2026")
    assert whole.startswith(kept)
    assert rest == f" {len(whole) - len(kept)} more in the call"
    assert len(title) <= 84


@pytest.mark.parametrize("text", ["{{7*7}}" * 30, "\u6f22" * 200, "\U0001f4b6" * 70, "\u200b" * 79, "\ud83d" * 79])
def test_no_title_is_cut_without_a_sign(text: str) -> None:
    title = card(("send_email", {"to": text}))["title"]
    assert text in title or "more in the call" in title or f"[to: {len(text)} characters, in the call]" in title
    assert len(title.encode("utf-8", "surrogatepass")) <= 200


def test_several_calls_are_counted_and_not_taken_for_the_first() -> None:
    assert card(*[REFUND] * 10)["title"] == "10 calls: issue_refund \u00d7 10"
    assert card(REFUND, ("send_email", {"to": "x"}), REFUND)["title"] == "3 calls: issue_refund \u00d7 2, send_email"


def test_reasons_stand_once_each_with_their_count() -> None:
    assert card(REFUND, REFUND)["why"] == ["The amount is over 100.00 \u00d7 2"]
    mail = card(("send_email", {"to": "x"}))
    assert mail["why"] == ["The amount is over 100.00", "The order is old", "2 more reasons in the call"]


def test_a_card_stays_small_whatever_is_proposed() -> None:
    many = [(f"tool_{n}" * 30, {"x": "\u6f22" * 500}) for n in range(60)]
    assert bytes_of(card(*many)) < 1_400
    assert bytes_of(card(*[("send_email", {"to": "a" * 300})] * 3)) < 400


def test_a_long_value_is_named_and_not_printed() -> None:
    tool = POLICY.tools["delete_records"]
    shown = headline(tool, {"table": "contacts", "where": "x" * 1_900})
    assert shown.text == "Delete records from contacts where [where: 1,900 characters, below]"
    assert shown.parts[-1][1] is False, "in our words, and so not set apart as a value"
    assert headline(tool, {"table": "t", "where": "x" * 80}).text.endswith("x" * 80)
    assert headline(tool, {"table": "t", "where": ["x" * 80]}).text.endswith("[where: 84 characters, below]")
    assert headline(Tool("t" * 90, "money", free=True), {}).text == "[tool: 90 characters, below] with 0 arguments"


def test_what_is_shortened_is_never_longer() -> None:
    for length in range(300):
        for letter in ("a", "\u6f22"):
            text = shortened(letter * length, 80, "in the call")
            assert len(text) <= 86
            assert text == letter * length or text.endswith("more in the call")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1240, "1,240"),
        (-1240, "-1,240"),
        (999, "999"),
        (Lexeme("1240.50"), "1,240.50"),
        (Lexeme("1240.5"), "1,240.5"),
        (Lexeme("620.25e1"), "6,202.5 (written 620.25e1)"),
        (Lexeme("1.240"), "1.24 (written 1.240)"),
        (Lexeme("1e400"), "1e400"),
        (10**60, str(10**60)),
        (True, "true"),
        (None, "null"),
        ("1240", "1240"),
        ([1240], "[1240]"),
    ],
)
def test_a_number_in_a_heading_reads_as_in_the_table_and_its_exact_value_is_there(value: Any, read: str) -> None:
    tool = Tool("pay", "money", free=True, sentence="Pay {amount} now")
    assert headline(tool, {"amount": value}).parts == (("Pay ", False), (read, True), (" now", False))
    (argument,) = arguments_of(made.call(arguments={"amount": value}))
    table = argument.text if isinstance(value, int | Lexeme) and not isinstance(value, bool) else ""
    assert read.startswith(table), "the table of the page says the same"
