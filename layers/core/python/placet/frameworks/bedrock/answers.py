"""What a Bedrock agent is told: the results that answer a control, or the facts for a new session when the old one is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from placet.frameworks.bedrock.reading import CONFIRMATION, RESULT, Asked, asked_in
from placet.frameworks.bedrock.ways import Way, mixed
from placet.model.canonical import exact_text
from placet.model.characters import unbroken
from placet.model.events import BY_RULE
from placet.model.states import CallState, PermitState

# Characters of anything that is only told: Bedrock takes 25 KB from an action, and says nothing of results.
MOST_TEXT = 4_096
NOT_RUN = {
    CallState.REJECTED: "A reviewer rejected this call. It was not run.",
    CallState.EXPIRED: "Nobody decided about this call in time. It was not run; no person said no.",
    CallState.DENIED: "The policy forbids this call. It was not run, and asking again will not help.",
    CallState.REPEATED: "This call was proposed and settled before. It was not run again.",
}
WITHDRAWN = "This call was withdrawn before anybody decided. It was not run."
TOO_MANY_OPEN = (
    "Too many calls of this agent wait for people now, so nobody was asked about this one. It was not run; no person said no. "
    "Tell the user to ask again later."
)
DO_NOT_REPEAT = "Do not call it again."
EDIT_IS_AN_INSTRUCTION = (
    "Bedrock runs this call itself, so an edit is sent back to the agent as an instruction; "
    "the same call, proposed with your arguments, then passes without asking you again."
)


@dataclass(frozen=True)
class Outcome:
    """How one call ended.

    Attributes:
        proposed: the exact text of the arguments as the agent proposed them; decided: as they were decided.
        reason: why a reviewer rejected it. by_rule: nobody decided, and the rule of its class rejected it then.
        crowded: it was denied because as many calls of the agent waited as may; asking again later may help.
        result: what the executor returned, or of a repeated call what its first proposal came to.
    """

    number: int
    tool: str
    state: CallState
    permit: PermitState
    proposed: str
    decided: str
    reason: str
    result: str
    by_rule: bool = False
    crowded: bool = False


def results(asked: Sequence[Asked], ways: Mapping[int, Way], outcomes: Mapping[int, Outcome]) -> list[dict[str, Any]]:
    """`returnControlInvocationResults` in the order of the control, each echoing what it answers."""
    return [_result(one, asked, ways, outcomes[one.number]) for one in asked]


def told(way: Way, outcome: Outcome) -> dict[str, Any]:
    """What the agent's model reads about one call. It names its own arguments, for a result carries no id."""
    base = {"call": outcome.tool, "arguments": outcome.decided[:MOST_TEXT]}
    if way is Way.INSTRUCT:
        base["arguments"] = outcome.decided  # these it has to repeat, to the letter
        note = (
            "A reviewer changed the arguments. It was not run. Call it again now with exactly these arguments; "
            "that call will pass without being asked for again."
        )
        return {**base, "status": "changed", "note": note}
    if way is Way.REFUSE:
        note = f"{_why_not(outcome)} {DO_NOT_REPEAT}"
        facts = {"reason": outcome.reason} if outcome.reason else {}
        if outcome.result:
            facts["result"] = outcome.result
        return {**base, "status": outcome.state.value, "note": note, **facts}
    if way is Way.CONFIRM and outcome.permit is not PermitState.DONE:
        return {**base, "status": "confirmed", "note": "It was approved as proposed, and runs now."}
    status = "done" if outcome.permit is PermitState.DONE else "failed"
    note = (
        f"It was run once. {DO_NOT_REPEAT}" if status == "done" else "It was tried once and failed. It had no effect."
    )
    if outcome.state is CallState.EDITED:
        note = f"A reviewer changed the arguments before it ran. {note}"
    return {**base, "status": status, "note": note, "result": outcome.result}


