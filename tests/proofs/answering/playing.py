"""A cell from the caller's text to the end of the run, with everybody who has a part in it: reviewer, machine, sweep, operator."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from dataclasses import dataclass, field

from local.bedrock import Mode
from placet.model.errors import Busy
from placet.model.states import PermitState, ResumeState
from placet.records.heads import Head
from placet.service import operate
from placet.service.sweep import sweep
from tests.bedrock.desk import ONE, Desk
from tests.proofs.answering.cells import EDITED, ORDER, PROPOSED, Cell, Wrong
from tests.proofs.answering.proposing import hand_in, unproposed

ROUNDS = 40
REFUSED = 422
THROTTLED = 2  # how often in a row


@dataclass
class Played:
    """What came of it.

    Attributes:
        effects: how often each refund was paid.
        asked: decisions that people took; found_out: unknown outcomes that an operator settled.
        fired: whether the fault happened.
        open: pauses that did not end, and controls that the run's session still waits to be answered.
        status, said: what the caller sees at the end.
        taken: the status with which a control was taken that nobody proposed, 0 when it was refused or none was tried.
        unproposed: effects of what the runtime did not propose.
    """

    cell: Cell
    effects: Counter[tuple[str, int]] = field(default_factory=Counter)
    asked: int = 0
    found_out: int = 0
    fired: bool = False
    open: int = 0
    status: str = ""
    said: str = ""
    taken: int = 0
    unproposed: list[str] = field(default_factory=list)

    @property
    def twice(self) -> int:
        """Refunds that were paid again."""
        return sum(count - 1 for count in self.effects.values())

    @property
    def lost(self) -> str:
        """What is missing of what was decided, or there against it; empty when all is as decided."""
        wanted = {"accept": (ORDER, PROPOSED), "edit": (ORDER, EDITED)}.get(self.cell.decision)
        if self.asked > 1 and (self.cell.mode, self.cell.decision, self.cell.agent) == (
            Mode.CONFIRM,
            "edit",
            "complies",
        ):
            return "a person was asked again for what was approved"
        foreign = [what for what in self.effects if what != wanted]
        if foreign:
            return f"paid {foreign}"
        if wanted and not self.effects and not self.found_out and not self._only_instructed:
            return "what was approved did not run, and nobody was told"
        if self.status != "finished":
            return f"the run is {self.status}"
        return "" if self.said else "the run is finished and the agent said nothing"

    @property
    def _only_instructed(self) -> bool:
        """Bedrock runs the call itself, so the edit went back as an instruction, which a stubborn agent does not follow."""
        return (self.cell.mode, self.cell.decision, self.cell.agent) == (Mode.CONFIRM, "edit", "stubborn")


def play(cell: Cell) -> Played:
    """Play one cell to its end."""
    played = Played(cell)
    with cell.desk() as made:
        if cell.decision == "expire":
            made.with_policy(deadline_s=60)  # within the session's time
        made.asks(ONE)
        status = hand_in(made)
        played.taken = 0 if status == REFUSED else status
        if cell.wrong is Wrong.LATE:
            made.late()
        if cell.fault is not None:
            made.runtime.faults.arm(cell.fault, "answer")
        made.executors.throttled = THROTTLED * (cell.wrong is Wrong.NOT_STARTED)
        finish(made, played)
    return played


def finish(made: Desk, played: Played) -> None:
    """Go on until every pause has ended, and count."""
    for _ in range(ROUNDS):
        waiting = [head for head in made.heads() if head.resume_state is not ResumeState.DONE]
        if not waiting:
            break
        for head in waiting:
            _step(made, played, head)
    played.effects.update(made.paid())
    played.unproposed = unproposed(made, edited=played.cell.decision == "edit")
    played.fired = _fired(made, played.cell)
    found = made.status()
    played.status, played.said = found.status, found.completion
    unheard = [one for session, one in made.runtime.unanswered() if session == made.session]
    played.open = len(unheard) + sum(head.resume_state is not ResumeState.DONE for head in made.heads())


def _fired(made: Desk, cell: Cell) -> bool:
    """Whether what was to go wrong went wrong."""
    if cell.fault is not None:
        return made.runtime.faults.fired[cell.fault] > 0
    if cell.wrong is Wrong.NOT_STARTED:  # where nothing was for the executor to run, nothing could be turned away
        return not made.executors.throttled or not made.executors.effects
    answered = list(made.runtime.answers.values())
    if cell.wrong is Wrong.DUPLICATE:
        return any(one.accepted and one.refused for one in answered)
    return cell.wrong is not Wrong.LATE or made.session != made.run


def _step(made: Desk, played: Played, head: Head) -> None:
    """Whatever this pause waits for."""
    if head.open_calls:
        if not head.notified_ms:
            head = made.seen(head.pause)
        as_edited = made.arguments(head, 1)["amountCents"] == EDITED
        made.ends(head, 1, "accept" if as_edited else played.cell.decision)
        played.asked += 1
    elif head.stuck:
        _finds_out(made, played, head)
    elif played.cell.wrong is Wrong.DUPLICATE:
        _two_at_once(made, head)
    else:
        _resumes(made, head)


def _resumes(made: Desk, head: Head) -> None:
    """The machine's last task; what it cannot do now is done again, by it or by the sweep."""
    try:
        if made.resumes(head.pause) in ("leased", "executing"):
            made.clock.move(1_000)
            sweep(made.ports)
    except Busy:
        made.clock.move(5)


def _two_at_once(made: Desk, head: Head) -> None:
    """The machine and the sweep resume at the same moment; no time passes meanwhile."""

    def once() -> None:
        with contextlib.suppress(Busy):
            made.resumes(head.pause)

    both = [threading.Thread(target=once) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    made.clock.move(5)


def _finds_out(made: Desk, played: Played, head: Head) -> None:
    """An operator looks where the money is, and says what he found."""
    for call in head.calls:
        if call.permit is PermitState.UNKNOWN:
            there = ORDER in {order for order, _ in made.paid()}
            state = PermitState.DONE if there else PermitState.FAILED
            operate.reconcile(
                made.ports, "olga", f"{head.pause}-{call.number}", state, "Looked into the shop's ledger."
            )
            played.found_out += 1
    operate.repair(made.ports, "olga", head.pause)
