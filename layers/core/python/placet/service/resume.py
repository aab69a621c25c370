"""resume: deliver the decisions of a pause to its run. Driven by the record: the machine and the sweep may both call it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from placet.frameworks import is_by_gateway
from placet.model.cursors import Place, cursor
from placet.model.errors import Busy, Conflict, Refused, Unreadable
from placet.model.frameworks import OWN
from placet.model.pauses import Agent
from placet.model.states import ResumeState
from placet.records import writes
from placet.records.conditions import failing
from placet.records.heads import Head
from placet.records.lists import place_of_entry
from placet.records.ops import ConditionFailed, Op, Update
from placet.service.answers import as_delivery, as_resume
from placet.service.leases import give_back, holder_of, lease
from placet.service.loading import head_of, in_order, readable, with_heads
from placet.service.origin import is_answerable, resumable
from placet.service.pages import Budget, Page, page_of, place_behind
from placet.service.ports import Ports, StillAtWork, wired
from placet.service.stuck import list_stuck
from placet.service.timely import write_timely
from placet.service.unreadable import list_unreadable

LEASE_MS = 120_000
# Of who is invoked and renews nothing: Lambda's longest invocation, and what it takes until that begins.
INVOCATION_LEASE_MS = (900 + 30) * 1000
REDELIVER_MS = 15 * 60_000  # a run that has not gone on so long after its decisions arrived gets them again
PUSHED = frozenset({"sqs", "webhook"})  # targets that get the decisions first and take a lease of their own afterwards
ATTEMPTS = 3
MOST_FREED = 25  # decided or given back in the last two minutes, and still free


def resume(ports: Ports, pause: str) -> str:
    """Deliver a decided pause to its agent.

    Returns:
        `delivered`, `at_work` (its function has not answered so far, and nobody else gets the pause as long as it may run),
        `delivered_before` (not long ago, and the run has not gone on yet), `offered` (the agent picks it up itself), `leased`
        (somebody else delivers it now, or works on it), `done`, `waiting`, `held` (a decision may still be taken back), or `listed`
        (the registry does not know the agent any more or says that it is built with another framework, or its queue or webhook
        refused the decisions for good).

    Raises:
        Busy: the agent could not be reached; the lease is given back, call again.
    """
    head = head_of(ports, pause)
    if head.open_calls:
        return "waiting"
    if head.resume_state is ResumeState.DONE:
        return "done"
    if head.is_held(ports.clock.now_ms()):
        return "held"
    agent = ports.registry.by_name(head.agent)
    if agent is None:
        list_stuck(ports, head, "agent_gone")
        return "listed"
    if not is_answerable(agent, head.framework):
        list_stuck(ports, head, "framework_differs")
        return "listed"
    if head.framework == OWN:
        from placet.service.carrying_out import carry_out

        return carry_out(ports, head, agent)
    if agent.target == "pick_up":
        return "offered"
    if agent.bedrock is not None:
        # Here, because no other path needs to load it.
        from placet.service.bedrock.answering import answer

        return answer(ports, head, agent)
    return _send(ports, head, agent) if agent.target in PUSHED else _deliver(ports, head, agent)


def _deliver(ports: Ports, head: Head, agent: Agent) -> str:
    """Invoke the agent's function, under a lease that outlives it: a second invocation beside it would fork the run."""
    held = lease(ports, head, INVOCATION_LEASE_MS)
    if held is None:
        return "leased"
    fence = held.fence
    try:
        wired(ports.agents).deliver(agent, {"resume": as_resume(ports, head) | {"fence": fence}})
    except Busy:
        give_back(ports, head.pause, fence)
        raise
    except StillAtWork:
        return "at_work"
    with contextlib.suppress(ConditionFailed):  # the run went on, which is what it mostly does before it ends
        ports.table.write(writes.shorten_lease(ports.keys, head.pause, fence, ports.clock.now_ms() + LEASE_MS))
    return "delivered"