def facts(outcomes: Sequence[Outcome]) -> str:
    """Plain words for the first turn of a new session: what was proposed before, and what became of it."""
    lines = [
        "Before this message, in an earlier session of this conversation, you proposed calls that a gateway held for review."
    ]
    for one in outcomes:
        way = Way.EXECUTE if one.permit in (PermitState.DONE, PermitState.FAILED) else Way.REFUSE
        said = told(way, one)
        lines.append(f"- {one.tool} with {one.proposed}: {said['note']}")
        if one.state is CallState.EDITED:
            lines.append(f"  The arguments that were decided: {one.decided}")
        lines += [f"  {name.title()}: {said[name][:MOST_TEXT]}" for name in ("reason", "result") if said.get(name)]
    lines.append(
        "All of this is settled. Do not propose any of these calls again. Go on from here and tell the user what happened."
    )
    return "\n".join(lines)


def one_line(outcomes: Sequence[Outcome], ways: Mapping[int, Way]) -> str:
    """The same in one line, for `promptSessionAttributes`: Bedrock may drop the body of a DENY."""
    said = (told(ways[one.number], one) | {"tool": one.tool} for one in outcomes)
    return unbroken(" ".join(f"{one['tool']}: {one['note']} {one.get('reason', '')}" for one in said))[:MOST_TEXT]


def _why_not(outcome: Outcome) -> str:
    if outcome.crowded:
        return TOO_MANY_OPEN
    return BY_RULE if outcome.by_rule else NOT_RUN.get(outcome.state, WITHDRAWN)


def _result(one: Asked, asked: Sequence[Asked], ways: Mapping[int, Way], outcome: Outcome) -> dict[str, Any]:
    way = ways[one.number]
    state = _confirmation(one, asked, ways)
    body = {} if way is Way.CONFIRM else {"body": exact_text(told(way, outcome))}
    echoed: dict[str, Any] = {"actionGroup": one.action_group}
    if one.agent_id:
        echoed["agentId"] = one.agent_id
    if state:
        echoed["confirmationState"] = state
    if one.function:
        answer = {**echoed, "function": one.function, **({"responseBody": {"TEXT": body}} if body else {})}
        return {"functionResult": answer}
    answer = {**echoed, "httpMethod": one.method, "apiPath": one.path}
    if body:
        answer |= {"responseBody": {"TEXT": body}, "httpStatusCode": _http_status(way, outcome)}
    return {"apiResult": answer}


def _confirmation(one: Asked, asked: Sequence[Asked], ways: Mapping[int, Way]) -> str:
    """CONFIRM or DENY, alike for equal calls; nothing where Bedrock does not ask for it."""
    if one.mode == RESULT:
        return ""
    if one.mode == CONFIRMATION:
        return "CONFIRM" if ways[one.number] is Way.CONFIRM else "DENY"
    if mixed(one, asked, lambda other: ways[other.number] is Way.EXECUTE):
        return "CONFIRM"  # the bodies tell them apart; nothing but the executor has run any of them
    return "CONFIRM" if ways[one.number] is Way.EXECUTE else "DENY"


def _http_status(way: Way, outcome: Outcome) -> int:
    if way is Way.EXECUTE:
        return 200 if outcome.permit is PermitState.DONE else 500
    return 409 if way is Way.INSTRUCT else 403


def answer(state: CallState, tool: str, arguments: dict[str, Any], reason: str) -> dict[str, Any]:
    """The decision on one call as Bedrock words it; a whole control is answered by `answers.results`."""
    if state.may_run:
        return {"confirmationState": "CONFIRM"}
    return {"confirmationState": "DENY", "body": reason or NOT_RUN.get(state, WITHDRAWN)}


def notes(native: dict[str, Any], number: int) -> tuple[str, ...]:
    """What a reviewer has to know about how this call will be answered."""
    asked = asked_in(native["return_control"])
    one = asked[number - 1]
    found = []
    if (equal := sum(other.group == one.group for other in asked)) > 1:
        found.append(_alike(one, equal))
    elif one.mode == CONFIRMATION:
        found.append(EDIT_IS_AN_INSTRUCTION)
    if one.decoded.absent:
        names = ", ".join(one.decoded.absent)
        found.append(f"Named without a value, so not given: {names}.")
    if one.collaborator:
        found.append(f"Proposed by the collaborator {one.collaborator}.")
    return tuple(found)


def _alike(one: Asked, equal: int) -> str:
    text = f"Bedrock cannot tell {equal} calls of {one.tool} in one request apart. "
    if one.mode == RESULT:
        return text + "Each answer therefore names its own arguments."
    return (
        text
        + "If they are not all accepted as proposed, Placet runs the approved ones itself and says so in each answer."
    )
