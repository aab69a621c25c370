"""notify: the state machine hands over its task token; the pause becomes visible, its reviewers get mail, its timer is set.

In this order. What stands in its queue is not taken away by a mail or a timer that is slow, fails or is gone: what could not be
sent stands in the record, and the sweep has it sent. Mails that went are not written down: that would be a write of every pause,
and only one whose notify was cut off would need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placet.model.errors import Busy
from placet.model.people import address_marks
from placet.model.states import CallState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.records.people import Member
from placet.service.absences import absences
from placet.service.asking import Groups, People, first_level, nobody_left, reviewers_of
from placet.service.digests import may_mail, not_mailed
from placet.service.loading import head_of
from placet.service.plan import planned
from placet.service.ports import Note, Ports, wired
from placet.service.stuck import list_stuck
from placet.service.timer import set_timer
from placet.service.work_lists import classes_of

MAIL_BUDGET_MS = 30_000  # of one notify for all its mails; who is left then is mailed by the sweep
# Longer than the function may run: so long the sweep leaves the mails of a pause to whoever sends them.
AT_WORK_MS = 150_000
ATTEMPTS = 5
TELL_TRIED = 6  # tries at the mails of a pause, which take a quarter of an hour: then the operators are told, once


def notify(ports: Ports, pause: str, gen: int, token: str) -> None:
    """Store the token, move the pause into the queue, then mail the reviewers and set the timer.

    Called again after a lost answer or a crash it stores the new token and moves nothing: the deadline does not start anew. Nobody
    knows whom the one before mailed, so everybody is told: that can bring a second mail, as one of what waits, and never none.
    """
    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))
    head = head_of(ports, pause)
    if not head.open_calls:
        ports.table.write(writes.answer_token_now(ports.keys, pause, gen))
        return
    if not head.notified_ms:
        groups = Groups(ports)
        shown, people = _beginning(ports, groups, head)
        try:
            ports.table.write(writes.notify(ports.keys, head, shown.pending, ports.clock.now_ms()))
        except ConditionFailed:
            return notify(ports, pause, gen, token)  # decided or notified between the read and the write: look again
        head = head_of(ports, pause)
        if head.open_calls and (why := _nobodys(ports, groups, head)) and list_stuck(ports, head, why):
            head = head_of(ports, pause)  # nobody can decide it, but its clock runs and the operators know
    else:
        people = reviewers_of(ports, head)
    if head.open_calls and writes.is_called(head):
        _leave_to_the_sweep(ports, head)
    elif head.open_calls:
        if not head.stuck:
            first = not head.mails_missed or head.mails_why
            _mail(ports, head, people, sorted(people) if first else _named(head, people))
        set_timer(ports, head)


def _leave_to_the_sweep(ports: Ports, head: Head) -> None:
    """Ask the sweep for everybody, where it was asked for whom a reminder, a widening or a handing-on names: that says nothing of
    the first mails, which the notify before this one may have left out."""
    for _ in range(ATTEMPTS):
        if not head.open_calls or not head.mails_why or not writes.is_called(head):
            return
        try:
            return ports.table.write(writes.tell_at(ports.keys, head, ports.clock.now_ms(), everybody=True))
        except ConditionFailed:
            head = head_of(ports, head.pause)
    raise Busy


def _beginning(ports: Ports, groups: Groups, head: Head) -> tuple[Head, People]:
    """A pause as it becomes visible now, with the moments of its calls, each at the first level whose people can decide it; and
    who is mailed."""
    now = ports.clock.now_ms()

    def begins(call: HeadCall) -> HeadCall:
        if call.deadline_ms or call.state is not CallState.PENDING:
            return call
        level = first_level(ports, groups, head, call)
        return planned(call, ports.policy.classes.get(call.action_class), level, now)

    shown = replace(head, calls=tuple(begins(call) for call in head.calls))
    return shown, reviewers_of(ports, shown, groups)


def _nobodys(ports: Ports, groups: Groups, head: Head) -> str:
    """Why nobody has the right to decide a pause, or is there to do it; empty while somebody is."""
    return nobody_left(ports, groups, head) if classes_of(ports, head) else "class_gone"


def mail_again(ports: Ports, pause: str) -> int:
    """Send the mails of a shown pause that are still missing, and set its timer again; returns how many are missing then.

    One at a time: who comes beside it finds the moment moved, and who crashes leaves a moment at which the sweep comes again.
    """
    head, now = head_of(ports, pause), ports.clock.now_ms()
    if not head.open_calls or not writes.is_called(head) or head.wsk > now:
        return 0
    try:
        ports.table.write(writes.tell_at(ports.keys, head, now + AT_WORK_MS))
    except ConditionFailed:
        return 0  # decided, or somebody else sends
    head = replace(head, wsk=min(writes.next_look(head), now + AT_WORK_MS))
    people = reviewers_of(ports, head) if head.mails_missed else {}
    missed = _mail(ports, head, people, _named(head, people))
    set_timer(ports, head)
    return missed


def _named(head: Head, people: People) -> Sequence[str]:
    """Who is to be mailed by the record: nobody, some, or everybody who may decide."""
    return sorted(people) if writes.EVERYBODY in head.mails_missed else head.mails_missed


def _mail(ports: Ports, head: Head, people: People, told: Sequence[str]) -> int:
    """Mail whoever is to be told, for as long as the budget lasts, and write down who is left; returns how many.

    When nobody is left, of whom nothing was written, nothing is written.
    """
    until = ports.clock.now_ms() + MAIL_BUDGET_MS
    missed = [
        sub
        for sub, person in _once(ports, people, told)
        if ports.clock.now_ms() >= until or not _send(ports, head, person)
    ]
    if not missed and not head.mails_missed and head.wsk == writes.next_look(head):
        return 0
    struck, unwritten = {*told, *head.mails_missed} - {*missed}, set() if head.mails_missed else {*missed}
    if missed and head.mails_tried + 1 == TELL_TRIED:
        ports.log("mail_not_sent", {"pause": head.pause, "later": len(missed)})
    for _ in range(ATTEMPTS):
        try:
            ports.table.write(writes.mailed(ports.keys, head, missed, ports.clock.now_ms()))
            break
        except ConditionFailed:
            now = head_of(ports, head.pause)  # a call of it was closed, or more people are to be told
            if not now.open_calls or now.gen != head.gen or now.stuck:
                break
            anew = _reminders(now) != _reminders(
                head
            )  # whom it names then is reminded, whether or not they were mailed before
            missed = sorted(unwritten.union(sub for sub in now.mails_missed if anew or sub not in struck))
            head = now
    return len(missed)


def _once(ports: Ports, people: People, told: Sequence[str]) -> list[tuple[str, Member]]:
    """Who is mailed for each of these: they, or while they are away whoever stands in; for nobody else who is not asked.

    Of several accounts with one address, and of several people with one stand-in, the first stands for all.
    """
    away = None if all(sub in people for sub in told) else absences(ports)
    found: list[tuple[str, Member]] = []
    seen: set[str] = set()
    for sub in told:
        named = (sub,) if sub in people or away is None else away.instead_of(sub)
        person = people.get(named[-1]) if named else None
        if person is None:
            continue
        own = {person.sub, *address_marks((person.email,))}
        if not seen & own:
            found.append((sub, person))
        seen |= own
    return found


def _reminders(head: Head) -> list[int]:
    return [call.reminded for call in head.calls]


def _send(ports: Ports, head: Head, person: Member) -> bool:
    """False when it may work later. An address that is refused for good is logged and not tried again.

    Who was mailed just now gets one mail of what waits instead, a little later.
    """
    now = ports.clock.now_ms()
    if not _is_mailed(ports, head) or not may_mail(ports, person.sub, now):
        return True
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
        why=head.mails_why,
        thens=tuple(sorted({call.then for call in head.pending})),
        to=person.sub,
        rules=head.card.why,
        group=person.group,
    )
    try:
        if not wired(ports.mail).send(note):
            ports.log("mail_not_sent", {"pause": head.pause})
    except Busy:
        not_mailed(ports, person.sub, now)
        return False
    return True


def _is_mailed(ports: Ports, head: Head) -> bool:
    """Whether a class of an open call lets people be mailed; one that does not is seen in the inbox, and on the bus."""
    return any(one.mail for one in classes_of(ports, head))
