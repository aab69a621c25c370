"""A badge: a membership by what a sign-in says, until the end of its session. Read from its items."""

from __future__ import annotations

from dataclasses import dataclass, field

from placet.model.shown_names import shown_name
from placet.records.ops import Item
from placet.records.reading import reads, typed

REMEMBERED_MS = (
    30 * 86_400_000
)  # after it is over: for so long they are asked to come, and have to sign in again to decide


@dataclass(frozen=True)
class Badge:
    """One person's membership of one group, as they signed in.

    Attributes:
        name: as the sign-in says it; `shown` is what pages and records say.
        until_ms: the end of the last session in which it was said; 0 once a later sign-in, or an operator, ended it.
        sessions: the sessions in which it was said, by their stored names, with their ends; none of what an earlier release wrote.
    """

    sub: str
    group: str
    name: str
    email: str
    until_ms: int
    sessions: dict[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The name, and beside it who it is."""
        return shown_name(self.name, self.email, self.sub)

    def lasts(self, now_ms: int) -> bool:
        """Whether it gives a right at a moment."""
        return now_ms < self.until_ms

    def is_remembered(self, now_ms: int) -> bool:
        """Whether the person is asked: they are a member, or were when they signed in last, and nothing has ended it."""
        return self.until_ms > 0 and now_ms < self.until_ms + REMEMBERED_MS


@reads("badge")
def read_badge(item: Item) -> Badge:
    """The badge in a stored item, from either side. Raises Parked, Damaged: then it is none."""
    return typed(
        Badge(item["sub"], item["group"], item["name"], item["email"], item["until_ms"], item.get("sessions", {}))
    )
