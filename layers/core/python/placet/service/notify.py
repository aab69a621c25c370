"""notify: the state machine hands over its task token; the pause becomes visible, its clock starts, its reviewers get mail."""

from __future__ import annotations

import contextlib

from placet.model.errors import Busy
from placet.model.people import is_same_person
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.records.people import Member, read_member
from placet.service.loading import head_of, readable
from placet.service.ports import Note, Ports, wired
from placet.service.resume import list_stuck
from placet.service.work_lists import classes_of


def notify(ports: Ports, pause: str, gen: int, token: str) -> None:
    """Store the token, mail the reviewers, move the pause into the queue, set its timer.

    Called again after a lost answer it stores the new token and moves nothing: the deadline does not start anew. The mails go
    first, so that a crash can bring a second mail and never none; the pause is stored since capture.
    """
    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))
    head = head_of(ports, pause)
    if not head.open_calls:
        ports.table.write(writes.answer_token_now(ports.keys, pause, gen))
        return
    if head.notified_ms:
        wired(ports.timers).set(pause, head.deadline_ms)
        return
    now = ports.clock.now_ms()
    missed = mail_reviewers(ports, head, writes.deadline_of(head, now))
    try:
        ports.table.write(writes.notify(ports.keys, head, missed, now))
    except ConditionFailed:
        return notify(ports, pause, gen, token)  # decided or notified between the read and the write: look again
    if not classes_of(ports, head):  # nobody has the right to decide it, but its clock runs and the operators know
        list_stuck(ports, pause, "class_gone")
    wired(ports.timers).set(pause, head_of(ports, pause).deadline_ms)


def mail_again(ports: Ports, pause: str) -> int:
    """Try the mails again that could not be sent; returns how many are still missing."""
    head = head_of(ports, pause)
    if not head.open_calls or not head.mails_missed:
        return 0
    missed = mail_reviewers(ports, head, head.deadline_ms, only=head.mails_missed)
    with contextlib.suppress(ConditionFailed):
        ports.table.write(writes.mailed(ports.keys, head, missed))
    return len(missed)


def mail_reviewers(ports: Ports, head: Head, deadline_ms: int, only: tuple[str, ...] = ()) -> list[str]:
    """One mail per person of the groups reached so far; returns who has to be tried again. Mail never holds a pause up."""
    people: dict[str, list[Member]] = {}
    for call in head.pending:
        action_class = ports.policy.classes.get(call.action_class)
        for level in action_class.levels[: head.level + 1] if action_class else ():
            for group in level.groups:
                for member in readable(ports, ports.table.query(ports.keys.group(group)), read_member):
                    people.setdefault(member.sub, []).append(member)
    wanted = [(sub, found) for sub, found in sorted(people.items()) if not only or sub in only]
    return [
        sub for sub, found in wanted if _may_decide(head, sub, found) and not _send(ports, head, found[-1], deadline_ms)
    ]


def _may_decide(head: Head, sub: str, memberships: list[Member]) -> bool:
    """Whether a person is neither requester nor owner, by the addresses of the groups that are asked."""
    names = {sub, *(member.email for member in memberships)}
    return not any(is_same_person(written, names) for written in (head.requester, head.owner))


def _send(ports: Ports, head: Head, person: Member, deadline_ms: int) -> bool:
    """False when it may work later. An address that is refused for good is logged and not tried again."""
    note = Note(
        to_name=person.name,
        to_email=person.email,
        pause=head.pause,
        action_class=", ".join(head.card.classes),
        tools=head.card.tools,
        agent=head.agent,
        requester=head.requester,
        entity=head.card.entity,
        effect=head.card.effect,
        asked_ms=head.captured_ms,
        deadline_ms=deadline_ms,
    )
    try:
        if not wired(ports.mail).send(note):
            ports.log("mail_not_sent", {"pause": head.pause})
    except Busy:
        return False
    return True
