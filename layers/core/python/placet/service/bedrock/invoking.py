"""invoke_agent: a caller's turn. The agent answers, or it proposes calls and the run waits; the caller never waits for a person."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field, replace

from placet.model.errors import Busy, Conflict, Invalid, NotFound
from placet.model.pauses import Agent
from placet.model.states import ResumeState
from placet.records.runs import Run, RunState
from placet.service.bedrock.continuing import NOT_TAKEN, About, finish, first_pause, is_captured, recover, refuse
from placet.service.bedrock.following import Following, follow
from placet.service.bedrock.turns import begin, end, next_session, run_of
from placet.service.loading import head_of, not_frozen
from placet.service.ports import Ports, Turn, TurnFailed, wired

# Bedrock takes 100 characters; the rest, and what ends like it, names sessions that are opened anew.
RUN = re.compile(r"(?!.*-r[0-9]+\Z)[0-9a-zA-Z._:-]{2,90}\Z", re.ASCII)
MOST_TEXT = 25_000


@dataclass(frozen=True)
class Invocation:
    """What a caller sends.

    Attributes:
        run: his name of the conversation, Bedrock's first session id.
        key: his name of this turn; the same again is not sent again.
    """

    run: str
    text: str
    key: str = ""
    about: About = field(default_factory=About)


def invoke(ports: Ports, agent: Agent, asked: Invocation) -> Following:
    """Send one turn and say where the run stands after it.

    Raises:
        Invalid: `not_bedrock`, `run_invalid`, `text_invalid`.
        Conflict: `run_waits` for a person or for its answer (`pause` names it), `run_busy`.
            `bedrock_refused`, with Bedrock's own code in `bedrock`: nothing was taken in.
        Busy: Bedrock is throttled, nothing was sent.
        Frozen: an operator holds everything.
    """
    _check(agent, asked)
    not_frozen(ports)
    stored = run_of(ports, agent, asked.run)
    if stored is not None and stored.state is RunState.WAITING and not is_captured(ports, stored.pause):
        _finish_capture(ports, agent, stored)
        stored = run_of(ports, agent, asked.run)  # it may have come to nothing, which its next turn has to tell
    if stored is not None and asked.key and asked.key == stored.key:
        return follow(ports, agent, asked.run)
    seen = stored if stored is not None else Run(agent.name, asked.run, session=asked.run)
    run = _ready(ports, seen)
    asks = replace(run, state=RunState.RUNNING, pause="", posts=0, chain=0, key=asked.key)
    begun = begin(ports, agent, asks, seen.state)
    turn = _turn(ports, agent, begun, asked.text)
    if turn is not None:
        _record(ports, agent, replace(begun, tell=""), turn, asked)
    return follow(ports, agent, asked.run)


def _check(agent: Agent, asked: Invocation) -> None:
    if agent.bedrock is None:
        raise Invalid("not_bedrock", f"The agent {agent.name} is no agent of Bedrock; it invokes itself.")
    if not RUN.match(asked.run):
        raise Invalid("run_invalid", "A run is named by 2 to 90 of 0-9, a-z, A-Z and ._:-, and does not end in -r1.")
    if not asked.text.strip() or len(asked.text) > MOST_TEXT:
        raise Invalid("text_invalid", f"A text has 1 to {MOST_TEXT} characters.", limit=MOST_TEXT)


def _finish_capture(ports: Ports, agent: Agent, run: Run) -> None:
    """The function of an earlier turn may have ended before its pause was captured. Raises Conflict when another finishes it."""
    if not recover(ports, agent, run):
        raise Conflict("run_busy", "The agent was answered and asks again. Ask for the run, and try again.")


def _ready(ports: Ports, run: Run) -> Run:
    """The run as its next turn finds it. Raises Conflict while it waits, or while another turn is out."""
    if run.state in (RunState.WAITING, RunState.ANSWERING):
        if _waits(ports, run.pause):
            raise Conflict("run_waits", "The run waits for the decisions on its last calls.", pause=run.pause)
        return next_session(run)  # its pause was withdrawn, so Bedrock still waits for an answer that nobody gives
    if run.state is RunState.RUNNING:
        if ports.clock.now_ms() < run.until_ms:
            raise Conflict("run_busy", "Another turn of this run is out. Ask for the run, and try again.")
        return next_session(run)  # the turn never came back: its session may wait for an answer
    return next_session(run) if run.broken else run


def _waits(ports: Ports, pause: str) -> bool:
    try:
        return head_of(ports, pause).resume_state is not ResumeState.DONE
    except NotFound:
        return False  # the function ended between the control and the pause: nobody was asked


def _turn(ports: Ports, agent: Agent, run: Run, text: str) -> Turn | None:
    """What the turn came to; None when nobody knows. Raises Busy and Conflict when nothing was taken in."""
    prompt = {"promptSessionAttributes": {"placet_outcome": run.tell}} if run.tell else {}
    port = wired(ports.runtime)
    try:
        return port.turn(agent, run.session, text, prompt, port.definition(agent))
    except TurnFailed as failed:
        ports.log("turn_failed", {"agent": agent.name, "code": failed.code, "nothing_done": failed.nothing_done})
        now = ports.clock.now_ms()
        if not failed.nothing_done:
            end(ports, run, state=RunState.INCONCLUSIVE, code=failed.code, last_ms=now, broken=True)
            return None
        end(ports, run, state=RunState.FAILED, code=failed.code, key="")
        if failed.passing:
            raise Busy("Bedrock cannot take the turn now; nothing was sent.") from None
        raise Conflict("bedrock_refused", f"Bedrock refused the turn: {failed.code}.", bedrock=failed.code) from None


def _record(ports: Ports, agent: Agent, run: Run, turn: Turn, asked: Invocation) -> None:
    if turn.control is None:
        finish(ports, run, turn.text)
        return
    try:
        head = first_pause(ports, agent, run, turn, asked.text, asked.about)
    except NOT_TAKEN as error:
        refuse(ports, run, error)
        return
    if head is not None and head.open_calls == 0:  # every call passed: the answer need not wait for anybody
        with contextlib.suppress(Busy):  # then the sweep asks again
            wired(ports.verbs).ask("resume", {"tenant": ports.keys.tenant, "pause": head.pause, "gen": 1})
