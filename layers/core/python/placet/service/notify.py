"""notify: the state machine hands over its task token; the pause becomes visible, its clock starts, its reviewers get mail."""

from __future__ import annotations

from placet.model.errors import Busy
from placet.records import writes
from placet.records.heads import Head
from placet.records.ops import ConditionFailed
from placet.service.loading import head_of
from placet.service.ports import Note, Ports, wired


def notify(ports: Ports, pause: str, gen: int, token: str) -> None:
    """Store the token, move the pause into the queue, set its timer, mail its reviewers.

    Called again after a lost answer it stores the new token and changes nothing else: the deadline does not start anew and
    nobody gets a second mail, unless the first attempt died between the write and the mails, which the sweep does not repeat
    because the inbox shows the pause already.
    """
    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))
    head = head_of(ports, pause)
    if not head.open_calls:
        ports.table.write(writes.answer_token_now(ports.keys, pause, gen))
        return
    if head.notified_ms:
        wired(ports.timers).set(pause, head.deadline_ms)
        return
    try:
        ports.table.write(writes.notify(ports.keys, head, ports.clock.now_ms()))
    except ConditionFailed:
        return notify(ports, pause, gen, token)  # decided or notified between the read and the write: look again
    head = head_of(ports, pause)
    wired(ports.timers).set(pause, head.deadline_ms)
    mail_reviewers(ports, head)


def mail_reviewers(ports: Ports, head: Head) -> int:
    """One mail per person of the groups reached so far; returns how many were taken. Mail never holds a pause up."""
    people = {
        member["sk"].removeprefix("U#"): member
        for call in head.pending
        for level in ports.policy.classes[call.action_class].levels[: head.level + 1]
        for group in level.groups
        for member in ports.table.query(ports.keys.group(group))
    }
    return sum(
        _send(ports, head, person) for sub, person in sorted(people.items()) if _may_see(head, sub, person["email"])
    )


def _may_see(head: Head, sub: str, email: str) -> bool:
    return not {sub, email} & {head.requester, head.owner}


def _send(ports: Ports, head: Head, person: dict[str, str]) -> bool:
    note = Note(
        to_name=person["name"],
        to_email=person["email"],
        pause=head.pause,
        action_class=", ".join(head.card["classes"]),
        tools=tuple(head.card["tools"]),
        agent=head.agent,
        requester=head.requester,
        entity=head.card["entity"],
        effect=head.card["effect"],
        asked_ms=head.captured_ms,
        deadline_ms=head.deadline_ms,
    )
    try:
        taken = wired(ports.mail).send(note)
    except Busy:
        taken = False
    if not taken:
        ports.log("mail_not_sent", {"pause": head.pause})
    return taken
