"""`placet reviewers import`: everybody of a file, one after the other, with a plan before."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from placet.cli.directory import entering, roster
from placet.cli.directory.entering import FOUND, INVITED, Entered, Half, Wanted
from placet.cli.directory.installation import UNREAD, accounts, by, inbox
from placet.cli.refusals import REFUSED
from placet.model.errors import PlacetError
from placet.model.visible import one_line
from placet.service import people
from placet.service.ports import Ports

Show = Callable[[click.Context, dict[str, Any], Callable[[Console], None]], None]
Table = Callable[[Console, tuple[str, ...], Sequence[tuple[str, ...]], str], None]


def command(show: Show, table: Table, tables: Callable[[], Ports]) -> click.Command:
    """The command; ``tables`` gives the table and the policy."""

    @click.command("import")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
    @click.pass_context
    def imported(ctx: click.Context, file: Path, dry_run: bool) -> None:
        """Enter everybody of a CSV file with the columns email, name, groups. Takes nobody out. Safe to repeat."""
        ports = tables()
        try:
            wanted = roster.read(file, people.groups_asked(ports))
        except roster.NotARoster as error:
            _refuse(ctx, error.mistakes)
        planned = [entering.plan(ports, accounts, one) for one in wanted]
        done = planned if dry_run else _all_entered(ports, wanted)
        answer = {
            "dry_run": dry_run,
            "people": [{**person(one), "groups": list(want.groups)} for want, one in zip(wanted, done, strict=True)],
        }

        def say(console: Console) -> None:
            rows = [
                (one.person.email, one.person.name, one.source, " ".join(one.new) or "-", _was(one)) for one in done
            ]
            table(console, ("address", "name", "account", "new groups", "before"), rows, "Nobody.")
            for one in done:
                for said in changed(one):
                    console.print(one_line(said))
            invited = sum(one.source == INVITED for one in done)
            console.print(
                f"Nothing was done. {invited} would be invited."
                if dry_run
                else f"{len(done)} are entered, {invited} of them invited."
            )
            if invited and not dry_run:
                console.print(one_line(f"Tell them the inbox: {inbox() or UNREAD}"))

        show(ctx, answer, say)

    return imported


def _all_entered(ports: Ports, wanted: Sequence[Wanted]) -> list[Entered]:
    done: list[Entered] = []
    for one in wanted:
        try:
            done.append(entered(ports, one))
        except PlacetError:
            click.echo(
                f"placet: {len(done)} of {len(wanted)} are entered, and {one_line(one.email)} is not. Repeat the command.",
                err=True,
            )
            raise
    return done


def _refuse(ctx: click.Context, mistakes: Sequence[str]) -> None:
    """Every mistake, and nothing done."""
    if ctx.obj[1]:
        click.echo(json.dumps({"mistakes": list(mistakes)}, indent=2))
    else:
        for one in mistakes:
            click.echo(f"placet: {one_line(one)}", err=True)
        click.echo("placet: Nothing was done.", err=True)
    sys.exit(REFUSED)


def entered(ports: Ports, wanted: Wanted) -> Entered:
    """Enter one person; what stands when only the account could be made is said first."""
    try:
        return entering.enter(ports, accounts, by(), wanted)
    except Half as half:
        click.echo(f"placet: {one_line(half.said)}", err=True)
        raise half.cause from None


def _was(one: Entered) -> str:
    """What stood in the place of name and address that are written anew."""
    pairs = ((one.was.name, one.person.name), (one.was.email, one.person.email)) if one.was else ()
    return " ".join(before for before, now in pairs if before != now) or "-"


def changed(one: Entered) -> list[str]:
    """What of somebody who is a reviewer is another than it was, or stays although it was asked: a sentence each."""
    said = []
    if one.was and one.was.name != one.person.name:
        said.append(f"The name of {one.was.email} was {one.was.name} and is {one.person.name}.")
    if one.was and one.was.email != one.person.email:
        said.append(f"The address of {one.person.name} was {one.was.email} and is {one.person.email}.")
    if one.not_taken:
        said.append(
            f"{one.not_taken} resembles {one.person.email}, by which {one.person.name} is known, and that stays their address: "
            f"with the sub {one.person.sub} another one is written. For somebody else, give their own sub."
        )
    return said


def person(one: Entered) -> dict[str, Any]:
    """Somebody who was entered, or would be; `sub` is null before the account is made."""
    return {
        "sub": one.person.sub or None,
        "name": one.person.name,
        "email": one.person.email,
        "account": one.source,
        "new": list(one.new),
        "was": {"name": one.was.name, "email": one.was.email} if one.was else None,
        "address_not_taken": one.not_taken or None,
        "signed_in": not one.waits if one.source in (INVITED, FOUND) else None,
    }
