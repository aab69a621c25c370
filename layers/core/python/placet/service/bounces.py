"""A mail that did not reach its reader: who it was for is marked with the reason, so that somebody sees why they are silent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.records import writes
from placet.records.mailboxes import NEVER, Mailbox, read_mailbox
from placet.service.loading import readable
from placet.service.ports import Ports

PERSON = "placet-person"  # the tag that a mail carries: the `sub` of whom it is for
REASONS = {"Bounce": "bounced", "Complaint": "complained", "Reject": "rejected"}


def bounce(ports: Ports, told: Mapping[str, Any]) -> str:
    """Mark whoever a mail could not be brought to, from what SES tells of it.

    Returns:
        the reason that was marked; `later` when SES itself tries again; `unknown` when it was no mail of ours to a person.
    """
    why = REASONS.get(str(told.get("eventType", "")), "")
    if why == "bounced" and told.get("bounce", {}).get("bounceType") == "Transient":
        return "later"  # a full mailbox, a message that is too long: SES goes on trying, and the next mail may arrive
    person = _first(told.get("mail", {}).get("tags", {}).get(PERSON))
    if not why or not person or "#" in person:
        return "unknown"
    address = _first(told.get("mail", {}).get("destination"))
    ports.table.write(writes.refuse_mail(ports.keys, person, why, address, ports.clock.now_ms()))
    ports.log("mail_refused", {"person": person, "reason": why})
    return why


def mailbox_of(ports: Ports, sub: str) -> Mailbox:
    """What is known of mail to a person."""
    item = ports.table.get(ports.keys.mailbox(sub))
    return next(iter(readable(ports, [item] if item else [], read_mailbox)), NEVER)


def _first(value: Any) -> str:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else ""
