"""A mail that did not reach its reader: who it was for is marked with the reason, so that somebody sees why they are silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.people import is_anyone_of
from placet.records import writes
from placet.records.mailboxes import NEVER, Mailbox, read_mailbox
from placet.service import members
from placet.service.loading import readable
from placet.service.ports import Ports

PERSON = "placet-person"  # the tag that a mail carries: the `sub` of whom it is for
BOUNCED, COMPLAINED, REJECTED = "bounced", "complained", "rejected"
LATER, UNSURE, NO_SPAM = "later", "unsure", "no_spam"


@dataclass(frozen=True)
class NotDelivered:
    """What SES tells of one mail of ours.

    Attributes:
        what: BOUNCED, COMPLAINED: for good. LATER: SES itself tries again. UNSURE: it came back, and nobody knows for how long.
            REJECTED: SES held the mail for harmful and sent it nowhere. NO_SPAM: a reader took it out of the spam.
        person: `sub` of whom it was for; `addresses`: where it was sent.
    """

    what: str
    person: str
    addresses: tuple[str, ...]


def bounce(ports: Ports, told: object) -> str:
    """Mark whoever a mail could not be brought to, from what SES tells of it.

    A mark keeps every mail from a person until somebody takes it away, so only what is surely for good makes one, and only at an
    address that is theirs today: a bounce may come days after its mail, when the address was corrected. What is wrong with one
    mail says nothing of the address: texts of a model that look harmful would silence everybody who is asked.

    Returns:
        what SES tells of it; `stale` when the address is theirs no more; `unknown` when it was no mail of ours to a person, or
        cannot be read.
    """
    found = read_told(told)
    if found is None:
        return "unknown"
    facts = {"person": found.person, "reason": found.what}
    if found.what in (UNSURE, REJECTED):
        ports.log("mail_unsure", facts)
    if found.what not in (BOUNCED, COMPLAINED):
        return found.what
    person = members.reviewer(ports, found.person)
    own = {person.email, *person.addresses} - {""}
    theirs = next((address for address in found.addresses if is_anyone_of([address], own)), None)
    if theirs is None:
        ports.log("mail_refused_elsewhere", facts)
        return "stale"
    ports.table.write(writes.refuse_mail(ports.keys, found.person, found.what, theirs, ports.clock.now_ms()))
    ports.log("mail_refused", facts)
    return found.what


def read_told(told: object) -> NotDelivered | None:
    """What an event of SES says; None for one of another kind, of no mail of ours, or of a shape that is not SES's."""
    mail = _inside(told, "mail")
    person = next(iter(_texts(_inside(mail, "tags").get(PERSON))), "")
    what = _what(told) if isinstance(told, Mapping) else ""
    if not what or not person or "#" in person:
        return None
    return NotDelivered(what, person, _texts(mail.get("destination")))


def _what(told: Mapping[str, Any]) -> str:
    match told.get("eventType"):
        case "Bounce":
            kind = _inside(told, "bounce").get("bounceType")
            # Transient: a full mailbox, a message that is too long; SES goes on trying, and the next mail may arrive.
            return {"Permanent": BOUNCED, "Transient": LATER}.get(kind if isinstance(kind, str) else "", UNSURE)
        case "Complaint":
            return NO_SPAM if _inside(told, "complaint").get("complaintFeedbackType") == "not-spam" else COMPLAINED
        case "Reject":
            return REJECTED
        case _:
            return ""


def mailbox_of(ports: Ports, sub: str) -> Mailbox:
    """What is known of mail to a person."""
    item = ports.table.get(ports.keys.mailbox(sub))
    return next(iter(readable(ports, [item] if item else [], read_mailbox)), NEVER)


def _inside(value: object, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str) and one) if isinstance(value, list) else ()
