"""What a Bedrock run had before it when it proposed calls: the user's words, and what its earlier calls came to."""

from __future__ import annotations

from collections.abc import Sequence

from placet.frameworks.bedrock.answers import Outcome
from placet.model.limits import LONGEST_TEXT, LONGEST_TITLE, MOST_EVIDENCE
from placet.model.pauses import Evidence
from placet.model.states import PermitState


def asked_by_user(text: str) -> Evidence:
    """The text of a caller's turn: the gateway itself heard it."""
    return _piece("What the user asked", "invoke", text, "user")


def not_seen() -> Evidence:
    """What a Bedrock agent read without a control: earlier turns of its session, knowledge bases, functions that it calls itself.

    The gateway hears of none of it, so every pause says that something is missing.
    """
    return Evidence("Earlier turns, knowledge bases, own functions: not seen", "invoke", False, "", "retrieved", 1)


def with_results(before: Sequence[Evidence], outcomes: Sequence[Outcome]) -> tuple[Evidence, ...]:
    """The evidence of a pause that an answer led to: that of the one before it, and what the answer told the agent.

    The user's words stay; of the rest the latest do, and a piece without text says how many were left out.
    """
    ran = (one for one in outcomes if one.permit in (PermitState.DONE, PermitState.FAILED) and one.result)
    results = [_piece(f"Result of {one.tool}", one.tool, one.result, "tool") for one in ran]
    users = [one for one in before if one.origin == "user"][:MOST_EVIDENCE]
    others = [*(one for one in before if one.origin != "user"), *results]
    room = MOST_EVIDENCE - len(users)
    if len(others) <= room:
        return (*users, *others)
    kept = others[len(others) - room + 1 :] if room > 1 else []
    gone = others[: len(others) - len(kept)]
    left_out = Evidence("Earlier results", "", False, "", "tool", sum(max(1, len(one.text) + one.cut) for one in gone))
    return (*users, left_out, *kept)[:MOST_EVIDENCE]


def _piece(title: str, source: str, text: str, origin: str) -> Evidence:
    kept = text[:LONGEST_TEXT]
    return Evidence(title[:LONGEST_TITLE], source, False, kept, origin, len(text) - len(kept))
