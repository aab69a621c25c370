"""A person's mailbox, and a sink that refused: what says when somebody was last told, and why they cannot be."""

from __future__ import annotations

from dataclasses import dataclass

from placet.records.ops import Item
from placet.records.reading import reads, typed

DIGEST_AGAIN_MS = 150_000  # longer than notify may run: so long the mail of what waits is left to whoever is sending it


@dataclass(frozen=True)
class Mailbox:
    """What is known of mail to one person.

    Attributes:
        sent_ms: when the last one went; 0: never, or so long ago that it was forgotten. taken_by: by which attempt; empty of a
            mail of what waits: what was counted in it is not known until it is sent.
        due_ms: when a mail of what waits is due; 0: none is owed.
        refused: why their address takes no mail, `bounced` or `complained`, of earlier releases `rejected`; empty: it does.
        address: which one.
    """

    sent_ms: int = 0
    taken_by: str = ""
    due_ms: int = 0
    refused: str = ""
    refused_ms: int = 0
    address: str = ""

    @property
    def is_being_sent(self) -> bool:
        """Whether somebody sends them the mail of what waits, and may have counted it already."""
        return not self.taken_by and bool(self.due_ms) and self.due_ms == self.sent_ms + DIGEST_AGAIN_MS


NEVER = Mailbox()


@reads("mailbox of a person")
def read_mailbox(item: Item) -> Mailbox:
    """The mailbox in a stored item. Raises Parked, Damaged."""
    box = Mailbox(
        sent_ms=item.get("sent_ms", 0),
        taken_by=item.get("taken_by", ""),
        due_ms=item.get("wsk", 0),
        refused=item.get("refused", ""),
        refused_ms=item.get("refused_ms", 0),
        address=item.get("address", ""),
    )
    return typed(box)


@reads("mark of a sink")
def read_refusal(item: Item) -> str:
    """Why a sink refused what it was told last; empty when it took it. Raises Parked, Damaged."""
    why = item["refused"]
    if not isinstance(why, str):
        raise TypeError("the reason is no text")
    return why
