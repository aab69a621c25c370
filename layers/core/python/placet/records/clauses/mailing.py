"""Mailboxes: one mail at a time, to whoever takes one."""

from __future__ import annotations

from placet.records.conditions import Clause, clause


def mail_apart(before_ms: int) -> Clause:
    """Two pauses, or two functions, mail one person at once: one of them does."""
    return clause("mail_apart", ("sent_ms", "absent"), ("sent_ms", "<=", before_ms))


def same_mail(sent_ms: int) -> Clause:
    """Somebody else mails them while a mail is found not to have gone."""
    return clause("same_mail", ("sent_ms", "=", sent_ms))


def takes_mail() -> Clause:
    """A mail bounces while another one to the same address is made."""
    return clause("takes_mail", ("refused", "absent"))


def nothing_owed() -> Clause:
    """Two pauses hold one person's mail back: the moment of the first stays, or a flood would push it away for ever. And
    who is owed a mail of what waits gets that one, not another beside it."""
    return clause("nothing_owed", ("wpk", "absent"))


def mail_refused() -> Clause:
    """Two operators take one mark away."""
    return clause("mail_refused", ("refused", "exists"))
