"""What people asked an agent about a call before they decide it, as its head counts it. The texts lie beside it.

A question is an event, an answer a body (`records.answers`). The head names the digest of the last answer, and each names the one
before, so that nothing that was shown can be another text later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.records.reading import typed

OPEN, ANSWERED = "open", "answered"  # what a card says of the questions about its pause


@dataclass(frozen=True)
class Questions:
    """The questions about one call.

    Attributes:
        asked: how many; they are numbered from 1.
        open: numbers of those that have no answer yet.
        answer: digest of the last answer; empty before the first.
    """

    asked: int = 0
    open: tuple[int, ...] = ()
    answer: str = ""

    @property
    def item(self) -> dict[str, Any]:
        """As it is stored."""
        return {"asked": self.asked, "open": list(self.open), **({"answer": self.answer} if self.answer else {})}

    def with_next(self) -> Questions:
        """One more is asked."""
        return Questions(self.asked + 1, (*self.open, self.asked + 1), self.answer)

    def answered(self, number: int, answer: str) -> Questions:
        """This one has its answer, of that digest."""
        return Questions(self.asked, tuple(one for one in self.open if one != number), answer)


NONE = Questions()


def read_questions(raw: Any) -> Questions:
    """The questions of a stored call; NONE of one that nobody asked about. Raises what an odd one raises."""
    if raw is None:
        return NONE
    found = typed(Questions(raw["asked"], tuple(raw["open"]), raw.get("answer", "")))
    if not set(found.open) <= set(range(1, found.asked + 1)):
        raise ValueError("a question is open that was not asked")
    return found
