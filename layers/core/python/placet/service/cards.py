"""The card of a pause: what lists show of it, in at most about 400 bytes, because the head must stay within one write unit.

A list is for finding. What does not fit is cut, and says so: nobody takes the beginning of an action for all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from placet.model.pauses import Capture, ProposedCall
from placet.policy.evaluate import Ruling, tool_of
from placet.policy.rules import Effect, Policy
from placet.service.headlines import headline

TITLE, SENTENCE = 80, 60  # characters, and twice as many bytes
REASONS, TOOLS = 2, 8


def card_of(policy: Policy, captured: Capture, rulings: Mapping[int, Ruling]) -> dict[str, Any]:
    """The card as it is stored; of the calls that somebody is asked about, or of all when nobody is asked."""
    calls = [call for call in captured.native.calls if rulings[call.number].review] or list(captured.native.calls)
    effects = [tool_of(policy, call.tool).effect for call in calls]
    kept_out = {"kept_out": dict.fromkeys(sorted(captured.kept_out), True)} if captured.kept_out else {}
    return {
        "title": _title(policy, calls),
        "tools": sorted({shortened(call.tool, SENTENCE) for call in calls})[:TOOLS],
        "classes": sorted({rulings[call.number].action_class.name for call in calls}),
        "why": _why(sentence for call in calls for _, sentence in rulings[call.number].fired),
        "effect": next(one for one in (Effect.NEVER, Effect.HARD, Effect.CAN) if one in effects).value,
        "entity": captured.entity,
        "requester": captured.requester,
        "framework": captured.framework,
        **kept_out,
    }


def shortened(text: str, most: int, where: str = "") -> str:
    """A text of at most about `most` characters and twice as many bytes; what was cut off is counted behind an ellipsis."""
    if len(text) <= most and len(text.encode("utf-8", "surrogatepass")) <= 2 * most:
        return text
    kept = text[: most - 24 if where else most - 1]
    while len(kept.encode("utf-8", "surrogatepass")) > 2 * most:
        kept = kept[:-1]
    return f"{kept}… {len(text) - len(kept):,} more {where}" if where else f"{kept}…"


def _title(policy: Policy, calls: Sequence[ProposedCall]) -> str:
    if len(calls) == 1:
        sentence = headline(tool_of(policy, calls[0].tool), calls[0].arguments, elsewhere="in the call").text
        return shortened(sentence, TITLE, "in the call")
    names = _counted(call.tool for call in calls)
    return shortened(f"{len(calls)} calls: {', '.join(names)}", TITLE, "in the calls")


def _why(sentences: Iterable[str]) -> list[str]:
    """The first reasons, each once, and how many more there are."""
    found = _counted(shortened(sentence.rstrip().removesuffix("."), SENTENCE) for sentence in sentences)
    more = len(found) - REASONS
    return found if more <= 0 else [*found[:REASONS], f"{more} more reason{'s' if more > 1 else ''} in the call"]


def _counted(names: Iterable[str]) -> list[str]:
    """Each once in the order in which it came: `issue_refund × 10`."""
    return [name if times == 1 else f"{name} \u00d7 {times}" for name, times in Counter(names).items()]
