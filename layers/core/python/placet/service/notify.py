"""notify: the state machine hands over its task token; the pause becomes visible, its reviewers get mail, its timer is set.

In this order. What stands in its queue is not taken away by a mail or a timer that is slow, fails or is gone: what could not be
sent stands in the record, and the sweep has it sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from placet.model.errors import Busy
from placet.model.people import is_same_person
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.records.people import Member, read_member
from placet.service.loading import head_of, readable
from placet.service.ports import Note, Ports, wired
from placet.service.stuck import list_stuck
from placet.service.timer import set_timer
from placet.service.work_lists import classes_of

MAIL_BUDGET_MS = 30_000  # of one notify for all its mails; who is left then is mailed by the sweep
# Longer than the function may run: so long the sweep leaves the mails of a pause to whoever sends them.
AT_WORK_MS = 150_000
ATTEMPTS = 5
TELL_TRIED = 6  # tries at the mails of a pause, which take a quarter of an hour: then the operators are told, once
People = Mapping[str, Member]


def notify(ports: Ports, pause: str, gen: int, token: str) -> None:
    """Store the token, move the pause into the queue, then mail the reviewers and set the timer.

    Called again after a lost answer or a crash it stores the new token and moves nothing: the deadline does not start anew. Mails
    that the one before did not get to are sent then, so a crash can bring a second mail and never none.
    """
    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))
    head = head_of(ports, pause)
    if not head.open_calls:
        ports.table.write(writes.answer_token_now(ports.keys, pause, gen))
        return
    people = reviewers_of(ports, head) if head.mails_missed or not head.notified_ms else {}
    if not head.notified_ms:
        try:
            ports.table.write(writes.notify(ports.keys, head, sorted(people), ports.clock.now_ms()))
        except ConditionFailed:
            return notify(ports, pause, gen, token)  # decided or notified between the read and the write: look again
        head = head_of(ports, pause)
        if head.open_calls and not classes_of(ports, head) and list_stuck(ports, head, "class_gone"):
            head = head_of(ports, pause)  # nobody has the right to decide it, but its clock runs and the operators know
    if head.open_calls and not _is_the_sweeps(head):
        if not head.stuck:
            _mail(ports, head, people)
        set_timer(ports, pause, head.deadline_ms)


def mail_again(ports: Ports, pause: str) -> int:
    """Send the mails of a shown pause that are still missing, and set its timer again; returns how many are missing then.

    One at a time: who comes beside it finds the moment moved, and who crashes leaves a moment at which the sweep comes again.
    """
    head, now = head_of(ports, pause), ports.clock.now_ms()
    if not head.open_calls or not _is_the_sweeps(head) or head.wsk > now:
        return 0
    try:
        ports.table.write(writes.tell_at(ports.keys, head, now + AT_WORK_MS))
    except ConditionFailed:
        return 0  # decided, or somebody else sends
    head = replace(head, wsk=min(writes.next_look(head, head.deadline_ms), now + AT_WORK_MS))
    missed = _mail(ports, head, reviewers_of(ports, head) if head.mails_missed else {})
    set_timer(ports, pause, head.deadline_ms)
    return missed


def _is_the_sweeps(head: Head) -> bool:
    """Whether the sweep was asked to see to a shown pause: all that a moment before its deadline and a claim's end can mean."""
    return bool(head.notified_ms and not head.stuck and head.wsk < writes.next_look(head, head.deadline_ms))


def reviewers_of(ports: Ports, head: Head) -> People:
    """The members of the groups reached so far who may decide, by `sub`: those who are mailed."""
    people: dict[str, list[Member]] = {}
    for call in head.pending:
        action_class = ports.policy.classes.get(call.action_class)
        for level in action_class.levels[: head.level + 1] if action_class else ():
            for group in level.groups:
                for member in readable(ports, ports.table.query(ports.keys.group(group)), read_member):
                    people.setdefault(member.sub, []).append(member)
    return {sub: found[-1] for sub, found in people.items() if _may_decide(head, sub, found)}


def _mail(ports: Ports, head: Head, people: People) -> int:
    """Mail whoever is still to be told, for as long as the budget lasts, and write down who is left; returns how many."""
    if not head.mails_missed and head.wsk == writes.next_look(head, head.deadline_ms):
        return 0
    until = ports.clock.now_ms() + MAIL_BUDGET_MS
    missed = [
        sub
        for sub in head.mails_missed
        if sub in people and (ports.clock.now_ms() >= until or not _send(ports, head, people[sub]))
    ]
    if missed and head.mails_tried + 1 == TELL_TRIED:
        ports.log("mail_not_sent", {"pause": head.pause, "later": len(missed)})
    for _ in range(ATTEMPTS):
        try:
            ports.table.write(writes.mailed(ports.keys, head, missed, ports.clock.now_ms()))
            break
        except ConditionFailed:
            now = head_of(ports, head.pause)  # a call of it was closed, and what is left stands in another queue
            if not now.open_calls or now.gen != head.gen or now.stuck:
                break
            head = now
    return len(missed)


def _may_decide(head: Head, sub: str, memberships: list[Member]) -> bool:
    """Whether a person is neither requester nor owner, by the addresses of the groups that are asked."""
    names = {sub, *(member.email for member in memberships)}
    return not any(is_same_person(written, names) for written in (head.requester, head.owner))


def _send(ports: Ports, head: Head, person: Member) -> bool:
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
        deadline_ms=head.deadline_ms,
        calls=head.open_calls,
    )
    try:
        if not wired(ports.mail).send(note):
            ports.log("mail_not_sent", {"pause": head.pause})
    except Busy:
        return False
    return True
