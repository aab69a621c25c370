"""One change: pauses of every state wait, the deploy comes, everybody goes on; then what was is deployed again and repaired."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from placet.model.pauses import call_id
from placet.model.states import CallState, PauseState, PermitState
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service import members, operate, review
from placet.service.inbox import inbox
from tests.proofs.deploying.cast import Deployed
from tests.proofs.deploying.changes import Change
from tests.proofs.deploying.house import House
from tests.proofs.deploying.states import EPOCH, FROZEN, STATES, State
from tests.proofs.world.agents import doubled
from tests.proofs.world.handlers import wired

# Seconds between the rounds: people come in the fourth, and the last ones bring every deadline, lease and patience to its end.
ROUNDS = (60, 60, 60, 60, 60, 120, 300, 300, 300, 600, 600, 900, 900, 1_800, 86_400, 60, 60, 60)
WATCHED, PEOPLE_COME, THAW = 2, 3, 3
_TOLD = {CallState.ACCEPTED: "decided", CallState.EDITED: "decided", CallState.REJECTED: "decided"}
_TOLD |= {CallState.EXPIRED: "expired", CallState.CANCELLED: "cancelled", CallState.SUPERSEDED: "cancelled"}


@dataclass
class Cell:
    """One pause under one change.

    Attributes:
        reached: whether it was in its state when the deploy came.
        invisible, unlisted, lost: sentences.
        reasons: those for which it was listed after the deploy.
        new_in: generation and epoch in which it was seen waiting to be shown.
    """

    change: str
    state: State
    pause: str = ""
    reached: bool = False
    new_in: str = ""
    invisible: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


def play(change: Change, states: tuple[State, ...] = (*STATES, *FROZEN)) -> list[Cell]:
    """These states under one change; those of a hold in a house of their own."""
    with wired():
        held = tuple(state for state in states if state in FROZEN)
        free = tuple(state for state in states if state not in FROZEN)
        return Course(change, free).play() + Course(change, held, frozen=True).play()


class Course:
    """One house, one change."""

    def __init__(self, change: Change, states: tuple[State, ...], *, frozen: bool = False) -> None:
        self.change, self.frozen = change, frozen
        self.house = House()
        self.was = Deployed(epoch=EPOCH)
        self.cells = [Cell(change.name, state) for state in states]
        for number, cell in enumerate(self.cells):
            self.house.deploy(replace(self.was, epoch=cell.state.epoch))
            cell.pause = cell.state.make(self.house, f"run-{number}")
        self.house.deploy(self.was)
        if frozen:
            operate.freeze(self.house.ports("freeze"), "ops/olga", "a restore")
        for cell in self.cells:
            cell.reached = cell.state.holds(self.house, self.house.head(cell.pause))

    def play(self) -> list[Cell]:
        """From the deploy to the end of everything."""
        house = self.house
        house.deploy(self.change.to(self.was))
        house.messages, house.held = house.held, []
        self._rounds(self.change.back)
        for cell in self.cells:
            self._judge(cell)
        self._way_back()
        return self.cells

    def _rounds(self, back: int = 0) -> None:
        for number, seconds in enumerate(ROUNDS):
            if back and number == back:
                self._deploy_back()
            if self.frozen and number == THAW:
                operate.thaw(self.house.ports("thaw"), "ops/olga")
            self._round(number, seconds)
            if number > max(back, PEOPLE_COME) + 1 and self._over():
                return

    def _round(self, number: int, seconds: int) -> None:
        house = self.house
        house.drain()
        house.sweep()
        listed = house.listed()
        for cell in self.cells:
            cell.reasons[listed.get(cell.pause, "")] += 1
            if number >= WATCHED:
                self._watch(number, cell, listed)
        if number >= PEOPLE_COME:
            house.reviewers()
        house.drain()
        house.workers()
        house.drain()
        house.clock.move(seconds)

    def _deploy_back(self) -> None:
        self.house.deploy(replace(self.was, epoch=self.house.epoch))

    def _over(self) -> bool:
        """Whether nothing more comes by itself."""
        listed = self.house.listed()
        return all(pause in listed or _has_ended(self.house.head(pause)) for pause in self.house.heads())

    # --- what is judged --------------------------------------------------------------------------------------------------

    def _watch(self, number: int, cell: Cell, listed: dict[str, str]) -> None:
        """What needs a person is on the list and the page of one who may decide it; or on the operators' list, and rightly.

        What is decided and nobody can take up any more is listed within minutes, not when a day of patience is over.
        """
        head = self.house.head(cell.pause)
        if not head.open_calls:
            if number > PEOPLE_COME + 1 and cell.pause not in listed and self._is_nobodys(head):
                cell.unlisted.append("is decided, and nobody in the registry can take it up")
            return
        ports = self.house.ports("review")
        people = [members.reviewer(ports, sub) for sub in sorted(self._entitled(head))]
        waits_since, cell.new_in = cell.new_in, f"{head.gen} {head.epoch}" if head.wpk == self.house.keys.new() else ""
        if cell.new_in and waits_since != cell.new_in:
            return  # asked for again in this very minute: the next sweep shows it
        if head.stuck:
            if operate.REASONS.keys().isdisjoint({head.stuck}) or not self._is_right(head, bool(people)):
                cell.invisible.append(f"is listed as {head.stuck}")
            return
        seen = [one for one in people if cell.pause in {row.pause for row in inbox(ports, one).rows}]
        if not any(review.detail(ports, one, cell.pause).calls for one in seen):
            cell.invisible.append(f"stands in {head.wpk}, and nobody sees it")

    def _is_nobodys(self, head: Head) -> bool:
        """Whether no entry of the registry is of this agent and of the framework of its pause."""
        agent = self.house.registry.by_name(head.agent)
        fits = agent is not None and (agent.bedrock is not None) == (head.framework == "bedrock")
        return not fits and not _has_ended(head) and not head.cancelled

    def _entitled(self, head: Head) -> set[str]:
        """Who may decide an open call of a pause, by what is deployed: written down here once more, not asked of the product."""
        known = self.house.deployed.policy.classes
        levels = [level for call in head.pending if call.action_class in known for level in _reached(known, head, call)]
        groups = {group for level in levels for group in level.groups}
        return {sub for sub, theirs in self.house.deployed.people.items() if groups & set(theirs)}

    def _is_right(self, head: Head, people: bool) -> bool:
        """Whether the reason for which a pause with an open call is listed is so."""
        gone = not any(call.action_class in self.house.deployed.policy.classes for call in head.pending)
        return {"class_gone": gone, "group_empty": not people}.get(head.stuck, True)

    def _judge(self, cell: Cell) -> None:
        """At the end of everything that comes by itself."""
        head, listed = self.house.head(cell.pause), self.house.listed()
        if not _has_ended(head) and cell.pause not in listed:
            cell.unlisted.append(f"is {head.state.value} in {head.wpk or 'no list'}")
        for call in head.calls:
            self._judge_call(cell, head, call, cell.pause in listed)

    def _judge_call(self, cell: Cell, head: Head, call: HeadCall, listed: bool) -> None:
        told = self._events(cell.pause, call.number)
        at = call_id(cell.pause, call.number)
        if call.state in _TOLD and _TOLD[call.state] not in told:
            cell.lost.append(f"call {call.number} is {call.state.value} without its event")
        if call.permit in (PermitState.DONE, PermitState.FAILED) and not told & {"executed", "reconciled"}:
            cell.lost.append(f"permit {call.number} is {call.permit.value} without its event")
        if call.permit is PermitState.DONE and self.house.effects(at) != 1:
            cell.lost.append(f"call {call.number} is done and had {self.house.effects(at)} effects")
        is_out = call.permit in (PermitState.FREE, PermitState.CLAIMED, PermitState.UNKNOWN)
        if call.state.may_run and is_out and not (listed or head.cancelled or "claim_refused" in told):
            cell.lost.append(f"call {call.number} is approved, its permit {call.permit.value}, and it is on no list")

    def _events(self, pause: str, number: int) -> set[str]:
        """Names of the events that tell of a call."""
        events = (
            i
            for k, i in self.house.table.items.items()
            if k.pk == self.house.keys.pause(pause) and i["kind"] == "EVENT"
        )
        return {one["name"] for one in events if number in one.get("calls", [one.get("call")])}

    def _way_back(self) -> None:
        """What was is deployed again, and an operator does what the list says, until everything has ended."""
        self._deploy_back()
        for _ in range(3):
            for pause in sorted(self.house.listed()):
                self.house.operator(pause)
            self._rounds()
            if not self.house.listed():
                break
        for cell in self.cells:
            head = self.house.head(cell.pause)
            if not _has_ended(head):
                cell.unlisted.append(f"was repaired, and is {head.stuck or head.state.value}")
            self._judge_call_after(cell, head)
        twice = {call for process in self.house.processes.values() for call in doubled(process.ledger)}
        for cell in self.cells:
            cell.lost += [f"{call} was executed twice" for call in twice if call.startswith(cell.pause)]

    def _judge_call_after(self, cell: Cell, head: Head) -> None:
        for call in head.calls:
            self._judge_call(cell, head, call, listed=False)


def _reached(known: dict, head: Head, call: HeadCall) -> tuple:
    return known[call.action_class].levels[: head.level + 1]


def _has_ended(head: Head) -> bool:
    out = any(call.permit in (PermitState.CLAIMED, PermitState.UNKNOWN) for call in head.calls)
    return head.state is PauseState.ENDED and not out and not head.stuck
