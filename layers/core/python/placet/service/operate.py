"""operate: what an operator may do. See what is stuck, set it going again, settle unknowns, hold everything; never decide."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.characters import is_blank
from placet.model.errors import Busy, Conflict, Invalid, Unreadable
from placet.model.pauses import call_id, split_call_id
from placet.model.states import PermitState, ResumeState
from placet.records import writes
from placet.records.heads import Head
from placet.records.lists import place_of_entry
from placet.records.ops import ConditionFailed, Item, Op
from placet.service.loading import call_of, head_of, in_order, listed, with_heads
from placet.service.pages import Page, page_of, place_behind
from placet.service.ports import Ports
from placet.service.readers import SHOWN_AGAIN, before_its_people, groups_of
from placet.service.repeated import reconciled_before, repaired_before
from placet.service.work_lists import classes_of, every_list

# What each reason means for people, and what repairs it.
REASONS: dict[str, tuple[str, str]] = {
    "wait_failed": ("The wait ended without a decision.", "placet repair {pause}"),
    "resume_failed": ("The agent could not be told the decisions.", "placet repair {pause}"),
    "resume_unknown": ("Two answers to its agent were sent, and no response came back.", "placet repair {pause}"),
    "not_picked_up": ("Its agent did not come for the decisions for a day.", "placet repair {pause}"),
    "delivery_refused": ("Its queue or webhook refused the decisions.", "placet repair {pause}"),
    "not_proposed": (
        "Its run has no record that the agent proposed these calls; none of them runs.",
        "placet repair {pause}",
    ),
    "framework_differs": (
        "It is of another framework than the registry says its agent is built with.",
        "put its framework back, or let its agent cancel it, then: placet repair {pause}",
    ),
    "no_executor": (
        "The registry names no executor for its agent any more, and what a person proposed here nobody else runs.",
        "name the executor again and deploy, then: placet repair {pause}",
    ),
    "parked": (
        "A later release wrote its record, and this one cannot read it.",
        "deploy that release or a later one, then: placet repair {pause}",
    ),
    "damaged": (
        "A stored record of it cannot be read.",
        "restore the record (docs/operations.md), then: placet repair {pause}",
    ),
    "agent_gone": (
        "The registry does not know its agent any more.",
        "put its agent back into the registry and deploy, then: placet repair {pause}",
    ),
    "class_gone": (
        "The policy does not know the class of its calls any more, so nobody may decide them.",
        "put the class back into the policy and deploy, then wait a minute, or: placet repair {pause}; or its deadline ends it",
    ),
    "too_few_people": (
        "Fewer people are here, of the groups that may decide it, than have to agree. Who is away may still decide.",
        "add somebody to one of them (placet repair {pause} names them), or have who is away come back, then wait a minute; "
        "or its deadline ends it",
    ),
    "group_empty": (
        "Nobody is here of the groups that may decide it: they left, or are away. Who is away may still decide.",
        "add somebody to one of them (placet repair {pause} names them), or have who is away come back, then wait a minute; "
        "or its deadline ends it",
    ),
    "permit_unknown": (
        "A worker claimed a call and never reported.",
        "placet settle {call} --done|--failed --evidence …",
    ),
    "cancelled_while_claimed": (
        "The run was cancelled while a call ran.",
        "placet settle {call} --done|--failed --evidence …",
    ),
    "restored_permits": (
        "After a restore nobody knows whether it ran.",
        "placet settle {call} --done|--failed --evidence …",
    ),
}
WITHDRAWN = "is withdrawn; nothing of it runs"
MAX_EVIDENCE = 2_000
BUDGET_MS = 20_000  # an API function is cut off at 29 seconds


@dataclass(frozen=True)
class Stuck:
    """One pause that cannot go on by itself.

    Attributes:
        means: the reason as a sentence; repair: the exact command.
        unknown: ids of its calls of which nobody knows whether they ran.
    """

    pause: str
    reason: str
    means: str
    repair: str
    since_ms: int
    agent: str
    title: str
    unknown: tuple[str, ...]


def stuck(ports: Ports, limit: int = 100, after: str = "") -> Page[Stuck]:
    """One page of the stuck list, oldest first. Raises Invalid `cursor_invalid`."""
    place = place_behind("stuck", after)
    on_it = with_heads(ports, ports.keys.stuck(), in_order(ports, ports.keys.stuck(), behind=place))
    found = (
        (place_of_entry(item), _unread(item, one) if isinstance(one, Unreadable) else _stuck(one, item["wsk"]))
        for item, one in on_it
        if isinstance(one, Unreadable) or one.stuck
    )
    return page_of("stuck", found, limit)


def repair(ports: Ports, by: str, pause: str) -> str:
    """Set a stuck pause going again; returns what was done, also when the same person asks again a moment later.

    Raises:
        NotFound; Conflict `not_stuck`, `needs_reconcile` while a call's outcome is unknown, `agent_gone` or `class_gone` while
            what it needs is not deployed, `group_empty`, which no repair mends.
    """
    for _ in range(4):
        head = head_of(ports, pause)
        if _enter(ports, head):  # a repair must not carry what a restore brought back into the new epoch
            continue
        if not head.stuck:
            if did := repaired_before(ports, by, pause):
                return did
            if head.cancelled == _withdrawn(by):
                return WITHDRAWN
            raise Conflict("not_stuck", "This pause is not stuck.")
        if unknown := [call_id(pause, call.number) for call in head.calls if call.permit is PermitState.UNKNOWN]:
            raise Conflict("needs_reconcile", "Nobody knows yet whether a call ran. Settle it first.", calls=unknown)
        ops, did = _repaired(ports, head, by)
        try:
            ports.table.write(ops)
        except ConditionFailed:
            continue
        ports.log("repaired", {"pause": pause, "did": did})
        return did
    raise Busy


def reconcile(ports: Ports, by: str, call: str, permit: PermitState, evidence: str) -> None:
    """Settle a call of which nobody knew whether it ran. The same again, by the same person, is the same.

    Raises:
        Invalid: `evidence_missing`, `evidence_too_long`.
        NotFound; Conflict `permit_not_unknown`.
    """
    evidence = evidence.strip()
    if is_blank(evidence):
        raise Invalid("evidence_missing", "Say how you know: it goes into the audit trail.")
    if len(evidence) > MAX_EVIDENCE:
        raise Invalid("evidence_too_long", f"Evidence has at most {MAX_EVIDENCE} characters.", limit=MAX_EVIDENCE)
    pause, number = split_call_id(call)
    call_of(head_of(ports, pause), number)
    try:
        ports.table.write(writes.reconcile(ports.keys, pause, number, permit, by, evidence, ports.clock.now_ms()))
    except ConditionFailed:
        if reconciled_before(ports, by, call, permit, evidence):
            return
        current = call_of(head_of(ports, pause), number)
        detail = f"The permit is {current.permit.value}; only an unknown one is settled by hand."
        raise Conflict("permit_not_unknown", detail, permit=current.permit.value) from None


def freeze(ports: Ports, by: str, reason: str) -> None:
    """Hold captures, decisions and claims of the tenant, for the time of a restore."""
    ports.table.write(writes.freeze(ports.keys, by, reason, ports.clock.now_ms()))
    ports.log("frozen", {"by": by})


def thaw(ports: Ports, by: str) -> tuple[int, bool]:
    """Let them go on, and bring what a restore brought back into the new epoch; until then it can be neither decided nor claimed.

    Returns:
        How many pauses entered the new epoch, and whether there may be more: then ask again.
    """
    ports.table.write(writes.thaw(ports.keys, by, ports.clock.now_ms()))
    entered, more = enter_epoch(ports)
    ports.log("thawed", {"by": by, "entered": entered, "more": more})
    return entered, more


def enter_epoch(ports: Ports) -> tuple[int, bool]:
    """Bring listed pauses of an older epoch into the present one, for at most BUDGET_MS."""
    entered, until = 0, ports.clock.now_ms() + BUDGET_MS
    for work_list in every_list(ports):
        for _, head in listed(ports, work_list.pk):
            if ports.clock.now_ms() > until:
                return entered, True
            entered += _enter(ports, head)
    return entered, False


def _enter(ports: Ports, head: Head) -> bool:
    if head.epoch >= ports.epoch:
        return False
    try:
        ports.table.write(writes.into_epoch(ports.keys, head, ports.epoch, ports.clock.now_ms()))
    except ConditionFailed:
        return False
    return True


def _repaired(ports: Ports, head: Head, by: str) -> tuple[list[Op], str]:
    """What takes a pause off the list; one that nobody proposed can go on nowhere."""
    now = ports.clock.now_ms()
    if head.stuck == "not_proposed":
        return writes.cancel(ports.keys, head, _withdrawn(by), "", now), WITHDRAWN
    move, did = _next_place(ports, head, now)
    return writes.unlist(ports.keys, head, move, by, did, now), did


def _withdrawn(by: str) -> str:
    return f"not_proposed, found by {by}"


def _next_place(ports: Ports, head: Head, now: int) -> tuple[writes.Move, str]:
    """Where a stuck pause goes on: into a new wait, or to its agent. With nothing left to do it just leaves the list.

    Raises Conflict while nobody could decide it or take it up there.
    """
    if head.open_calls:
        if head.notified_ms and not classes_of(
            ports, head
        ):  # one that was never shown has no deadline yet: shown it ends by it
            names = sorted({call.action_class for call in head.pending})
            raise Conflict("class_gone", _GONE.format(what=f"class {', '.join(names)}", where="policy"), classes=names)
        groups = groups_of(ports, head)  # who is in one is not for operators to see: the sweep looks every minute
        later = "A minute after there are, it stands before them by itself."
        if head.stuck == "group_empty":
            detail = f"Nobody who may decide it is here, of {', '.join(groups)}. {later}"
            raise Conflict("group_empty", detail, groups=groups)
        if head.stuck == "too_few_people":
            raise Conflict(
                "too_few_people",
                f"Too few people are here, of {', '.join(groups)}. {later}",
                groups=groups,
            )
        if head.stuck == "class_gone":  # its clocks went on, and its execution waits
            return before_its_people(ports, head, frozenset(), now), SHOWN_AGAIN
        return writes.Move(head, {"wpk": ports.keys.new(), "wsk": now, "gen": head.gen + 1}), "waits again"
    out = {"wpk": ports.keys.out(head.agent), "wsk": now}
    if any(call.permit is PermitState.CLAIMED for call in head.calls):
        return writes.Move(head, out), "waits for its worker's report, or is listed again as unknown"
    if head.resume_state is ResumeState.DONE:
        return writes.Move(head, {"epoch": head.epoch}), "nothing is left to do"
    if ports.registry.by_name(head.agent) is None:
        raise Conflict("agent_gone", _GONE.format(what=f"agent {head.agent}", where="registry"), agent=head.agent)
    undelivered = {"delivered_ms": 0} if head.delivered_ms else {}
    return writes.Move(head, out | undelivered), OFFERED_LATER if head.is_leased(now) else OFFERED


OFFERED = "is offered to its agent again"
OFFERED_LATER = "is offered to its agent again once the lease of who works on it is over"
_GONE = "The {what} is not in the {where}. Put it back and deploy, then repair this pause."


def _stuck(head: Head, since_ms: int) -> Stuck:
    unknown = tuple(call_id(head.pause, call.number) for call in head.calls if call.permit is PermitState.UNKNOWN)
    means, command = REASONS.get(head.stuck, (head.stuck, "placet repair {pause}"))
    if not unknown and "{call}" in command:
        command = "placet repair {pause}"
    repair_by = command.format(pause=head.pause, call=unknown[0] if unknown else "")
    return Stuck(head.pause, head.stuck, means, repair_by, since_ms, head.agent, head.card.title, unknown)


def _unread(entry: Item, error: Unreadable) -> Stuck:
    """A pause whose head cannot be read: what its entry in the index says of it."""
    means, command = REASONS[error.reason]
    agent, wsk = entry.get("agent"), entry.get("wsk")
    return Stuck(
        pause=error.pause,
        reason=error.reason,
        means=means,
        repair=command.format(pause=error.pause),
        since_ms=wsk if isinstance(wsk, int) else 0,
        agent=agent if isinstance(agent, str) else "",
        title=error.detail,
        unknown=(),
    )
