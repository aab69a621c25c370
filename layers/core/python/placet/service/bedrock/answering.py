"""resume of a Bedrock run: what was approved is run first, then the control is answered, once; or a new session is told.

1. Lease the pause. 2. See by our own clock whether the session that asked still waits, and choose each call's way. 3. Run what the
executor runs, under permits. 4. Write the turn down, and send it in one attempt. 5. Record what came back.
A turn whose response was lost is never sent again: what it did is read from the permits, and a new session is told the facts.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from placet.frameworks.bedrock.answers import facts, one_line, results
from placet.frameworks.bedrock.reading import CONFIRMATION
from placet.frameworks.bedrock.ways import Way
from placet.model.canonical import exact_text
from placet.model.errors import Busy, Conflict, Unavailable
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState, ResumeState
from placet.records.heads import Head
from placet.records.runs import Run, RunState
from placet.records.writes.places import has_unknown
from placet.service.bedrock.continuing import go_on, recover
from placet.service.bedrock.executing import CONFIRMED, NotNow, execute, give_back_held, hold, report, run_held
from placet.service.bedrock.ledger import outcomes
from placet.service.bedrock.looking import Answer, again, look
from placet.service.bedrock.proposed import is_proposed
from placet.service.bedrock.turns import begin, end, is_live, next_session
from placet.service.execute import give_back_permit
from placet.service.leases import give_back, lease
from placet.service.loading import call_of, head_of, not_frozen
from placet.service.ports import Ports, Turn, TurnFailed, wired
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed

LEASE_MS = 620_000  # longer than the function may run
MOST_POSTS = 2  # then a person looks
MOST_ROUNDS = 5  # of calls that all pass, in one go
# After that nothing new is begun: an executor or a turn still has to fit into the function's time.
BUDGET_MS = 200_000
OVER = "The time of this attempt is over; the next one goes on."
DOUBTFUL = frozenset({"validation", "conflict"})  # what a second copy of an answer is told, after the first one acted


def answer(ports: Ports, head: Head, agent: Agent) -> str:
    """Deliver the decisions of a pause to its Bedrock run, and go on while the calls that follow all pass.

    Returns:
        As `resume`; `executing` while another attempt holds a permit, `listed` when an outcome is unknown, or the agent proposed
        no such calls, and a person has to look.

    Raises:
        Busy: it cannot be done now; the lease is given back, call again.
    """
    started = ports.clock.now_ms()
    for _ in range(MOST_ROUNDS):
        result, child = _one(ports, head, agent, started)
        if not child or _late(ports, started):
            return result
        head = head_of(ports, child)
        if head.open_calls or head.resume_state is ResumeState.DONE:
            return result
    return result


def _one(ports: Ports, head: Head, agent: Agent, started: int) -> tuple[str, str]:
    """One pause: the result, and the pause that follows it if its run asked again."""
    if head.stuck:
        return "listed", ""  # until a person has looked
    if not is_proposed(ports, agent, head):
        list_stuck(ports, head, "not_proposed")
        return "listed", ""
    held = lease(ports, head, LEASE_MS)
    if held is None:
        return "leased", ""
    fence = held.fence
    try:
        not_frozen(ports)
        return _settle_and_post(ports, agent, head.pause, fence, started)
    except NotNow as wait:
        give_back(ports, head.pause, fence)
        return wait.result, ""
    except Unavailable as error:
        give_back(ports, head.pause, fence)
        raise Busy(error.detail) from None


def _settle_and_post(ports: Ports, agent: Agent, pause: str, fence: int, started: int) -> tuple[str, str]:
    for _ in range(MOST_POSTS + 1):
        found = look(ports, agent, pause, fence)
        if found.answered:
            recover(ports, agent, found.run, fence)
            return _went_on(ports, found), ""
        if found.run.posts >= MOST_POSTS and not found.run.listed:
            return _give_up(ports, found)
        for number in found.executed:
            _in_time(ports, started)
            execute(ports, agent, pause, number, fence)
        found = again(ports, found)
        if has_unknown(found.pause.head):
            raise NotNow("listed")  # it stands on the stuck list since it was reported
        if found.live and not is_live(ports, agent, found.run, found.pause.session):
            continue  # the session ended while the executor worked
        _in_time(ports, started)
        try:
            turn, sent = _post(ports, found, started)
        except TurnFailed as failed:
            ports.log("turn_failed", {"pause": pause, "code": failed.code, "nothing_done": failed.nothing_done})
            continue
        return _finish(ports, sent, turn)
    raise Busy("Bedrock took none of the answers in.")


def _late(ports: Ports, started: int) -> bool:
    return ports.clock.now_ms() - started > BUDGET_MS


def _in_time(ports: Ports, started: int) -> None:
    if _late(ports, started):
        raise Busy(OVER)


def _give_up(ports: Ports, found: Answer) -> tuple[str, str]:
    """After as many answers as are sent without asking a person lets it be tried once more (`placet repair`).

    Raises NotNow when the pause got on since it was read.
    """
    head = found.pause.head
    if not list_stuck(ports, head, "resume_unknown" if found.run.lost else "resume_failed") and not head.stuck:
        raise NotNow("leased")
    end(
        ports, found.run, listed=True, lost=found.run.lost
    )  # last: it lets the next attempt through, which somebody has to have asked for
    give_back(ports, found.id, found.fence)
    return "listed", ""


def _post(ports: Ports, found: Answer, started: int) -> tuple[Turn, Answer]:
    """Send the answer, in one attempt. Raises TurnFailed once everything that follows from the failure is recorded."""
    sent = _begin(ports, found)
    text, state = _words(ports, sent)
    runtime = wired(ports.runtime)
    try:
        turn = runtime.turn(found.agent, sent.run.session, text, state, runtime.definition(found.agent))
    except TurnFailed as failed:
        _failed(ports, sent, failed, started)
        raise
    return turn, sent


def _begin(ports: Ports, found: Answer) -> Answer:
    """Write the turn down, then spend the permits of what it lets Bedrock run."""
    before = found.run
    run = before if found.live else next_session(before)
    posts = 1 if before.listed else before.posts + 1
    run = replace(run, state=RunState.ANSWERING, pause=found.id, posts=posts, listed=False)
    try:
        begun = begin(ports, found.agent, run, before.state)
    except Conflict:
        raise NotNow("leased") from None
    tried = {call.number: call.claimed_ms for call in found.pause.head.calls}
    try:
        for number in found.held:
            held = hold(ports, found.agent, found.id, number, found.worker, found.fence)
            if held is None:
                raise Busy("A call was settled meanwhile.")
            tried[number] = held.claimed_ms
    except (NotNow, Unavailable):
        for number in found.held:  # nothing is sent; those that this attempt does not hold stay as they are
            give_back_permit(ports, call_id(found.id, number), found.worker, tried[number])
        end(ports, replace(before, turn=begun.turn), lost=before.lost)
        raise
    return replace(found, run=begun)


def _words(ports: Ports, found: Answer) -> tuple[str, dict[str, Any]]:
    """The text and the session state of the answer: results for the session that asked, facts for a new one."""
    ended = outcomes(ports, found.pause, found.denied)
    attributes = {"placet_pause": found.id, "placet_calls": exact_text(_for_actions(found))}
    prompt = {"placet_outcome": one_line(list(ended.values()), found.ways)}
    state: dict[str, Any] = {"sessionAttributes": attributes, "promptSessionAttributes": prompt}
    if not found.live:
        return facts(list(ended.values())), state
    state["invocationId"] = found.pause.body.ref["invocation_id"]
    state["returnControlInvocationResults"] = results(found.pause.asked, found.ways, ended)
    return "", state


def _for_actions(found: Answer) -> list[dict[str, str]]:
    """The calls whose permits an action may claim: those that this answer lets Bedrock run, and no others that were approved.

    An edit that the agent has to propose again is approved too, and its permit is that next call's: an action that runs an equal
    call for another agent of the team would spend it. Nothing is left to claim of what the executor ran, nor in a new session.
    """
    return [
        {"call": call_id(found.id, call.number), "tool": call.tool, "digest": call.digest}
        for call in found.pause.head.calls
        if call.number in found.confirmed
    ]


def _failed(ports: Ports, sent: Answer, failed: TurnFailed, started: int) -> None:
    """When Bedrock took nothing in, what we hold is run by the executor; else nobody knows whether it ran, and a person finds out.

    An invocation id that is refused was perhaps answered before, by a copy of this request: what Bedrock was to run is unknown.

    Raises:
        Busy: nothing was sent and the session still waits, or the response was lost: in both cases another attempt goes on.
    """
    for number in sent.held:
        if failed.nothing_done and failed.code not in DOUBTFUL and _late(ports, started):
            give_back_held(ports, sent.agent, sent.id, call_of(sent.pause.head, number), sent.worker, OVER)
        elif failed.nothing_done and failed.code not in DOUBTFUL:
            with contextlib.suppress(Busy, NotNow):  # not started, or given up: the next round tries it again
                run_held(ports, sent.agent, sent.id, call_of(sent.pause.head, number), sent.worker)
        else:
            report(ports, sent.agent, sent.id, number, sent.worker, PermitState.UNKNOWN, "")
    now = ports.clock.now_ms()
    if failed.passing and not sent.held:
        end(ports, sent.run, state=RunState.WAITING, posts=sent.run.posts - 1, code=failed.code)
        raise Busy("Bedrock is throttled; nothing was sent.")
    end(ports, sent.run, broken=True, lost=not failed.nothing_done, code=failed.code, last_ms=now)
    if not failed.nothing_done:
        raise Busy("The response to the answer was lost.")


def _finish(ports: Ports, sent: Answer, turn: Turn) -> tuple[str, str]:
    """The agent answered: record what Bedrock ran, what it asks next or said, and that the run went on."""
    for number in sent.held:
        report(ports, sent.agent, sent.id, number, sent.worker, PermitState.DONE, turn.text or CONFIRMED)
    _watch_actions(ports, sent)
    child = go_on(
        ports, sent.agent, _with_reasons(ports, sent), turn, parent=sent.pause, ways=sent.ways, fence=sent.fence
    )
    return _went_on(ports, sent), child


def _watch_actions(ports: Ports, sent: Answer) -> None:
    """An action that was to claim its permit and did not has not run, or is not checked: the alarm tells an operator."""
    if sent.confirmed and not sent.held:
        head = head_of(ports, sent.id)
        for call in head.calls:
            if call.number in sent.confirmed and call.permit is PermitState.FREE:
                ports.log("failed", {"pause": sent.id, "call": call.number, "code": "confirmed_not_run"})


def _went_on(ports: Ports, found: Answer) -> str:
    try:
        resumed(ports, found.agent, found.id, found.fence)
    except Conflict:
        return "leased"  # another attempt has the pause by now; it finds the run gone on
    return "delivered"


def _with_reasons(ports: Ports, sent: Answer) -> Run:
    """Bedrock may drop what a DENY says where it does not return results: then the next turn says it again."""
    plain = [one.number for one in sent.pause.asked if one.mode == CONFIRMATION]
    if not sent.live or all(sent.ways[number] is Way.CONFIRM for number in plain):
        return replace(sent.run, tell="")
    return replace(sent.run, tell=one_line(list(outcomes(ports, sent.pause, sent.denied).values()), sent.ways))
