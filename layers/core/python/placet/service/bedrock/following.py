"""Where a run stands, for the one who started it: from the run's own record, else from its pauses."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from placet.model.errors import NotFound, Unreadable
from placet.model.limits import LONGEST_NAME
from placet.model.pauses import Agent
from placet.model.states import PauseState
from placet.records.heads import Head
from placet.records.runs import Completion, Run, RunState
from placet.service.bedrock.turns import completion_of, run_of
from placet.service.loading import head_of
from placet.service.names import name_of_run, newest_first
from placet.service.ports import Ports

MOST_PAUSES = 50


@dataclass(frozen=True)
class Following:
    """Where a run stands.

    Attributes:
        status: `running`, `waiting` (for a person), `resuming`, `stuck`, `finished`, `ended`, `cancelled`, `failed` or
            `inconclusive`; `ended` only of a run that its own process resumes.
        pause: the one that it waits for.
        completion: what the agent said at the end; `cut` when it was too long to keep.
        code: what went wrong; why: what was wrong with a request of the agent that nothing could be made of, for who built it.
        say: a plain sentence for the end user.
        pauses: ids of its latest MOST_PAUSES pauses, oldest first; `more` when it has earlier ones.
    """

    run: str
    agent: str
    status: str
    pause: str = ""
    completion: str = ""
    cut: bool = False
    code: str = ""
    why: str = ""
    say: str = ""
    pauses: tuple[str, ...] = ()
    more: bool = False


SAY = {
    "running": "The agent is working on it.",
    "resuming": "It was decided; the agent goes on.",
    "stuck": "It cannot go on by itself; an operator was told.",
    "finished": "The agent has answered.",
    "cancelled": "It was withdrawn before it went on.",
    "ended": "The run went on in its own process.",
    "failed": "The agent could not take the request.",
    "inconclusive": "Nobody knows what the agent's last turn came to. It is not done; ask again.",
}
NOT_TAKEN = "The agent asked for something that could not be put before a person. Nothing of it was run."
WAITS = "A person has to agree to this first."


def follow(ports: Ports, agent: Agent, run: str, *, with_pauses: bool = False) -> Following:
    """Where a run of this agent stands. Raises NotFound."""
    if not 1 <= len(run) <= LONGEST_NAME:
        raise NotFound
    stored = run_of(ports, agent, run)
    known = _pauses(ports, agent, run) if with_pauses or stored is None else _NONE
    if stored is None:
        return _of_pauses(ports, agent, run, known)
    stored, status, head = _stands(ports, agent, stored)
    done = _said(ports, stored) if status == "finished" else None
    return Following(
        run=run,
        agent=agent.name,
        status=status,
        pause=stored.pause,
        completion=done.text if done else "",
        cut=bool(done and done.cut),
        code=stored.code,
        why=stored.why if status == "failed" else "",
        say=NOT_TAKEN if status == "failed" and stored.why else _say(ports, status, head),
        pauses=known.ids,
        more=known.more,
    )


def _said(ports: Ports, run: Run) -> Completion | None:
    """What the agent said; None when that cannot be read any more, which the run itself survives."""
    try:
        return completion_of(ports, run)
    except Unreadable as error:
        ports.log("unreadable", {"code": error.code, "what": error.what, "pause": ""})
        return None


def _stands(ports: Ports, agent: Agent, run: Run) -> tuple[Run, str, Head | None]:
    """Where a run of Bedrock stands, and its record as it was then.

    Its pause ends after its record has told what the answer came to. So a record that was read before, and still waits for a pause
    that has ended, is read again; one that stays so is of an answer that is out, or that nobody will tell of any more.
    """
    while True:
        status, head = _status(ports, run)
        if status != "ended":
            return run, status, head
        again = run_of(ports, agent, run.run)
        if again is None or again == run:
            return run, "resuming" if ports.clock.now_ms() < run.until_ms else "inconclusive", head
        run = again


def _status(ports: Ports, run: Run) -> tuple[str, Head | None]:
    if run.state is RunState.RUNNING and ports.clock.now_ms() >= run.until_ms:
        return "inconclusive", None
    if run.state not in (RunState.WAITING, RunState.ANSWERING):
        return run.state.value, None
    try:
        head = head_of(ports, run.pause)
    except Unreadable:
        return "stuck", None
    except NotFound:
        return "inconclusive", None  # the function ended between the control and the pause: nobody was asked
    return _of_head(head), head


def _of_head(head: Head) -> str:
    if head.cancelled:
        return "cancelled"
    if head.open_calls:
        return "waiting"
    if head.stuck:
        return "stuck"
    return "ended" if head.state is PauseState.ENDED else "resuming"


@dataclass(frozen=True)
class _Pauses:
    """The latest pauses of a run, oldest first.

    Attributes:
        unread: those that cannot be read and have not ended: the run waits for one of them.
    """

    heads: tuple[Head, ...]
    unread: tuple[str, ...]
    more: bool

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(head.pause for head in self.heads)


_NONE = _Pauses((), (), more=False)


def _of_pauses(ports: Ports, agent: Agent, run: str, known: _Pauses) -> Following:
    """A run of a framework that resumes itself: its last pause says where it stands. Raises NotFound when it has none."""
    if known.unread:
        return Following(run, agent.name, "stuck", known.unread[0], say=SAY["stuck"], pauses=known.ids, more=known.more)
    if not known.heads:
        raise NotFound
    last = known.heads[-1]
    status = _of_head(last)
    pause = "" if status in ("ended", "cancelled") else last.pause
    say = _say(ports, status, last)
    return Following(run, agent.name, status, pause, say=say, pauses=known.ids, more=known.more)


def _pauses(ports: Ports, agent: Agent, run: str) -> _Pauses:
    found = newest_first(ports, name_of_run(ports.keys, agent.name, run))
    page = list(itertools.islice(found, MOST_PAUSES + 1))
    heads = [one.pause for one in reversed(page[:MOST_PAUSES]) if isinstance(one.pause, Head)]
    unread = [one.place.pause for one in page if isinstance(one.pause, Unreadable) and "wpk" in one.item]
    return _Pauses(tuple(heads), tuple(unread), more=len(page) > MOST_PAUSES)


def _say(ports: Ports, status: str, head: Head | None) -> str:
    if status != "waiting" or head is None:
        return SAY.get(status, "")
    known = (ports.policy.classes.get(call.action_class) for call in head.pending)
    return next((one.say for one in known if one is not None), WAITS)
