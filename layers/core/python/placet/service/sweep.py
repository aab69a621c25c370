"""sweep: once a minute, whatever the work index shows as overdue is done again or listed. The net under every lost event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from placet.model.errors import Unreadable
from placet.model.frameworks import OWN
from placet.model.states import PermitState, ResumeState
from placet.records import writes
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.lists import Kind, WorkList
from placet.records.ops import ConditionFailed, Item, Op
from placet.service.asking import Groups, may_widen, nobody_left, reviewers_of
from placet.service.digests import owed
from placet.service.dispatch import start_wait
from placet.service.execute import claim_ms_of
from placet.service.holding import GRACE_MS, is_overdue
from placet.service.loading import call_of, head_of
from placet.service.origin import is_answerable
from placet.service.ports import Ports, wired
from placet.service.readers import NOBODYS, SHOWN_AGAIN, before_its_people
from placet.service.resume import handed_over
from placet.service.short import bound
from placet.service.stuck import list_stuck
from placet.service.unreadable import list_unreadable
from placet.service.walks import failing, walk
from placet.service.work_lists import (
    classes_of,
    every_list,
    last_level,
    queues_of,
    remember_todays,
    remembered,
)

BUDGET_MS = 35_000  # its function is cut off after 55 seconds, and one pause may take a few
PATIENCE_MS = 24 * 3_600_000  # a decided pause whose run did not go on for this long is listed


@dataclass
class Swept:
    """What one sweep asked for, by kind.

    Attributes:
        failed: pauses that failed again, and lists that could not be read or marked.
        more: lists that it did not walk to their end; the next sweep goes on there.
    """

    started: int = 0
    mailed: int = 0
    expired: int = 0
    resumed: int = 0
    given_up: int = 0
    listed: int = 0
    moved: int = 0
    failed: int = 0
    more: int = 0


Redo = Callable[[Ports, Swept, Groups, Head], object]


def sweep(ports: Ports) -> Swept:
    """Redo what is overdue. Each pause is judged on its own, and each list has its turn: none holds the others up."""
    swept, now = Swept(), ports.clock.now_ms()
    stored, groups = _lists(ports, swept), Groups(ports)

    def look(work_list: WorkList, item: Item, found: Head | Unreadable) -> None:
        _look(ports, swept, groups, work_list, item, found)

    _digests(ports, swept)
    lists = every_list(ports, stored)
    swept.more, failed = walk(ports, lists, stored, lambda one: bound(ports, groups, one, now), look, now + BUDGET_MS)
    swept.failed += failed
    ports.log("swept", vars(swept))
    return swept


def _lists(ports: Ports, swept: Swept) -> dict[str, Item]:
    """The remembered lists with their marks. While they cannot be read, today's are swept all the same, each from its beginning."""
    stored: dict[str, Item] = {}
    with failing(ports, {"list": "lists"}) as lost:
        stored = remembered(ports)
        remember_todays(ports, stored)
    swept.failed += len(lost)
    return stored


def _digests(ports: Ports, swept: Swept) -> None:
    """Whoever is owed a mail of what waits gets it now; one that cannot be asked for comes up again in a minute."""
    with failing(ports, {"list": "mail"}) as lost:
        for sub in owed(ports):
            wired(ports.verbs).call("notify", {"tenant": ports.keys.tenant, "digest": sub})
            swept.mailed += 1
    swept.failed += len(lost)


def _look(
    ports: Ports, swept: Swept, groups: Groups, work_list: WorkList, item: Item, found: Head | Unreadable
) -> None:
    """Redo one pause. Whatever goes wrong with it is counted and told; the others go on."""
    pause = item["pk"].rpartition("#")[2]
    with failing(ports, {"pause": pause}) as lost, _set_aside(ports, swept, pause):
        if isinstance(found, Unreadable):
            raise found
        if found.epoch < ports.epoch:
            _write(ports, writes.into_epoch(ports.keys, found, ports.epoch, ports.clock.now_ms()))
        elif not _late_claims(ports, swept, found):  # else it is looked at in a minute, as it is then
            _REDO[work_list.kind](ports, swept, groups, found)
    swept.failed += len(lost)


@contextmanager
def _set_aside(ports: Ports, swept: Swept, pause: str) -> Iterator[None]:
    """What cannot be read is listed."""
    try:
        yield
    except Unreadable as error:
        swept.listed += list_unreadable(ports, pause, error)


def _restart(ports: Ports, swept: Swept, groups: Groups, head: Head) -> None:
    """The execution was never started, or it ended before anybody was told: then a new generation waits."""
    if not start_wait(ports, head):
        if not _write(ports, writes.next_generation(ports.keys, head, ports.clock.now_ms())):
            return  # it got on meanwhile
        start_wait(ports, replace(head, gen=head.gen + 1))
    swept.started += 1


def _queued(ports: Ports, swept: Swept, groups: Groups, head: Head) -> None:
    """One of its moments has passed and no timer came; or there is something left to tell of it: then it stands before that moment;
    or nobody can decide it any more: a deploy took its queue away, or too many of its groups' members left.

    Or nothing of it is open: an earlier release let two last calls race past each other (`mend_closed`).
    """
    level = min(max(head.level, writes.level_reached(head.pending)), last_level(ports, head))
    if not head.open_calls:
        _write(ports, writes.mend_closed(ports.keys, head, ports.clock.now_ms()))
    elif not classes_of(ports, head):
        swept.listed += list_stuck(ports, head, "class_gone")
    elif head.wpk not in queues_of(ports) or head.level < level:  # a level that was gone may be there again
        swept.moved += _write(ports, writes.requeue(ports.keys, head, level))
    elif _asks_others(ports, swept, groups, head):
        return
    elif head.wsk < writes.next_look(head) and head.deadline_ms > ports.clock.now_ms():
        _told(ports, swept, head)
    elif head.wsk + GRACE_MS <= ports.clock.now_ms():
        _escalate(ports, swept, head)


