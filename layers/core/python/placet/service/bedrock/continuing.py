"""After a turn of Bedrock: the agent asked for calls, which become a pause, or it said its last word.

What it asked for is stored before anything else, then the run waits for the pause, then the pause is captured: whoever comes
after a crash in between captures it from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from placet.frameworks.bedrock.reading import read
from placet.frameworks.bedrock.ways import Way
from placet.model.canonical import exact_text
from placet.model.errors import Conflict, Damaged, Invalid, Lost, NotFound, PlacetError, TooLarge, Unreadable
from placet.model.pauses import Agent, Capture, Evidence, Number, call_id
from placet.model.states import CallState, PermitState
from placet.records.bodies import evidence_content
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.records.runs import Run, RunState, put_control, read_control
from placet.service.bedrock.deployed import as_deployed
from placet.service.bedrock.executing import report
from placet.service.bedrock.ledger import LONGEST_CHAIN, Opened, approved_before, opened, outcomes, repeated
from placet.service.bedrock.told import asked_by_user, not_seen, with_results
from placet.service.bedrock.turns import TURN_MS, end
from placet.service.capture import capture
from placet.service.execute import claim
from placet.service.judging import Precedent
from placet.service.loading import fetched, head_of, store
from placet.service.ports import Ports, Turn, wired

MOST_SAYS = 20_000
NOT_TAKEN = (Invalid, TooLarge)  # a control of which no pause can be made
GONE = (Damaged, Lost)  # one that is not what was stored; what another release wrote waits for that release
NOT_READ = "What you asked for last could not be put before a person, and nothing of it was run."
USED_BEFORE = "The invocationId was used before in this session; every request needs one of its own."
LONGEST_WHY = 500  # characters


@dataclass(frozen=True)
class About:
    """What the caller says of a run; everything in it is his word."""

    entity: str = ""
    requester: str = ""
    evidence: tuple[Evidence, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    wait_at_most_s: int | None = None
    confidence: Number | None = None
    numbers: dict[str, Number] = field(default_factory=dict)
    before: str | None = None


def go_on(
    ports: Ports, agent: Agent, run: Run, turn: Turn, *, parent: Opened, ways: Mapping[int, Way], fence: int
) -> str:
    """Record what the turn after an answer came to; the pause that it led to, empty when there is none."""
    if turn.control is None:
        finish(ports, run, turn.text)
        return ""
    body = parent.body
    ended = outcomes(ports, parent).items()
    results = [
        one for number, one in ended if ways.get(number) is Way.EXECUTE
    ]  # what Bedrock ran it told its agent itself
    about = About(
        entity=body.entity,
        requester=parent.head.requester,
        evidence=with_results(body.evidence, results),
        facts=body.facts,
        before=body.calls[-1].tool,
    )
    asked = _asked(ports, agent, run, turn, about, parent.head.pause, ways)
    try:
        child = _wait_for(ports, agent, run, asked, fence)
        return child.pause if child else ""
    except NOT_TAKEN as error:
        refuse(ports, run, error)
        return ""


def first_pause(ports: Ports, agent: Agent, run: Run, turn: Turn, text: str, about: About) -> Head | None:
    """Capture the calls that a caller's turn led to; None when the turn was overtaken. Raises NOT_TAKEN."""
    first = "" if run.turn == 1 else None  # what an agent calls without a control, nobody here knows
    about = replace(about, evidence=(asked_by_user(text), not_seen(), *about.evidence), before=first)
    return _wait_for(ports, agent, run, _asked(ports, agent, run, turn, about, "", {}), fence=0)


def recover(ports: Ports, agent: Agent, run: Run, fence: int = 0) -> bool:
    """Finish the capture of what a run waits for, after a crash that came between; what is done already is left as it is.

    Returns:
        False when an answer led to it: then whoever resumes that pause, and has a fence, finishes it.
    """
    item = ports.table.get(ports.keys.control(agent.name, run.run, run.turn))
    if run.state is not RunState.WAITING or item is None:
        return True
    try:
        asked = read_control(item, fetched(ports, item))
        if asked["native"]["parent"] and not fence:
            return False
        _open(ports, agent, run, asked, fence)
    except (*NOT_TAKEN, *GONE) as error:
        refuse(ports, run, error)
    return True


def is_captured(ports: Ports, pause: str) -> bool:
    """Whether a pause is there; one that cannot be read is."""
    try:
        head_of(ports, pause)
    except Unreadable:
        return True
    except NotFound:
        return False
    return True


def finish(ports: Ports, run: Run, text: str) -> None:
    """The agent's last word."""
    now = ports.clock.now_ms()
    end(ports, run, completion=text, state=RunState.FINISHED, pause="", posts=0, last_ms=now, code="")


