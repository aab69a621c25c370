"""`placet comment`, `comments`, `extend` and `ask`, as the reviewer whose access token is in PLACET_TOKEN.

`questions` and `answer` are the agent's, whose IAM role signs. None of them decides.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TextIO
from urllib.parse import quote

import click
from rich.console import Console

from placet.cli.callers import AS_AGENT, AS_REVIEWER
from placet.cli.moments import MOMENT
from placet.cli.named import CALL, PAUSE
from placet.cli.refusals import moment
from placet.client.bearer import reviewer
from placet.client.gateway import Gateway
from placet.model.visible import one_line

Show = Callable[[click.Context, dict[str, Any], Callable[[Console], None]], None]


def commands(main: click.Group, show: Show) -> None:
    """Add the commands to the command line."""
    for made in (_comment, _comments, _extend, _ask, _questions, _answer):
        main.add_command(made(show))


def _comment(show: Show) -> click.Command:
    @click.command("comment", epilog=AS_REVIEWER)
    @click.argument("pause", type=PAUSE)
    @click.argument("text")
    @click.pass_context
    def comment(ctx: click.Context, pause: str, text: str) -> None:
        """Say something about a pause to whoever may see it. Its agent does not get it. Safe to repeat within ten minutes."""
        answer = _send(ctx, "POST", f"{quote(pause, safe='')}/comments", {"text": text})
        said = f"It is comment {answer['comment']} of {answer['pause']}."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return comment


def _comments(show: Show) -> click.Command:
    @click.command("comments", epilog=AS_REVIEWER)
    @click.argument("pause", type=PAUSE)
    @click.pass_context
    def comments(ctx: click.Context, pause: str) -> None:
        """What was said about a pause, in the order of time."""
        found = _send(ctx, "GET", quote(pause, safe=""))["comments"]
        answer = {"pause": pause, "comments": found}
        lines = [f"{moment(one['at'])} UTC  {one['by']}: {one['text']}" for one in found]
        show(ctx, answer, lambda console: _print(console, lines, "Nobody has said anything."))

    return comments


def _extend(show: Show) -> click.Command:
    @click.command("extend", epilog=AS_REVIEWER)
    @click.argument("call", type=CALL)
    @click.option("--until", type=MOMENT, required=True, help="The new deadline, UTC.")
    @click.option("--reason", required=True, help="Why; stays in the record.")
    @click.pass_context
    def extend(ctx: click.Context, call: str, until: datetime, reason: str) -> None:
        """Give a call more time, within what its class allows. Decides nothing; safe to repeat."""
        until_ms = int(until.replace(tzinfo=UTC).timestamp() * 1000)
        answer = _send(ctx, "POST", f"{quote(call, safe='')}/extend", {"until_ms": until_ms, "reason": reason})
        said = f"{answer['call']} waits until {moment(answer['deadline'])} UTC, by {answer['extended_by']}."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return extend


def _ask(show: Show) -> click.Command:
    @click.command("ask", epilog=AS_REVIEWER)
    @click.argument("call", type=CALL)
    @click.argument("text")
    @click.option("--revision", type=click.IntRange(1), help="Of the call, as you saw it; as it stands when left out.")
    @click.pass_context
    def ask(ctx: click.Context, call: str, text: str, revision: int | None) -> None:
        """Ask the agent about a call. It waits on, and so does its deadline. Safe to repeat."""
        revision = revision or _revision(ctx, call)
        answer = _send(ctx, "POST", f"{quote(call, safe='')}/ask", {"text": text, "revision": revision})
        said = f"It is question {answer['question']} about {answer['call']}, asked by {answer['asked_by']}."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return ask


def _questions(show: Show) -> click.Command:
    @click.command("questions", epilog=AS_AGENT)
    @click.argument("pause", type=PAUSE)
    @click.pass_context
    def questions(ctx: click.Context, pause: str) -> None:
        """What was asked about the calls of a pause and has no answer, for its agent."""
        found = Gateway(ctx.obj[0]).questions(pause)
        lines = [f"{one['call']} question {one['question']}, {one['group']}: {one['text']}" for one in found]
        answer = {"pause": pause, "questions": found}
        show(ctx, answer, lambda console: _print(console, lines, "Nothing is asked."))

    return questions


def _answer(show: Show) -> click.Command:
    @click.command("answer", epilog=AS_AGENT)
    @click.argument("call", type=CALL)
    @click.argument("question", type=click.IntRange(1))
    @click.argument("text")
    @click.option(
        "--evidence", type=click.File(), help="A file with a JSON list of pieces, as of a capture; - is stdin."
    )
    @click.pass_context
    def answer(ctx: click.Context, call: str, question: int, text: str, evidence: TextIO | None) -> None:
        """Answer a question about a call, as its agent. The call is a new revision by that. Safe to repeat."""
        pieces = _pieces(evidence) if evidence else []
        told = Gateway(ctx.obj[0]).answer(call, question, text, pieces)
        said = f"{told['call']} is revision {told['revision']} now."
        show(ctx, told, lambda console: console.print(one_line(said)))

    return answer


def _send(ctx: click.Context, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    sends = reviewer(ctx.obj[0], os.environ.get("PLACET_TOKEN", ""))
    return sends.send(method, f"/v1/reviews/{path}", None if body is None else json.dumps(body)).body


def _revision(ctx: click.Context, call: str) -> int:
    calls = _send(ctx, "GET", quote(call.rpartition("-")[0], safe=""))["calls"]
    found = [one["revision"] for one in calls if one["call"] == call]
    if not found:
        raise click.UsageError("the pause has no such call")
    return int(found[0])


def _pieces(source: TextIO) -> list[dict[str, Any]]:
    try:
        found = json.load(source)
    except ValueError as error:
        raise click.UsageError(f"the evidence is no JSON: {error}") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise click.UsageError("the evidence is no list of pieces")
    return found


def _print(console: Console, lines: Sequence[str], empty: str) -> None:
    for line in lines or [empty]:
        console.print(one_line(line))
