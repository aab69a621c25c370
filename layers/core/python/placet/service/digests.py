"""At most one mail to a person in a while; whoever would get more is owed one mail of what waits, and the sweep sees to that.

The mailbox of a person is one item, so this holds whatever groups they are in and whatever agent asks. It holds for every mail:
the first about a call, a reminder, a widening.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.model.errors import Busy
from placet.records import writes
from placet.records.handing import to_group, to_person
from placet.records.mailboxes import NEVER, read_mailbox
from placet.records.ops import ConditionFailed
from placet.service.bounces import mailbox_of
from placet.service.loading import readable
from placet.service.members import reviewer
from placet.service.ports import Digest, Ports, wired

if TYPE_CHECKING:
    from placet.model.pauses import Reviewer
    from placet.records.mailboxes import Mailbox
    from placet.service.views import Inbox, InboxRow

ATTEMPTS = 4  # to owe somebody a mail whose mailbox moves meanwhile
MOST_OWED = 50  # people whom one sweep has mailed
MOST_PAGES = 10  # looked through for one person; if nothing for them was met by then, they are owed it still


def may_mail(ports: Ports, sub: str, now: int) -> bool:
    """Whether this person is mailed now; if not, they are owed a mail of what waits, or their address takes none."""
    mark = wired(ports.ids).secret()
    for _ in range(ATTEMPTS):
        try:
            ports.table.write(writes.take_mail(ports.keys, sub, mark, now))
            return True
        except ConditionFailed as lost:
            box = next(iter(readable(ports, [lost.old] if lost.old else [], read_mailbox)), NEVER)
        if box.taken_by == mark and not (box.due_ms or box.refused):
            return True  # the answer to this very write was lost, and the table repeated it
        if box.refused or _is_owed(ports, sub, box, now):
            return False
    return False


def _is_owed(ports: Ports, sub: str, box: Mailbox, now: int) -> bool:
    """Have them owed a mail that is counted from now on; False when the mailbox moved meanwhile."""
    if box.due_ms and not box.is_being_sent:
        return True  # it is counted when it is sent
    due_ms = max(now, box.sent_ms + writes.APART_MS)
    more = writes.hold_more(ports.keys, sub, box.due_ms, due_ms)
    try:
        ports.table.write(more if box.due_ms else writes.hold_mail(ports.keys, sub, due_ms))
    except ConditionFailed:
        return False
    return True


def not_mailed(ports: Ports, sub: str, at_ms: int) -> None:
    """The mail of that moment could not be sent: whoever tries again is not held up by it."""
    try:
        ports.table.write(writes.return_mail(ports.keys, sub, at_ms))
    except ConditionFailed:
        return  # they were mailed meanwhile


def owed(ports: Ports) -> list[str]:
    """Who is to get a mail of what waits now, by `sub`."""
    entries = ports.table.work(ports.keys.held_mail(), up_to=ports.clock.now_ms(), limit=MOST_OWED)
    return [str(entry["pk"]).rpartition("#")[2] for entry in entries]


def send_digest(ports: Ports, sub: str) -> bool:
    """Mail somebody what waits for them, if that is owed; whether a mail went.

    Who comes beside it finds the moment moved; who crashes leaves one at which the sweep comes again. What was decided meanwhile
    is not in it, and if nothing is left nobody is mailed.
    """
    now, box = ports.clock.now_ms(), mailbox_of(ports, sub)
    if not box.due_ms or box.due_ms > now:
        return False
    try:
        ports.table.write(writes.begin_digest(ports.keys, sub, box.due_ms, now))
    except ConditionFailed:
        return False  # somebody else sends, or their address takes none by now
    person = reviewer(ports, sub)
    page = _waiting(ports, person)
    rows = _own(page)
    if not rows and page.next:
        return False  # nobody knows yet whether something waits: it is looked for again at the moment that was left
    sent = False
    if rows and person.email:
        waiting, next_ms = sum(row.open_calls for row in rows), min(row.deadline_ms for row in rows)
        by = _handed_by(ports, person, rows)
        note = Digest(
            sub, person.name, person.email, waiting, bool(page.next), next_ms, len(by), tuple(dict.fromkeys(by))
        )
        try:
            sent = wired(ports.mail).digest(note)
        except Busy:
            return False  # it is tried again at the moment that was left
        if not sent:
            ports.log("mail_not_sent", {"person": sub})
    try:
        ports.table.write(writes.end_digest(ports.keys, sub, now))
    except ConditionFailed:
        return sent  # their address was marked meanwhile, or they are owed another one
    return sent


def _own(page: Inbox) -> list[InboxRow]:
    """The rows of what this person may decide."""
    return [row for row in page.rows if not row.why_not]


def _handed_by(ports: Ports, person: Reviewer, rows: list[InboxRow]) -> list[str]:
    """Of each open call that was handed to this person or a group of theirs, who did it last. Heads alone say it, so only those of
    pauses are read in which something was handed on."""
    from placet.service.inbox import heads_of

    keys = {to_person(person.sub), *map(to_group, person.groups)}
    calls = [call for row in rows if row.handed for head in heads_of(ports, row) for call in head.pending]
    found = [[one for key, one in call.handed.items() if key in keys] for call in calls]
    return [max(each, key=lambda one: one.at_ms).by_name for each in found if each]


def _waiting(ports: Ports, person: Reviewer) -> Inbox:
    """The first page on which something waits for them. One may have nothing and not be the last: it ends where many entries stood
    that are not theirs, or that they may not decide."""
    from placet.service.inbox import inbox  # only a digest needs what the pages read

    page = inbox(ports, person)
    for _ in range(MOST_PAGES - 1):
        if _own(page) or not page.next:
            break
        page = inbox(ports, person, after=page.next)
    return page
