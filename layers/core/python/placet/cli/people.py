"""`placet people`, `away`, `back` and `reviewers`: who is asked, who is away, who joins and leaves.

These work on the table itself, under the caller's own credentials: no function of the gateway can make anybody a reviewer, nor
name somebody who stands in for another.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console

from placet.cli.refusals import moment
from placet.cli.session import session
from placet.http import people as views
from placet.model.pauses import Reviewer
from placet.model.registry import Registry
from placet.model.visible import one_line
from placet.records.keys import Keys
from placet.service import away as absent
from placet.service import people
from placet.service.ports import Ports

Show = Callable[[click.Context, dict[str, Any], Callable[[Console], None]], None]
Table = Callable[[Console, tuple[str, ...], Sequence[tuple[str, ...]], str], None]
MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"])
PROBLEMS = {"empty": "is empty", "away": "has nobody here and nobody who stands in"}


def commands(main: click.Group, show: Show, table: Table) -> None:
    """Add the commands to the command line."""
    main.add_command(_people(show, table))
    main.add_command(_away(show))
    main.add_command(_back(show))
    main.add_command(_reviewers(show, table))


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
        answer = views.absence(absent.away(ports, who, from_ms, _ms(until), named, _by()))
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
        answer = views.absence(absent.back(ports, people.person_of(ports, person), _by()))
        show(ctx, answer, lambda console: console.print(one_line(f"{answer['name']} is back.")))

    return back


def _reviewers(show: Show, table: Table) -> click.Group:
    @click.group("reviewers")
    def reviewers() -> None:
        """Put people into the groups of the policy's levels."""

    @reviewers.command("list")
    @click.pass_context
    def listed(ctx: click.Context) -> None:
        """Everybody in every group that the policy asks."""
        answer = views.people(people.people(tables()))
        silent = {one["sub"]: f"refused: {one['reason']}" for one in answer["mail_refused"]}
        rows = [
            (one["group"], who["name"], _source(who), who["email"], silent.get(who["sub"], "taken"), who["sub"])
            for one in answer["groups"]
            for who in one["people"]
        ]
        heads = ("group", "name", "member by", "address", "mail", "sub")
        show(ctx, answer, lambda console: table(console, heads, rows, "Nobody is in a group."))

    @reviewers.command("add")
    @click.argument("group")
    @click.option("--email", required=True, help="Where mails go, and who the person is to requesters.")
    @click.option("--sub", default="", help="Of the account in the user pool; of somebody who is no reviewer yet.")
    @click.option("--name", default="", help="As pages and records show it; of somebody who is no reviewer yet.")
    @click.pass_context
    def add(ctx: click.Context, group: str, email: str, sub: str, name: str) -> None:
        """Put somebody into a group. Safe to repeat."""
        answer = _member(group, people.join(tables(), _by(), group, email, sub, name))
        said = f"{answer['name']} is in {group}."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    @reviewers.command("remove")
    @click.argument("group")
    @click.argument("person")
    @click.pass_context
    def remove(ctx: click.Context, group: str, person: str) -> None:
        """Take somebody (mail address or sub) out of a group, at once, however they came into it."""
        ports = tables()
        back = list(people.brought_back_by(ports, group))
        answer = {**_member(group, people.leave(ports, _by(), group, person)), "brought_back_by": back}
        said = f"{answer['name']} is not in {group} any more."
        if back:
            said += f" The company's sign-in brings back whoever it says to be in {' or '.join(back)}, the next time they sign in."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    @reviewers.command("accept-mail")
    @click.argument("person")
    @click.pass_context
    def accept_mail(ctx: click.Context, person: str) -> None:
        """Send mail to a reviewer (mail address or sub) again, whose address refused it. Safe to repeat."""
        who, refused = people.accept_mail(tables(), _by(), person)
        said = f"{who.name} is mailed again." if refused else f"Mail to {who.name} was not refused."
        answer = {"sub": who.sub, "name": who.name, "was_refused": refused}
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return reviewers


def tables() -> Ports:
    """The table and the policy, under the credentials of whoever calls: no function of the gateway may write memberships."""
    import placet_policy
    from placet.aws.clients import client
    from placet.aws.ids import SystemClock
    from placet.aws.table import DynamoTable

    name = os.environ.get("PLACET_TABLE", "")
    if not name:
        raise click.UsageError("say which table in PLACET_TABLE: the output TableName of PlacetData")
    keys = Keys(os.environ.get("PLACET_TENANT", "main"))
    return Ports(
        DynamoTable(name, client("dynamodb", region=session().region_name)),
        keys,
        SystemClock(),
        placet_policy.POLICY,
        Registry(()),
    )


def _by() -> str:
    return f"cli/{getpass.getuser()}"


def _source(who: dict[str, Any]) -> str:
    return f"sign-in until {moment(who['until_ms'])} UTC" if who["until_ms"] else "placet reviewers"


def _member(group: str, person: Reviewer) -> dict[str, Any]:
    return {"group": group, "sub": person.sub, "name": person.name}


def _asked(who: dict[str, Any]) -> str:
    return f"{who['name']} for {who['in_place_of']}" if who["in_place_of"] else str(who["name"])


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nobody"


def _ms(moment: datetime) -> int:
    return int(moment.replace(tzinfo=UTC).timestamp() * 1000)