def refuse(ports: Ports, run: Run, error: PlacetError) -> None:
    """A control that nothing can be made of, or that is not what was stored: nobody is asked, nothing runs, and its session is not
    used again. Who follows the run reads why, and so does the agent, at its next turn.
    """
    why = error.detail[:LONGEST_WHY]
    end(
        ports,
        run,
        state=RunState.FAILED,
        pause="",
        posts=0,
        last_ms=ports.clock.now_ms(),
        code=error.code,
        why=why,
        tell=f"{run.tell} {NOT_READ} {why}".strip(),
        broken=True,
    )
    field = {name: value for name, value in error.members.items() if name == "field"}
    ports.log("failed", {"agent": run.agent, "code": error.code, **field})


def _asked(
    ports: Ports, agent: Agent, run: Run, turn: Turn, about: About, parent: str, ways: Mapping[int, Way]
) -> dict[str, Any]:
    """A control with everything that capturing and answering it needs, also after the registry has changed."""
    native: dict[str, Any] = {
        "session": run.session,
        "return_control": turn.control,
        "parent": parent,
        "turn": run.turn,
    }
    native |= as_deployed(ports, agent)
    if agent.bedrock is not None and agent.bedrock.idempotent:
        native["takes_key"] = True
    told = asdict(about) | {"evidence": [evidence_content(one) for one in about.evidence]}
    ways_told = {str(number): way.value for number, way in ways.items()}
    return {"native": native, "says": turn.text[:MOST_SAYS], "about": told, "ways": ways_told}


def _wait_for(ports: Ports, agent: Agent, run: Run, asked: dict[str, Any], fence: int) -> Head | None:
    """Store what was asked, let the run wait for its pause, capture it; None when another turn has overtaken this one.

    The run waits before the pause exists: so a pause that exists already is of an earlier request under the same invocation id,
    and a pause of a run that waits for something else was answered, whatever crashed then.
    """
    proposed = read(run.run, asked["native"])
    if run.chain >= LONGEST_CHAIN:
        raise Invalid("chain_too_long", f"The agent paused {LONGEST_CHAIN} times after one text.")
    now = ports.clock.now_ms()
    store(ports, put_control(ports.keys, run, asked, now))
    pause = wired(ports.ids).pause_id(agent.name, run.run, proposed.natural_key)
    if is_captured(ports, pause):  # it would wait for a pause that was answered, or another's calls
        raise Invalid("native_invalid", USED_BEFORE, field="invocationId")
    if not end(
        ports,
        run,
        state=RunState.WAITING,
        pause=pause,
        chain=run.chain + 1,
        posts=0,
        last_ms=now,
        code="",
        broken=False,
    ):
        return None
    return _open(ports, agent, run, asked, fence)


def _open(ports: Ports, agent: Agent, run: Run, asked: dict[str, Any], fence: int) -> Head:
    """Capture a stored control. Doing it twice is doing it once."""
    native, about = asked["native"], asked["about"]
    proposed = read(run.run, native)
    pause = wired(ports.ids).pause_id(agent.name, run.run, proposed.natural_key)
    precedents: dict[int, Precedent] = {}
    used: dict[int, HeadCall] = {}
    if native["parent"]:
        parent = opened(ports, native["parent"])
        ways = {int(number): Way(way) for number, way in asked["ways"].items()}
        precedents = {
            n: Precedent(CallState.REPEATED, call) for n, call in repeated(ports, parent, proposed, ways).items()
        }
        used = _use_approvals(ports, agent, parent, approved_before(parent, proposed, ways), pause, fence)
    precedents |= {
        n: Precedent(CallState.PASSED, call_id(native["parent"], before.number)) for n, before in used.items()
    }
    captured = Capture(
        agent=agent.name,
        framework="bedrock",
        run=run.run,
        native=proposed,
        native_text=exact_text(native),
        entity=about["entity"],
        requester=about["requester"],
        evidence=tuple(Evidence(**one) for one in about["evidence"]),
        says=asked["says"],
        facts=about["facts"],
        wait_at_most_s=about["wait_at_most_s"],
        confidence=about.get("confidence"),
        numbers=about.get("numbers", {}),
        before=about.get("before"),
        by="invoke_agent",
    )
    head = capture(ports, agent, captured, precedents).head
    for number, before in used.items():
        at = call_id(pause, number)
        report(ports, agent, native["parent"], before.number, at, PermitState.DONE, f"Passed on to {at}.")
    return head


def _use_approvals(
    ports: Ports, agent: Agent, parent: Opened, approved: Mapping[int, HeadCall], child: str, fence: int
) -> dict[int, HeadCall]:
    """Spend each approval on the call that it asked for, before that call exists: it passes once, and nothing else ever will."""
    used: dict[int, HeadCall] = {}
    for number, before in approved.items():
        try:
            at, worker = call_id(parent.head.pause, before.number), call_id(child, number)
            claim(ports, agent, at, before.digest, worker, fence, works_ms=TURN_MS)
        except Conflict:
            continue  # used, stale or forbidden: then a person looks at the new call
        used[number] = before
    return used