def _send(ports: Ports, head: Head, agent: Agent) -> str:
    """Hand the decisions over. That is not resuming: whoever gets them takes a lease, even before this one knows they arrived."""
    if handed_over(head, ports.clock.now_ms()):
        return "delivered_before"
    held = lease(ports, head, LEASE_MS, sending=True)
    if held is None:
        return "leased"
    fence = held.fence
    try:
        wired(ports.agents).deliver(agent, as_delivery(ports, head))
    except Busy:
        give_back(ports, head.pause, fence)
        raise
    except Refused as error:
        if error.code != "delivery_refused":
            raise
        return _refused(ports, head, fence, error)
    with contextlib.suppress(ConditionFailed):  # its consumer was faster and holds a lease already, or the run went on
        ports.table.write(writes.delivered(ports.keys, head, fence, ports.clock.now_ms()))
    return "delivered"


def _refused(ports: Ports, head: Head, fence: int, error: Refused) -> str:
    """Nobody will take it as it is: listed with its reason, unless somebody works on it in spite of that."""
    ports.log("delivery_refused", {"pause": head.pause, "agent": head.agent, "why": error.detail})
    sent = replace(head, fence=fence)  # as the record is unless somebody has taken it up since
    if not give_back(ports, head.pause, fence):
        return "leased"
    listed = list_stuck(ports, sent, "delivery_refused") or head.stuck
    return "listed" if listed else "leased"


def handed_over(head: Head, now_ms: int) -> bool:
    """Whether these decisions arrived so lately that the run may still be expected to go on by itself."""
    return head.delivered_gen == head.gen and now_ms < head.delivered_ms + REDELIVER_MS


def pick_up(ports: Ports, agent: Agent, limit: int = 25, after: str = "") -> Page[dict[str, Any]]:
    """One page of the decided pauses of this agent that are not yet resumed, oldest first. Reads only. Raises Invalid.

    A page has at most BUDGET_BYTES, and a pause that is larger a page of its own.
    """
    heads = _out(ports, agent, place_behind("resumes", after))
    found = ((place, one) for place, head in heads for one in readable(ports, [head], lambda h: as_resume(ports, h)))
    return page_of("resumes", found, limit, Budget().fits)


def take(
    ports: Ports,
    agent: Agent,
    pause: str = "",
    limit: int = 1,
    skip: frozenset[str] = frozenset(),
    holder: str = "",
    after: str = "",
) -> Page[dict[str, Any]]:
    """Decided pauses of this agent, each under a lease of LEASE_MS for the one who took it, in an answer of BUDGET_BYTES.

    Args:
        pause: only this one; raises NotFound, and gives nothing while it waits or somebody else holds it.
        skip: not these, which the caller could not use a while ago.
        holder: name of this one request: the same again gets what it got, as long as it has that, before anything else.
        after: `next` of the last answer: those behind it come first, so that whatever the caller cannot use and gives back is
            taken once in a round, however much of that there is.

    Returns:
        Resumes with `fence` (names the lease) and `lease_until`, and whether there is more; only what is in it is leased.

    Raises NotFound, Invalid `cursor_invalid`; of a pause that was named, Conflict as `check_resumer`.
    """
    holder, budget, place = holder or holder_of(ports), Budget(), place_behind("resumes", after)
    found = _by_name(ports, agent, pause) if pause else _free(ports, agent, skip, holder, place)
    taken: Page[dict[str, Any]] = Page()
    for at, head in found:
        if len(taken) == limit:
            taken.more = True
            break
        for view in _readable(ports, head, bool(pause)):
            if not budget.fits(view) and taken:
                taken.more = True
                return taken
            if held := lease(ports, head, LEASE_MS, holder=holder):
                taken.append(view | {"fence": held.fence, "lease_until": held.until_ms})
                taken.next = cursor("resumes", at)
    return taken


def _by_name(ports: Ports, agent: Agent, pause: str) -> list[tuple[Place, Head]]:
    head = resumable(ports, agent, pause)
    is_due = not head.open_calls and head.resume_state is not ResumeState.DONE
    is_due = is_due and not head.is_held(ports.clock.now_ms())
    return [(Place(head.wsk, pause), head)] if is_due else []


