"""Notes of the verbs as the mails that people get. A link names the pause, or the inbox, and decides nothing."""

from __future__ import annotations

from placet.service.ports import Digest, Note
from placet.web.digest import DigestFacts, digest_of
from placet.web.mail import Letter, MailFacts, mail_of


def letter_of(note: Note | Digest, base_url: str, now_ms: int) -> Letter:
    """The mail of a note.

    Args:
        base_url: the public address of the pages, without a slash at its end.
        now_ms: when the mail is made.
    """
    return _digest(note, base_url) if isinstance(note, Digest) else mail_of(_facts(note, base_url, now_ms))


def _digest(note: Digest, base_url: str) -> Letter:
    return digest_of(
        DigestFacts(
            note.to_email,
            note.waiting,
            note.more,
            note.deadline_ms,
            f"{base_url}/inbox",
            note.handed,
            tuple(map(str, note.handed_by)),
        )
    )


def _facts(note: Note, base_url: str, now_ms: int) -> MailFacts:
    return MailFacts(
        reviewer_name=note.to_name,
        reviewer_email=note.to_email,
        title_class="",
        headline="",
        tools=note.tools,
        agent=note.agent,
        requester=note.requester,
        entity=note.entity,
        deadline_ms=note.deadline_ms,
        link=f"{base_url}/reviews/{note.pause}",
        action_class=note.action_class,
        effect=note.effect,
        now_ms=now_ms,
        asked_ms=note.asked_ms,
        calls=note.calls,
        why=note.why,
        thens=note.thens,
        rules=note.rules,
        group=note.group,
    )
