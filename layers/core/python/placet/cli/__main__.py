"""`placet`: what is stuck and the command that repairs it, and what reviewers and agents say (see docs/operations.md)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote, urlencode

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from placet.cli import absent, reassign, signing_in, talking
from placet.cli.named import CALL, PAUSE
from placet.cli.refusals import Sentences, moment
from placet.client.errors import GatewayRefused, GatewayUnavailable
from placet.client.gateway import operations
from placet.model.visible import one_line


@click.group(cls=Sentences, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--url", envvar="PLACET_URL", help="Address of the gateway's API; PLACET_URL.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the gateway's answer as JSON, and a refusal as its problem document."
)
@click.pass_context
def main(ctx: click.Context, url: str | None, as_json: bool) -> None:
    """Operate a Placet gateway, or speak as a reviewer or an agent. Nothing here can decide a call.

    \b
    comment, comments, extend, ask, reassign: as the reviewer of PLACET_TOKEN.
    sign-in: prints such a token, once your browser has signed in.
    people, away, back, reviewers: on the table and the user pool of the
      deployed stacks, under your AWS credentials.
    All others sign with your IAM role: an operator's, and of questions and
      answer the agent's.
    """
    ctx.obj = (url, as_json)


def _send(ctx: click.Context, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    return (
        operations(ctx.obj[0]).send(method, f"/v1/operations/{path}", None if body is None else json.dumps(body)).body
    )


def _show(ctx: click.Context, answer: dict[str, Any], say: Callable[[Console], None]) -> None:
    """The answer as JSON, or as people read it: what a page would mark stands as its code, and Rich marks nothing up."""
    if ctx.obj[1]:
        click.echo(json.dumps(answer, indent=2))
    else:
        say(Console(markup=False, highlight=False, soft_wrap=True))


Command = Callable[..., None]


def paged(command: Command) -> Command:
    """The options of a command that shows a list page by page."""
    limit = click.option("--limit", type=click.IntRange(1, 100), help="Rows of a page; 50 when left out.")
    after = click.option("--after", default="", help="Where the last page said that the next one begins.")
    return limit(after(command))


def of_a_call(command: Command) -> Command:
    """A call and what became of it, of a command that settles one."""
    for option in (
        click.option("--evidence", required=True, help="How you know; goes into the audit trail."),
        click.option("--failed", "permit", flag_value="failed", help="It did not run, or failed."),
        click.option("--done", "permit", flag_value="done", help="It ran."),
        click.argument("call", type=CALL),
    ):
        command = option(command)
    return command


def _reconciled(ctx: click.Context, call: str, permit: str | None, evidence: str) -> dict[str, Any]:
    if permit is None:
        raise click.UsageError("say --done or --failed")
    body = {"permit": permit, "evidence": evidence}
    return _send(ctx, "POST", f"calls/{quote(call, safe='')}/reconcile", body)


def _repaired(ctx: click.Context, pause: str) -> dict[str, Any]:
    return _send(ctx, "POST", f"pauses/{quote(pause, safe='')}/repair", {})


def _page(path: str, **asked: object) -> str:
    query = {name: str(value) for name, value in asked.items() if value}
    return f"{path}?{urlencode(query, quote_via=quote, safe='')}" if query else path


def _say_more(console: Console, answer: dict[str, Any], *command: str) -> None:
    """The command that shows the next page, if there is one."""
    if answer.get("more"):
        console.print(f"There are more: placet {one_line(shlex.join(command))} --after {answer['next']}")


@main.command()
@paged
@click.pass_context
def stuck(ctx: click.Context, limit: int | None, after: str) -> None:
    """List what cannot go on by itself, oldest first, with the command that repairs it."""
    answer = _send(ctx, "GET", _page("stuck", limit=limit, after=after))

    def say(console: Console) -> None:
        for one in answer["stuck"]:
            lines = (
                f"{one['pause']}  since {moment(one['since_ms'])} UTC, {one['agent']}",
                one["title"],
                one["means"],
                one["repair"],
            )
            console.print("\n  ".join(one_line(line) for line in lines))
        if not answer["stuck"]:
            console.print("Nothing is stuck." if not after else "Nothing more is stuck.")
        _say_more(console, answer, "stuck", *_limited(limit))

    _show(ctx, answer, say)


@main.command()
@click.argument("wanted")
@click.option("--agent", default="", help="Only this agent's; otherwise those of every agent.")
@paged
@click.pass_context
def find(ctx: click.Context, wanted: str, agent: str, limit: int | None, after: str) -> None:
    """Find pauses in any state by entity (order:1182), run or id, newest first."""
    answer = _send(ctx, "GET", _page("find", of=wanted, agent=agent, limit=limit, after=after))

    def say(console: Console) -> None:
        rows = [_found(one, call) for one in answer["pauses"] for call in one["calls"] or [UNREAD]]
        heads = ("pause", "state", "stuck", "agent", "run", "call", "decision", "permit")
        _table(console, heads, rows, f"No pause of {wanted!r}." if not after else f"No more pauses of {wanted!r}.")
        _say_more(console, answer, "find", wanted, *(["--agent", agent] if agent else []), *_limited(limit))

    _show(ctx, answer, say)


@main.command()
@paged
@click.pass_context
def samples(ctx: click.Context, limit: int | None, after: str) -> None:
    """List what passed without a person and was drawn for a look afterwards, newest first."""
    answer = _send(ctx, "GET", _page("samples", limit=limit, after=after))

    def say(console: Console) -> None:
        rows = [_sample(one, call) for one in answer["pauses"] for call in one["calls"] or [UNREAD]]
        heads = ("pause", "captured (UTC)", "agent", "run", "call", "drawn", "permit")
        _table(console, heads, rows, "Nothing was drawn." if not after else "Nothing more was drawn.")
        _say_more(console, answer, "samples", *_limited(limit))

    _show(ctx, answer, say)


@main.command()
@click.argument("pause", type=PAUSE)
@click.pass_context
def repair(ctx: click.Context, pause: str) -> None:
    """Set a stuck pause going again. Safe to repeat; decides nothing."""
    answer = _repaired(ctx, pause)
    _show(ctx, answer, lambda console: console.print(f"{answer['pause']} {answer['did']}."))


@main.command()
@of_a_call
@click.pass_context
def reconcile(ctx: click.Context, call: str, permit: str | None, evidence: str) -> None:
    """Settle a call of which nobody knows whether it ran."""
    answer = _reconciled(ctx, call, permit, evidence)
    _show(ctx, answer, lambda console: console.print(f"{answer['call']} is {answer['permit']} now."))


@main.command()
@of_a_call
@click.pass_context
def settle(ctx: click.Context, call: str, permit: str | None, evidence: str) -> None:
    """Settle a call of which nobody knows whether it ran, and set its pause going again. Safe to repeat."""
    answer = _reconciled(ctx, call, permit, evidence)
    pause = call.rpartition("-")[0]
    answer |= {"pause": pause, "did": "", "left": []}
    try:
        answer["did"] = _repaired(ctx, pause)["did"]
    except (GatewayRefused, GatewayUnavailable) as failed:
        if not isinstance(failed, GatewayRefused) or failed.code not in ("needs_reconcile", "not_stuck"):
            click.echo(f"{one_line(call)} is {permit} now, and its pause is not repaired:", err=True)
            raise
        answer["left"] = list(failed.members.get("calls", []))
    went = f"{pause} {answer['did']}." if answer["did"] else f"{pause} is not on the stuck list."
    if answer["left"]:
        went = f"{pause} stays on the stuck list: settle {', '.join(answer['left'])} too."
    _show(ctx, answer, lambda console: console.print(one_line(f"{call} is {answer['permit']} now. {went}")))


@main.command()
@click.argument("pause", type=PAUSE)
@click.argument("call", type=click.IntRange(1, 99))
@click.pass_context
def undo(ctx: click.Context, pause: str, call: int) -> None:
    """Propose to take back call CALL of a pause, which ran: as a call of its own, that others decide. Safe to repeat."""
    answer = _send(ctx, "POST", f"calls/{quote(f'{pause}-{call}', safe='')}/undo", {})
    did = "was proposed before" if answer["replayed"] else "is proposed"
    did = "is denied by the policy" if answer.get("state") == "denied" else did
    _show(ctx, answer, lambda console: console.print(one_line(f"{answer['tool']} {did}: pause {answer['undo']}.")))


@main.command()
@click.option("--reason", required=True, help="Why; other operators see it.")
@click.pass_context
def freeze(ctx: click.Context, reason: str) -> None:
    """Hold captures, decisions and claims, for the time of a restore."""
    answer = _send(ctx, "POST", "freeze", {"reason": reason})
    _show(
        ctx,
        answer,
        lambda console: console.print("Held. Agents and reviewers are told to try again; thaw lets them go on."),
    )


@main.command()
@click.pass_context
def thaw(ctx: click.Context) -> None:
    """Let captures, decisions and claims go on."""
    answer = _send(ctx, "POST", "thaw", {})

    def say(console: Console) -> None:
        console.print(
            f"Captures, decisions and claims go on. {answer['entered']} restored pauses entered the new epoch."
        )
        if answer["more"]:
            console.print("There may be more: run placet thaw again.")

    _show(ctx, answer, say)


def _limited(limit: int | None) -> list[str]:
    return ["--limit", str(limit)] if limit else []


def _table(console: Console, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], empty: str) -> None:
    if not rows:
        console.print(empty)
        return
    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")  # ids are to be copied whole
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(table)


UNREAD = {"call": "(not readable)", "tool": "", "state": "-", "permit": "-"}  # a pause whose calls nobody can tell


def _found(pause: dict[str, Any], call: dict[str, Any]) -> tuple[str, ...]:
    about = (pause["pause"], pause["state"], pause["stuck"] or "-", pause["agent"], pause["run"])
    return (*about, f"{call['call']} {call['tool']}".strip(), call["state"], call["permit"])


def _sample(pause: dict[str, Any], call: dict[str, Any]) -> tuple[str, ...]:
    drawn = "-" if not call.get("sampled") else "yes, observed" if call.get("observed") else "yes"
    about = (pause["pause"], moment(pause["captured_at"]), pause["agent"], pause["run"])
    return (*about, f"{call['call']} {call['tool']}".strip(), drawn, call["permit"])


if find_spec("placet.service"):
    from placet.cli.directory import people

    people.commands(main, _show, _table)
else:
    absent.commands(main)
main.add_command(reassign.command(_show))
main.add_command(signing_in.command())
talking.commands(main, _show)

if __name__ == "__main__":
    main()
