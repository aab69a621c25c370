"""How a pause and a call are named in an argument: looked at before the name becomes part of a path."""

from __future__ import annotations

import re
from typing import Any

import click

from placet.model.ids import is_call_number
from placet.model.visible import one_line

_WORD = re.compile(r"[A-Za-z0-9]+")


class PauseName(click.ParamType[str]):
    """The id of a pause. Whether there is one of this id is the gateway's to say."""

    name = "pause"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id as it was typed; a usage error when it cannot be one."""
        if _is_call(value):
            self.fail(f"{value} is a call, its pause is {value.rpartition('-')[0]}.", param, ctx)
        if not _WORD.fullmatch(value):
            self.fail(f"{one_line(value)!r} is no pause: one is named by its letters and digits alone.", param, ctx)
        return str(value)


class CallName(click.ParamType[str]):
    """The id of a call: that of its pause and its number there."""

    name = "call"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id as it was typed; a usage error when it cannot be one."""
        if not _is_call(value):
            example = f", {value}-1 for example" if _WORD.fullmatch(value) else ""
            self.fail(f"{one_line(value)!r} is no call: a call is named <pause>-<number>{example}.", param, ctx)
        return str(value)


def _is_call(text: str) -> bool:
    pause, _, number = text.rpartition("-")
    return _WORD.fullmatch(pause) is not None and is_call_number(number)


PAUSE, CALL = PauseName(), CallName()
