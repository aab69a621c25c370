"""What becomes of calls that nobody decides, in words: they expire, or the rule of their class rejects them. Pages and mails say it
from here."""

from __future__ import annotations

from collections.abc import Collection

from placet.policy.classes import Then


def ends(thens: Collection[str], which: str = "it", *, several: bool = False) -> str:
    """`it expires`, `calls 1 and 3 expire`, `the rule of its class rejects it`: to stand after "then".

    Args:
        thens: of each of the calls what its class says (`policy.Then`).
        which: how the calls are named; `several`: whether that is a word for more than one.
    """
    if Then.REJECT not in thens:
        return f"{which} {'expire' if several else 'expires'}"
    if Then.EXPIRE not in thens:
        return f"the {'rules of their classes reject' if several else 'rule of its class rejects'} {which}"
    return f"{which} {'end' if several else 'ends'} as each class says, by expiry or by rejection"


def heard(thens: Collection[str]) -> str:
    """What the agent hears then, which is never that a person said no."""
    if Then.REJECT not in thens:
        return "the agent hears that nobody decided"
    if Then.EXPIRE not in thens:
        return "the agent hears that a rule rejected it, and that no person said no"
    return "the agent hears of each which it was, and that no person said no"
