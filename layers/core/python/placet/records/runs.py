"""The record of a Bedrock run: which session it is in, and what the last turn came to.

Bedrock forgets an idle session and begins an empty one under the same name without a word, so what is alive is our own knowledge.
A turn is written down before it is sent: one that has a beginning and no end may have reached Bedrock, and is never sent again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from placet.model.canonical import STORED_BYTES, exact_text
from placet.model.pauses import Evidence
from placet.records.keys import SCHEMA_VERSION, Keys
from placet.records.ops import Item
from placet.records.reading import reads, typed
from placet.records.texts import VERSIONS, Stored, content_of, stored

LONGEST_COMPLETION = 200_000  # characters
MOST_BYTES = STORED_BYTES - 100


class RunState(StrEnum):
    """What the last turn came to.

    RUNNING: a caller's turn is out. WAITING: a pause is open or decided. ANSWERING: the decisions of a pause are out.
    FINISHED: the agent answered with text. FAILED: Bedrock took nothing in. INCONCLUSIVE: nobody knows what the turn did.
    """

    RUNNING = "running"
    WAITING = "waiting"
    ANSWERING = "answering"
    FINISHED = "finished"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Run:
    """One Bedrock run.

    Attributes:
        run: the caller's name of it; session: Bedrock's name of the session that it is in now.
        opened: how many sessions were opened after the first; ttl_s: how long the one that it is in lives without a turn, 0 before
            it has begun.
        broken: the session may hold a control that nobody answers, or is gone: the next turn goes into a new one.
        turn: counts turns, and names the one that may be ended.
        mark: fresh with each turn that begins, so that a write whose answer was lost is known again by its writer.
        until_ms: until when a turn that is out can still come back; last_ms: the session's last activity.
        pause: the one that it waits for, or whose decisions are out.
        posts: how often the decisions of that pause were sent; lost: the response to the last time never came, as is said from the
            moment it begins.
        listed: it was put onto the stuck list for that.
        code: what went wrong, in snake_case; why: the sentence that says what it was, of a control that could not be taken.
        tell: facts for the next turn, because Bedrock may have dropped them.
        key: the caller's own name of its last turn, so that asking twice is asking once.
        completed: the turn whose completion is stored, 0 for none.
        chain: pauses since the caller's last text.
    """

    agent: str
    run: str
    session: str
    opened: int = 0
    broken: bool = False
    turn: int = 0
    state: RunState = RunState.FINISHED
    until_ms: int = 0
    last_ms: int = 0
    pause: str = ""
    posts: int = 0
    lost: bool = False
    listed: bool = False
    code: str = ""
    tell: str = ""
    key: str = ""
    completed: int = 0
    chain: int = 0
    mark: str = ""
    why: str = ""
    ttl_s: int = 0


@dataclass(frozen=True)
class Control:
    """What the agent asked for at the end of a turn, and how the calls of the pause before were answered."""

    native: dict[str, Any]
    says: str
    about: dict[str, Any]
    ways: dict[str, str]


@dataclass(frozen=True)
class Asker:
    """The session that a control came from, and the pause whose answer led to it; empty for a caller's turn."""

    session: str
    parent: str


@dataclass(frozen=True)
class Completion:
    """What the agent said at the end of a turn, and whether it was cut."""

    text: str
    cut: bool


def put_run(keys: Keys, run: Run) -> Item:
    """The item of a run."""
    facts: dict[str, Any] = {**asdict(run), "state": run.state.value}
    return {**keys.session_run(run.agent, run.run)._asdict(), "schema_version": SCHEMA_VERSION, "kind": "RUN", **facts}


@reads("record of this run")
def read_run(item: Item) -> Run:
    """The run in a stored item. Raises Parked, Damaged."""
    facts = {name: item[name] for name in Run.__dataclass_fields__ if name in item}
    return typed(Run(**{**facts, "state": RunState(item["state"])}))


def put_completion(keys: Keys, run: Run, turn: int, text: str, at_ms: int) -> Stored:
    """The item of what the agent said at the end of a turn; an over-long text is cut, and says so."""
    key = keys.completion(run.agent, run.run, turn)
    said = text[:LONGEST_COMPLETION]
    while len(exact_text(said).encode()) > MOST_BYTES:  # a character can take six bytes
        said = said[: len(said) * 3 // 4]
    content = {"text": said, "cut": said != text}
    item = {**key._asdict(), "kind": "COMPLETION", "at_ms": at_ms}
    return stored(item, f"{keys.tenant}/runs/{run.agent}/{run.run}/{turn}", exact_text(content))


def put_control(keys: Keys, run: Run, content: dict[str, Any], at_ms: int) -> Stored:
    """The item of what the agent asked for at the end of a turn, with everything that capturing it needs."""
    item = {**keys.control(run.agent, run.run, run.turn)._asdict(), "kind": "CONTROL", "at_ms": at_ms}
    return stored(item, f"{keys.tenant}/runs/{run.agent}/{run.run}/{run.turn}-control", exact_text(content))


@reads("control of this turn", VERSIONS)
def read_control(item: Item, fetched: str | None) -> dict[str, Any]:
    """What was stored. Raises Parked, Damaged, Lost."""
    found: dict[str, Any] = content_of(item, fetched)
    typed(Control(**found))
    typed(Asker(found["native"]["session"], found["native"]["parent"]))
    for one in found["about"]["evidence"]:
        typed(Evidence(**one))
    return found


@reads("completion of this turn", VERSIONS)
def read_completion(item: Item, fetched: str | None) -> Completion:
    """What the agent said. Raises Parked, Damaged, Lost."""
    return typed(Completion(**content_of(item, fetched)))
