"""After a turn of Bedrock: the agent asked for calls, which become a pause, or it said its last word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from placet.adapters.bedrock import read
from placet.adapters.bedrock.ways import Way
from placet.model.canonical import exact_text
from placet.model.errors import Conflict, Invalid
from placet.model.pauses import Agent, Capture, Evidence, NativePause, call_id
from placet.model.states import CallState, PermitState
from placet.records.heads import HeadCall
from placet.records.runs import Run, RunState
from placet.service.bedrock.executing import report
from placet.service.bedrock.ledger import Opened, approved_before, repeated
from placet.service.bedrock.turns import end
from placet.service.capture import NOTHING_SETTLED, Settled, capture
from placet.service.execute import claim
from placet.service.ports import Ports, Turn, wired

MOST_SAYS = 20_000
LONGEST_CHAIN = 50  # of pauses after one text; an agent that proposes on and on is stopped


@dataclass(frozen=True)
class About:
    """What the caller says of a run; everything in it is his word."""

    entity: str = ""
    requester: str = ""
    evidence: tuple[Evidence, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    wait_at_most_s: int | None = None


def go_on(
    ports: Ports, agent: Agent, run: Run, turn: Turn, *, parent: Opened, ways: Mapping[int, Way], fence: int
) -> str:
    """Record what the turn after an answer came to; the pause that it led to, empty when there is none."""
    if turn.control is None:
        finish(ports, run, turn.text)
        return ""
    try:
        shape = native(ports, agent, run, turn.control, parent.head.pause)
        proposed = read(run.run, shape)
    except Invalid as error:
        refuse(ports, run, error)
        return ""
    child = _wait_for(ports, agent, run, proposed)
    if not child:
        return ""
    settled = {n: Settled(CallState.REPEATED, call) for n, call in repeated(ports, parent, proposed, ways).items()}
    used = _use_approvals(ports, agent, parent, approved_before(parent, proposed, ways), child, fence)
    settled |= {n: Settled(CallState.PASSED, call_id(parent.head.pause, before.number)) for n, before in used.items()}
    body = parent.body
    about = About(body.entity, parent.head.requester, body.evidence, body.facts)
    _capture(ports, agent, run, (proposed, shape), turn, about, settled)
    for number, before in used.items():
        worker = call_id(child, number)
        report(ports, agent, parent.head.pause, before.number, worker, PermitState.DONE, f"Passed on to {worker}.")
    return child


def first_pause(ports: Ports, agent: Agent, run: Run, turn: Turn, text: str, about: About) -> str:
    """Capture the calls that a caller's turn led to; empty when the turn was overtaken. Raises Invalid `native_invalid`."""
    shape = native(ports, agent, run, turn.control or {}, "")
    proposed = read(run.run, shape)
    pause = _wait_for(ports, agent, run, proposed)
    if pause:
        asked = Evidence("What the user asked", "invoke", trusted=False, text=text[:MOST_SAYS])
        said = About(about.entity, about.requester, (asked, *about.evidence), about.facts, about.wait_at_most_s)
        _capture(ports, agent, run, (proposed, shape), turn, said, NOTHING_SETTLED)
    return pause


def finish(ports: Ports, run: Run, text: str) -> None:
    """The agent's last word."""
    now = ports.clock.now_ms()
    end(ports, run, completion=text, state=RunState.FINISHED, pause="", posts=0, last_ms=now, code="")


def refuse(ports: Ports, run: Run, error: Invalid) -> None:
    """A control that this release does not understand: nobody is asked, nothing runs, and its session is not used again."""
    now = ports.clock.now_ms()
    end(ports, run, state=RunState.FAILED, pause="", posts=0, last_ms=now, code=error.code, broken=True)
    ports.log("failed", {"agent": run.agent, "code": error.code})


def native(ports: Ports, agent: Agent, run: Run, control: dict[str, Any], parent: str) -> dict[str, Any]:
    """A control with everything that answering it needs, also after the registry has changed."""
    found: dict[str, Any] = {"session": run.session, "return_control": control, "parent": parent}
    if agent.bedrock is not None and agent.bedrock.idempotent:
        found["takes_key"] = True
    definition = wired(ports.runtime).definition(agent)
    return found | ({"definition": definition} if definition else {})


def _wait_for(ports: Ports, agent: Agent, run: Run, proposed: NativePause) -> str:
    """The run waits for this pause from now on; empty when another turn has overtaken this one.

    Before the pause exists: so a pause of a run that waits for something else was answered, whatever crashed afterwards.
    """
    if run.chain >= LONGEST_CHAIN:
        refuse(ports, run, Invalid("chain_too_long", f"The agent paused {LONGEST_CHAIN} times after one text."))
        return ""
    pause = wired(ports.ids).pause_id(agent.name, run.run, proposed.natural_key)
    now = ports.clock.now_ms()
    written = end(ports, run, state=RunState.WAITING, pause=pause, chain=run.chain + 1, posts=0, last_ms=now, code="")
    return pause if written else ""


def _capture(
    ports: Ports,
    agent: Agent,
    run: Run,
    paused: tuple[NativePause, dict[str, Any]],
    turn: Turn,
    about: About,
    settled: Mapping[int, Settled],
) -> None:
    proposed, shape = paused
    captured = Capture(
        agent=agent.name,
        framework="bedrock",
        run=run.run,
        native=proposed,
        native_text=exact_text(shape),
        entity=about.entity,
        requester=about.requester,
        evidence=about.evidence,
        says=turn.text[:MOST_SAYS],
        facts=about.facts,
        wait_at_most_s=about.wait_at_most_s,
    )
    capture(ports, agent, captured, settled)


def _use_approvals(
    ports: Ports, agent: Agent, parent: Opened, approved: Mapping[int, HeadCall], child: str, fence: int
) -> dict[int, HeadCall]:
    """Spend each approval on the call that it asked for, before that call exists: it passes once, and nothing else ever will."""
    used: dict[int, HeadCall] = {}
    for number, before in approved.items():
        try:
            claim(ports, agent, call_id(parent.head.pause, before.number), before.digest, call_id(child, number), fence)
        except Conflict:
            continue  # used, stale or forbidden: then a person looks at the new call
        used[number] = before
    return used
