"""The language of prompts: the scripted agents do what they are told, word by word.

refund ORD-1 100                              one call
refund ORD-1 100 ORD-2 200                    the same action for each group of values, up to five in one control
refund ORD-1 100 and tell kim "It is out"     different actions in one control
refund ORD-1 100 then refund ORD-2 200        one control after the other
bad boolean | integer | number | array        a call with a value of this type that nobody can decode
untyped [type | function | invocation]        a control without that field
ask                                           a question in words, and no pause
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from local.bedrock.agents import Action, Agent
from local.bedrock.proposals import MOST, Control, Proposal

UNDECODABLE = {
    "boolean": "yes",
    "integer": "5e3",
    "number": "five hundred",
    "array": "[{itemName=item1, quantity=2}]",
}
SAMPLES = {"string": "ORD-1", "integer": "100", "number": "1.50", "boolean": "true", "array": "[]"}
LEAVES_OUT = {"type": "actionInvocationType", "function": "function", "invocation": "invocationId"}


INSTRUCTS = re.compile(r"(?<!not )\b(call|propose) (it )?again\b", re.IGNORECASE)
DECODER = json.JSONDecoder(parse_float=Decimal)


class Unclear(Exception):
    """A prompt that is nearly a command; the message is what the agent answers."""


def read(text: str, agent: Agent) -> tuple[Control, ...]:
    """The controls that a prompt asks for, one after the other; none when it is no command. Raises Unclear."""
    try:
        words = shlex.split(text)
    except ValueError:
        return ()
    if not words or not _is_command(words[0], agent):
        return ()
    return tuple(_control(part, agent) for part in _parted(words, "then"))


def _is_command(word: str, agent: Agent) -> bool:
    return word in ("bad", "untyped") or agent.action(word) is not None


def _parted(words: list[str], at: str) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == at:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _control(words: list[str], agent: Agent) -> Control:
    if words[:1] == ["bad"]:
        return Control((_undecodable(words[1:], agent),))
    if words[:1] == ["untyped"]:
        left_out = LEAVES_OUT.get(words[1] if words[1:] else "type")
        if left_out is None:
            raise Unclear(f"A control can lack its {', its '.join(LEAVES_OUT)}.")
        return Control((_sample(_first(agent)),), frozenset({left_out}))
    calls = tuple(call for part in _parted(words, "and") for call in _calls(part, agent))
    return Control(calls[:MOST])


def _calls(words: list[str], agent: Agent) -> Iterator[Proposal]:
    action = agent.action(words[0]) if words else None
    if action is None:
        raise Unclear(f"I do not know how to {' '.join(words[:1]) or 'do nothing'}.")
    values, needed = words[1:], len(action.asked)
    if len(values) < needed or (needed and len(values) % needed):
        raise Unclear(f"To {action.word} I need {', '.join(one.name for one in action.asked) or 'nothing'}.")
    for start in range(0, len(values) or 1, needed or 1):
        yield _filled(action, values[start : start + needed])


def _filled(action: Action, asked: list[str]) -> Proposal:
    given = iter(asked)
    return Proposal(action, tuple(next(given) if one.default is None else one.default for one in action.parameters))


def _sample(action: Action) -> Proposal:
    return _filled(action, [SAMPLES[one.type] for one in action.asked])


def _first(agent: Agent) -> Action:
    if not agent.actions:
        raise Unclear("I can do nothing.")
    return agent.actions[0]


def _undecodable(words: list[str], agent: Agent) -> Proposal:
    kind = words[0] if words else ""
    found = next((one for one in agent.actions if kind in {given.type for given in one.parameters}), None)
    if found is None or kind not in UNDECODABLE:
        raise Unclear(f"Nothing I can do takes a {kind or 'value'}.")
    sample = _sample(found)
    place = [one.type for one in found.parameters].index(kind)
    return Proposal(found, (*sample.values[:place], UNDECODABLE[kind], *sample.values[place + 1 :]))


def instructed(text: str, proposal: Proposal) -> Proposal | None:
    """The call of the same action that a text tells to propose again, with the arguments that stand in it as JSON; None without."""
    if not INSTRUCTS.search(text):
        return None
    names = [one.name for one in proposal.action.parameters]
    found = next((one for one in _objects(text) if one and set(one) <= set(names)), None)
    if found is None:
        return None
    kept = proposal.named
    return Proposal(proposal.action, tuple(_text(found[name]) if name in found else kept[name] for name in names))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every JSON object in a value or a text, outer ones first, also those that are text inside another."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _objects(one)
    elif isinstance(value, str):
        for place in (at for at, sign in enumerate(value) if sign == "{"):
            try:
                inner, _ = DECODER.raw_decode(value, place)
            except ValueError:
                continue
            yield from _objects(inner)


def _text(value: Any) -> str:
    """A value as a model writes it into a parameter."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, Decimal) else json.dumps(value, default=float)
