"""`placet people`, `away` and `back`: who is asked, and who is away; `reviewers` is in a room of its own.

These work on the table itself, under the caller's own credentials: no function of the gateway can make anybody a reviewer, nor
name somebody who stands in for another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console

from placet.cli.directory import reviewers
from placet.cli.directory.installation import TABLE, by, found
from placet.cli.moments import MOMENT
from placet.cli.refusals import moment
from placet.cli.session import client
from placet.http import people as views
from placet.model.registry import Registry
from placet.model.visible import one_line
from placet.records.keys import Keys
from placet.service import away as absent
from placet.service import people
from placet.service.ports import Ports

Show = Callable[[click.Context, dict[str, Any], Callable[[Console], None]], None]
Table = Callable[[Console, tuple[str, ...], Sequence[tuple[str, ...]], str], None]
PROBLEMS = {"empty": "is empty", "away": "has nobody here and nobody who stands in"}


def commands(main: click.Group, show: Show, table: Table) -> None:
    """Add the commands to the command line."""
    main.add_command(_people(show, table))
    main.add_command(_away(show))
    main.add_command(_back(show))
    main.add_command(reviewers.command(show, table, lambda: tables()))


def _people(show: Show, table: Table) -> click.Command:
    @click.command("people")
    @click.pass_context
    def shown(ctx: click.Context) -> None:
        """Who is asked now for each group, who is away until when, and of which groups nobody is asked."""
        answer = views.people(people.people(tables()))

        def say(console: Console) -> None:
            for one in answer["groups"]:
                if one["problem"]:
                    console.print(one_line(f"Nobody of {one['group']} is asked: it {PROBLEMS[one['problem']]}."))
            for one in answer["classes"]:
                if one["short"]:
                    need = f"{one['quorum']} must agree, and those here are {one['people']}"
                    console.print(one_line(f"Too few people are here for class {one['class']}: {need}."))
            groups = [(one["group"], _names(_asked(who) for who in one["asked"])) for one in answer["groups"]]
            table(console, ("group", "asked now"), groups, "The policy asks no group.")
            away = [
                (one["name"], moment(one["from_ms"]), moment(one["until_ms"]), one["delegate_name"] or "nobody")
                for one in answer["absences"]
            ]
            table(console, ("away", "from (UTC)", "until (UTC)", "in their place"), away, "Nobody is away.")

        show(ctx, answer, say)

    return shown


def _away(show: Show) -> click.Command:
    @click.command("away")
    @click.argument("person")
    @click.option("--until", type=MOMENT, required=True, help="UTC: 2026-12-04 or 2026-12-04T17:00.")
    @click.option("--from", "begins", type=MOMENT, help="UTC; now when left out.")
    @click.option("--delegate", default="", help="Who decides in their place: mail address or sub.")
    @click.pass_context
    def away(ctx: click.Context, person: str, until: datetime, begins: datetime | None, delegate: str) -> None:
        """Say that a reviewer (mail address or sub) is away, and who decides in their place."""
        ports = tables()
        who, named = people.person_of(ports, person), people.delegate_of(ports, delegate)
        from_ms = ports.clock.now_ms() if begins is None else _ms(begins)
        answer = views.absence(absent.away(ports, who, from_ms, _ms(until), named, by()))
        then = f"{answer['delegate_name']} decides in their place" if answer["delegate"] else "nobody stands in"
        said = f"{answer['name']} is away until {moment(answer['until_ms'])} UTC; {then}."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return away


def _back(show: Show) -> click.Command:
    @click.command("back")
    @click.argument("person")
    @click.pass_context
    def back(ctx: click.Context, person: str) -> None:
        """Say that a reviewer is back: nobody stands in for them any more."""
        ports = tables()
        answer = views.absence(absent.back(ports, people.person_of(ports, person), by()))
        show(ctx, answer, lambda console: console.print(one_line(f"{answer['name']} is back.")))

    return back


def tables() -> Ports:
    """The table and the policy, under the credentials of whoever calls: no function of the gateway may write memberships."""
    import placet_policy
    from placet.aws.ids import SystemClock
    from placet.aws.table import DynamoTable

    keys = Keys(os.environ.get("PLACET_TENANT", "main"))
    table = DynamoTable(found(TABLE), client("dynamodb"))
    return Ports(
        table,
        keys,
        SystemClock(),
        placet_policy.POLICY,
        Registry(()),
    )


def _asked(who: dict[str, Any]) -> str:
    return f"{who['name']} for {who['in_place_of']}" if who["in_place_of"] else str(who["name"])


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nobody"


def _ms(moment: datetime) -> int:
    return int(moment.replace(tzinfo=UTC).timestamp() * 1000)
