"""Mistakes in what people read: a sentence that cannot be filled in, or that is expected to be filled in and is not."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from placet.model.argument_places import BODY, PARAMETERS
from placet.policy.rules import Effect, Policy, Tool

# What looks as if it were to be filled in: {amount}, %(amount)s, ${amount}, $amount. Money ($100) does not.
_FILLED_IN = re.compile(r"\{[^{}\s]+\}|%\(\w+\)|\$\{|\$[A-Za-z_]\w*")


def fields_of(sentence: str) -> list[str]:
    """The arguments that a tool's sentence names. Raises ValueError when it is no sentence."""
    found, around = [], ""
    for literal, field, form, conversion in string.Formatter().parse(sentence):
        around += literal
        if field is None:
            continue
        if not field or form or conversion or field != field.strip():
            raise ValueError("write {amount}, the name of an argument and nothing else")
        found.append(field)
        around += "\0"
    if odd := _FILLED_IN.search(around):
        raise ValueError(f"{odd[0]} would stand in it as it is; write {{amount}}, in single braces")
    return found


def is_within(name: str) -> bool:
    """Whether a name leads into an argument, as the place of a rule may: `order.total`, `items[0]`."""
    return not name.startswith((f"{PARAMETERS}.", f"{BODY}.")) and any(sign in name for sign in ".[")


def unfilled(policy: Policy) -> Iterator[str]:
    """Texts in which nothing is filled in, and that look as if something were."""
    for one in policy.classes.values():
        if odd := _FILLED_IN.search(one.say):
            yield f"class {one.name}: say shows {odd[0]} as it stands: nothing is filled in there"
    for tool in policy.tools.values():
        yield from (f"tool {tool.name}: {one}" for one in _of_tool(tool))


def _of_tool(tool: Tool) -> Iterator[str]:
    if odd := _FILLED_IN.search(tool.consequence):
        yield f"consequence shows {odd[0]} as it stands: only the sentence is filled in"
    for rule in (*tool.denies, *tool.rules):
        if odd := _FILLED_IN.search(rule.sentence):
            yield f"rule {rule.id}: its sentence shows {odd[0]} as it stands: nothing is filled in there"
        if not rule.sentence.strip():
            yield f"rule {rule.id} has no sentence: nobody would read why they are asked"
    if tool.type_to_accept and (tool.free or tool.denied):
        yield f"type_to_accept is never asked: the tool is {'free' if tool.free else 'denied'}"
    elif tool.type_to_accept and tool.effect is not Effect.NEVER:
        yield "type_to_accept is never asked: only what cannot be undone is typed, and its effect is not Effect.NEVER"
