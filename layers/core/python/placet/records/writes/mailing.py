"""Mail to people, at most one in a while: who was mailed when, who is owed a mail of what waits, and whose address takes none."""

from __future__ import annotations

from typing import Any

from placet.records import clauses as c
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.lanes import Stands
from placet.records.mailboxes import DIGEST_AGAIN_MS
from placet.records.ops import Op, Put, update

APART_MS = 5 * 60_000  # between two mails to one person
_FORGOTTEN_S = 86_400  # a mailbox without a refusal says nothing any more by then
_SHAPE = {"schema_version": SCHEMA_VERSION, "kind": "MAILBOX"}


def take_mail(keys: Keys, sub: str, mark: str, now_ms: int) -> list[Op]:
    """This person is mailed now, and by nobody else for a while. Its clauses say why not; its mark tells who took it."""
    changes: dict[str, Any] = {**_SHAPE, "sent_ms": now_ms, "taken_by": mark, "ttl": now_ms // 1000 + _FORGOTTEN_S}
    return [update(keys.mailbox(sub), [c.takes_mail(), c.mail_apart(now_ms - APART_MS), c.nothing_owed()], set=changes)]


def return_mail(keys: Keys, sub: str, sent_ms: int) -> list[Op]:
    """The mail of that moment could not be sent after all: the next one need not wait for it."""
    return [update(keys.mailbox(sub), [c.same_mail(sent_ms)], set={}, remove=("sent_ms", "taken_by"))]


def hold_mail(keys: Keys, sub: str, due_ms: int) -> list[Op]:
    """They were mailed just now: they are owed a mail of what waits, once, whatever else comes until then."""
    changes: dict[str, Any] = {"wpk": keys.held_mail(), "wsk": due_ms}
    return [update(keys.mailbox(sub), [c.takes_mail(), c.nothing_owed()], set=changes, remove=("ttl",))]


def hold_more(keys: Keys, sub: str, being_ms: int, due_ms: int) -> list[Op]:
    """The mail of what waits is being sent, and may have been counted already: they are owed another one."""
    return [update(keys.mailbox(sub), [c.same_moment(Stands(being_ms))], set={"wsk": due_ms})]


def begin_digest(keys: Keys, sub: str, due_ms: int, now_ms: int) -> list[Op]:
    """Somebody sends the mail of what waits. Who crashes leaves a moment at which it is sent again."""
    changes: dict[str, Any] = {"sent_ms": now_ms, "wsk": now_ms + DIGEST_AGAIN_MS}
    return [update(keys.mailbox(sub), [c.same_moment(Stands(due_ms))], set=changes, remove=("taken_by",))]


def end_digest(keys: Keys, sub: str, begun_ms: int) -> list[Op]:
    """It went, or there was nothing left to say."""
    changes: dict[str, Any] = {"ttl": begun_ms // 1000 + _FORGOTTEN_S}
    conditions = [c.same_moment(Stands(begun_ms + DIGEST_AGAIN_MS))]
    return [update(keys.mailbox(sub), conditions, set=changes, remove=("wpk", "wsk"))]


def refuse_mail(keys: Keys, sub: str, why: str, address: str, now_ms: int) -> list[Op]:
    """Their address takes no mail: none is sent and none is owed, and the mark stays until an operator takes it away."""
    changes: dict[str, Any] = {**_SHAPE, "refused": why, "refused_ms": now_ms, "address": address}
    return [update(keys.mailbox(sub), [], set=changes, remove=("wpk", "wsk", "ttl"))]


def accept_mail(keys: Keys, sub: str) -> list[Op]:
    """An operator says that their address takes mail again."""
    gone = ("refused", "refused_ms", "address")
    return [update(keys.mailbox(sub), [c.mail_refused()], set={}, remove=gone)]


def mark_sink(keys: Keys, name: str, why: str, now_ms: int) -> list[Op]:
    """What a sink said of the last event: why it refused it, or nothing."""
    item = {
        **keys.sink(name)._asdict(),
        "schema_version": SCHEMA_VERSION,
        "kind": "SINK",
        "refused": why,
        "at_ms": now_ms,
    }
    return [Put(item)]