def _readable(ports: Ports, head: Head, alone: bool) -> list[dict[str, Any]]:
    """The decisions of a pause; none when they cannot be read, unless it was asked for `alone`: then Unreadable is raised."""
    try:
        return [as_resume(ports, head)]
    except Unreadable as error:
        if alone:
            raise
        list_unreadable(ports, head.pause, error)
        return []


def renew(ports: Ports, agent: Agent, pause: str, fence: int) -> int:
    """Keep a lease; returns until when (ms), never sooner than before.

    Raises NotFound, Conflict `lease_lost` and as `check_resumer`; Busy when it is renewed again and again meanwhile.
    """
    for _ in range(ATTEMPTS):
        head = resumable(ports, agent, pause)
        try:
            now = write_timely(ports, partial(_renewal, ports, head, fence))
        except ConditionFailed as lost:
            if (
                isinstance(lost.op, Update)
                and lost.old is not None
                and failing(lost.op.clauses, lost.old) == ["lease_grows"]
            ):
                continue
            raise _lease_lost() from None
        return _renewed_until(head, now)
    raise Busy


def _renewal(ports: Ports, head: Head, fence: int, now_ms: int) -> list[Op]:
    return writes.renew(ports.keys, head.pause, fence, _renewed_until(head, now_ms), now_ms)


def _renewed_until(head: Head, now_ms: int) -> int:
    return max(head.lease_until_ms, now_ms + LEASE_MS)


def release(ports: Ports, agent: Agent, pause: str, fence: int) -> None:
    """Give back a lease that its holder cannot use, for somebody else at once. Raises as `renew`."""
    resumable(ports, agent, pause)
    if not give_back(ports, pause, fence):
        raise _lease_lost()


def _lease_lost() -> Conflict:
    return Conflict("lease_lost", "This lease is over: it was given back or ran out, or the run went on without it.")


def _out(ports: Ports, agent: Agent, behind: Place | None = None) -> Iterator[tuple[Place, Head]]:
    """Decided pauses of an agent whose runs have not gone on. Of another framework it could answer none: those are listed."""
    out = ports.keys.out(agent.name)
    for entry, head in with_heads(ports, out, in_order(ports, out, up_to=ports.clock.now_ms(), behind=behind)):
        if isinstance(head, Unreadable) or head.open_calls or head.resume_state is ResumeState.DONE:
            continue
        if head.is_held(ports.clock.now_ms()) or head.framework == OWN:
            continue
        if is_answerable(agent, head.framework):
            yield place_of_entry(entry), head


def _free(
    ports: Ports, agent: Agent, skip: frozenset[str], holder: str, behind: Place | None
) -> Iterator[tuple[Place, Head]]:
    """Those that nobody else works on, as far as the read shows: a write that must fail is not tried for each of the others.

    Those that the holder has, then those behind a place, then those up to it.
    """
    rest = itertools.takewhile(lambda one: one[0] <= behind, _out(ports, agent)) if behind is not None else ()
    found = itertools.chain(_out(ports, agent, behind), rest)
    usable = ((place, head) for place, head in found if not is_by_gateway(head.framework) and head.pause not in skip)
    return _own_first(ports, usable, holder)


def _own_first(ports: Ports, found: Iterator[tuple[Place, Head]], holder: str) -> Iterator[tuple[Place, Head]]:
    """Those of these that this holder has, then those that nobody has, in their order.

    What it has it took at most LEASE_MS ago, so one that was free for longer was free then, and it would have taken that: nothing
    of its own stands behind one. Nor is it sought behind more than MOST_FREED, each of which costs a read.
    """
    now, free = ports.clock.now_ms(), []
    for place, head in found:
        if head.is_leased(now):
            if head.holder == holder:
                yield place, head
            continue
        free.append((place, head))
        if max(head.wsk, head.lease_until_ms) < now - LEASE_MS or len(free) > MOST_FREED:
            break
    yield from free
    yield from ((place, head) for place, head in found if not head.is_leased(ports.clock.now_ms()))