def _asks_others(ports: Ports, swept: Swept, groups: Groups, head: Head) -> bool:
    """Whether somebody who was asked can decide no more: then the next level is asked at once, by escalate; where there is none,
    and none of the calls can be decided, the pause is listed."""
    if not head.notified_ms:
        return False
    if may_widen(ports, groups, head):
        _escalate(ports, swept, head)
        return True
    why = nobody_left(ports, groups, head)
    swept.listed += bool(why) and list_stuck(ports, head, why)
    return bool(why)


def _escalate(ports: Ports, swept: Swept, head: Head) -> None:
    wired(ports.verbs).call("escalate", {"tenant": ports.keys.tenant, "pause": head.pause})
    swept.expired += 1


def _told(ports: Ports, swept: Swept, head: Head) -> None:
    """It came up before its next moment: because of a claim, or of a mail or a timer that was lost with its wait. Which of these
    cannot be told, not even while a claim is out: notify sees to whatever is missing, and moves the entry on.
    """
    wired(ports.verbs).call("notify", {"tenant": ports.keys.tenant, "pause": head.pause, "mail_again": True})
    swept.mailed += 1


def _out(ports: Ports, swept: Swept, groups: Groups, head: Head) -> None:
    """Decided, and the run has not reported back; or it has ended, and a permit was out.

    An agent that the registry does not know any more, or knows as one of another framework, cannot report back: its pauses are
    listed at once.
    """
    now = ports.clock.now_ms()
    if head.resume_state is ResumeState.DONE:
        if not any(call.permit is PermitState.CLAIMED for call in head.calls):
            _write(ports, writes.nothing_out(ports.keys, head, now))
    elif is_overdue(head, now):
        _escalate(ports, swept, head)
    elif (agent := ports.registry.by_name(head.agent)) is None:
        swept.listed += list_stuck(ports, head, "agent_gone")
    elif not is_answerable(agent, head.framework):
        swept.listed += list_stuck(ports, head, "framework_differs")
    elif head.wsk + GRACE_MS <= now:
        _resume(ports, swept, head)


def _stuck(ports: Ports, swept: Swept, groups: Groups, head: Head) -> None:
    """It waits for an operator; its claims are given up and its deadlines pass all the same. What lacked nothing but people who
    may decide it goes back to them by itself.
    """
    now = ports.clock.now_ms()
    if head.stuck in NOBODYS and head.deadline_ms > now and not nobody_left(ports, groups, head):
        move = before_its_people(ports, head, reviewers_of(ports, head, groups), now)
        swept.moved += _write(ports, writes.unlist(ports.keys, head, move, "sweep", SHOWN_AGAIN, now))
        return
    if is_overdue(head, now) or any(0 < call.deadline_ms <= now - GRACE_MS for call in head.pending):
        _escalate(ports, swept, head)


def _late_claims(ports: Ports, swept: Swept, head: Head) -> bool:
    """Give up claims that are over, on whatever list their pause stands. Whether there was one."""
    now = ports.clock.now_ms()
    late = [call for call in head.calls if call.permit is PermitState.CLAIMED and _is_over(ports, call, now)]
    for call in late:
        _give_up(ports, swept, head, call, now)
    return bool(late)


def _give_up(ports: Ports, swept: Swept, head: Head, call: HeadCall, now: int) -> None:
    """With an idempotency key another attempt may run; without one, or with the run ended, nobody knows: a person finds out."""
    if call.takes_key and head.resume_state is not ResumeState.DONE:
        if not _write(ports, writes.free_again(ports.keys, head.pause, call)):
            return _look_again(ports, swept, head.pause, call, now)
    elif _write(ports, writes.give_up(ports.keys, head, call, now)):
        ports.log("stuck", {"pause": head.pause, "reason": "permit_unknown"})
        swept.listed += 1
    swept.given_up += 1


def _look_again(ports: Ports, swept: Swept, pause: str, seen: HeadCall, now: int) -> None:
    """A permit was not freed: it was reported, or its run has ended, and then the same attempt is given up after all."""
    head = head_of(ports, pause)
    call = call_of(head, seen.number)
    if (call.permit, call.worker) == (seen.permit, seen.worker) and head.resume_state is ResumeState.DONE:
        _give_up(ports, swept, head, call, now)


def _resume(ports: Ports, swept: Swept, head: Head) -> None:
    agent, now = ports.registry.by_name(head.agent), ports.clock.now_ms()
    if head.is_leased(now):
        return  # somebody works on it, for however long
    if now - head.wsk > PATIENCE_MS:
        swept.listed += list_stuck(ports, head, "not_picked_up")
    elif handed_over(head, now):
        return
    elif agent is not None and (agent.target != "pick_up" or head.framework == OWN):
        wired(ports.verbs).call("resume", {"tenant": ports.keys.tenant, "pause": head.pause, "gen": head.gen})
        swept.resumed += 1


def _is_over(ports: Ports, call: HeadCall, now: int) -> bool:
    return (call.over_ms or call.claimed_ms + claim_ms_of(ports, call)) <= now


def _write(ports: Ports, ops: list[Op]) -> bool:
    """Whether the write was done; a lost race means that the pause got on by itself."""
    try:
        ports.table.write(ops)
    except ConditionFailed:
        return False
    return True


_REDO: dict[Kind, Redo] = {Kind.NEW: _restart, Kind.QUEUE: _queued, Kind.OUT: _out, Kind.STUCK: _stuck}
