"""`placet reviewers`: who may decide, in the user pool and in the table together, under the caller's own credentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from rich.console import Console

from placet.cli.directory import entering, importing
from placet.cli.directory.accounts import Account
from placet.cli.directory.entering import FOUND, INVITED, Entered, Wanted
from placet.cli.directory.importing import changed, entered, person
from placet.cli.directory.installation import UNREAD, accounts, by, inbox
from placet.cli.refusals import moment
from placet.http import people as views
from placet.model.errors import Conflict, NotFound
from placet.model.visible import one_line
from placet.service import people
from placet.service.ports import Ports

Show = Callable[[click.Context, dict[str, Any], Callable[[Console], None]], None]
Table = Callable[[Console, tuple[str, ...], Sequence[tuple[str, ...]], str], None]
Ports_ = Callable[[], Ports]


def command(show: Show, table: Table, tables: Ports_) -> click.Group:
    """The group of commands; ``tables`` gives the table and the policy."""

    @click.group("reviewers")
    def reviewers() -> None:
        """Who may decide: accounts in the user pool, and memberships in groups of the policy.

        Table, pool and inbox are read from the stacks PlacetData and PlacetGateway, or from PLACET_TABLE, PLACET_USER_POOL and
        PLACET_INBOX.
        """

    reviewers.add_command(_list(show, table, tables))
    reviewers.add_command(_add(show, tables))
    reviewers.add_command(_remove(show, tables))
    reviewers.add_command(importing.command(show, table, tables))
    reviewers.add_command(_accept_mail(show, tables))
    return reviewers


def _list(show: Show, table: Table, tables: Ports_) -> click.Command:
    @click.command("list")
    @click.option(
        "--accounts",
        "with_accounts",
        is_flag=True,
        help="Ask the user pool too: who has signed in, and who is in no group.",
    )
    @click.pass_context
    def listed(ctx: click.Context, with_accounts: bool) -> None:
        """Everybody in every group that the policy asks."""
        answer = views.people(people.people(tables()))
        known = accounts().all() if with_accounts else {}
        silent = {one["sub"]: f"refused: {one['reason']}" for one in answer["mail_refused"]}
        rows = [
            (
                *(one["group"], who["name"], _source(who), who["email"], silent.get(who["sub"], "taken")),
                *((_state(known.get(who["sub"])),) if with_accounts else ()),
                who["sub"],
            )
            for one in answer["groups"]
            for who in one["people"]
        ]
        if with_accounts:
            members = {who["sub"] for one in answer["groups"] for who in one["people"]}
            answer["accounts"] = [_account(one, one.sub in members) for one in known.values()]

        def say(console: Console) -> None:
            heads = ("group", "name", "member by", "address", "mail", *(("account",) if with_accounts else ()), "sub")
            table(console, heads, rows, "Nobody is in a group.")
            for one in answer.get("accounts", ()):
                if not one["in_a_group"]:
                    console.print(
                        one_line(
                            f"{one['username']} has an account ({one['state']}) and is in no group: they see nothing."
                        )
                    )

        show(ctx, answer, say)

    return listed


def _add(show: Show, tables: Ports_) -> click.Command:
    @click.command("add")
    @click.argument("groups", nargs=-1, required=True, metavar="GROUP...")
    @click.option("--email", required=True, help="Where mails go, and who the person is to requesters.")
    @click.option("--name", default="", help="As pages and records show it; of somebody who is no reviewer yet.")
    @click.option("--username", default="", help="Of a new account; otherwise what stands before the @.")
    @click.option("--sub", default="", help="Of somebody whose account is not to be made or looked for.")
    @click.option("--resend", is_flag=True, help="Mail the invitation again to somebody who has not signed in yet.")
    @click.pass_context
    def add(
        ctx: click.Context, groups: tuple[str, ...], email: str, name: str, username: str, sub: str, resend: bool
    ) -> None:
        """Put somebody into groups, and make their account if there is none: the user pool mails them. Safe to repeat."""
        wanted = Wanted(email, tuple(dict.fromkeys(groups)), name, sub, username)
        done = entered(tables(), wanted)
        if resend:
            _invite_again(done)
        where = inbox() if done.source == INVITED or done.waits or resend else ""
        answer = {**person(done), "groups": list(wanted.groups), "inbox": where or None}
        show(ctx, answer, lambda console: console.print(one_line(" ".join(_said(done, wanted, where, resend)))))

    return add


def _invite_again(done: Entered) -> None:
    account = accounts().by_sub(done.person.sub)
    if account is None or not account.waits:
        why = "They have signed in already" if account else "They have no account in this user pool"
        raise Conflict("not_invited", f"{why}, so no invitation is sent. Their groups are as you asked.")
    if done.source != INVITED:
        accounts().invite_again(account)


def _said(done: Entered, wanted: Wanted, where: str, resend: bool) -> list[str]:
    said = [f"{done.person.name} is in {' and '.join(wanted.groups)}.", *changed(done)]
    if done.source == INVITED or resend:
        said.append(
            f"The user pool mails their user name and a password for one sign-in to {wanted.email}; "
            f"tell them the inbox: {where or UNREAD}"
        )
    elif done.source == FOUND and done.waits:
        said.append(
            f"Their account was there, and they have not signed in yet at {where or UNREAD}: --resend mails the invitation again."
        )
    elif done.source == FOUND:
        said.append("Their account was there.")
    return said


def _remove(show: Show, tables: Ports_) -> click.Command:
    @click.command("remove")
    @click.argument("groups", nargs=-1, metavar="[GROUP]...")
    @click.argument("named", metavar="PERSON")
    @click.option("--everywhere", is_flag=True, help="Out of every group, in place of naming them.")
    @click.option(
        "--account", "with_account", is_flag=True, help="Disable the account too, if they are in no group any more."
    )
    @click.pass_context
    def remove(ctx: click.Context, groups: tuple[str, ...], named: str, everywhere: bool, with_account: bool) -> None:
        """Take somebody (mail address or sub) out of groups, at once, however they came into them. Safe to repeat."""
        if everywhere == bool(groups):
            raise click.UsageError("name groups, or say --everywhere")
        ports = tables()
        try:
            who, left = entering.leave(ports, by(), groups, named)
        except NotFound:
            if not with_account or not _closed(named):
                raise
            answer = {"left": [], "account_disabled": True}
            show(
                ctx,
                answer,
                lambda console: console.print(
                    one_line(f"{named} was in no group any more. Their account is disabled.")
                ),
            )
            return
        still = sorted(people.groups_of(ports, who.sub))
        closed = _closed(who.sub) if with_account and not still else False
        back = sorted({name for group in left for name in people.brought_back_by(ports, group)})
        answer = {
            "sub": who.sub,
            "name": who.name,
            "left": list(left),
            "groups": still,
            "account_disabled": closed,
            "brought_back_by": back,
        }
        said = [f"{who.name} is not in {' or '.join(left)} any more."]
        if still:
            said.append(f"They are still in {' and '.join(still)}{', so their account stays' if with_account else ''}.")
        elif not with_account:
            said.append("They are in no group: whoever signs in as them sees nothing. --account disables the account.")
        else:
            said.append("Their account is disabled." if closed else "They have no account in this user pool.")
        if back:
            said.append(
                f"The company's sign-in brings back whoever it says to be in {' or '.join(back)}, the next time they sign in."
            )
        show(ctx, answer, lambda console: console.print(one_line(" ".join(said))))

    return remove


def _closed(named: str) -> bool:
    """Whether there was an account, of a sub or an address, and nobody signs in with it any more."""
    account = accounts().by_sub(named) or accounts().of(named)
    if account is not None:
        accounts().close(account)
    return account is not None


def _accept_mail(show: Show, tables: Ports_) -> click.Command:
    @click.command("accept-mail")
    @click.argument("person")
    @click.pass_context
    def accept_mail(ctx: click.Context, person: str) -> None:
        """Send mail to a reviewer (mail address or sub) again, whose address refused it. Safe to repeat."""
        who, refused = people.accept_mail(tables(), by(), person)
        said = f"{who.name} is mailed again." if refused else f"Mail to {who.name} was not refused."
        answer = {"sub": who.sub, "name": who.name, "was_refused": refused}
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return accept_mail


def _account(one: Account, member: bool) -> dict[str, Any]:
    return {"sub": one.sub, "username": one.username, "state": _state(one), "in_a_group": member}


def _state(account: Account | None) -> str:
    if account is None:
        return "none"
    return "disabled" if not account.enabled else "invited" if account.waits else "in use"


def _source(who: dict[str, Any]) -> str:
    return f"sign-in until {moment(who['until_ms'])} UTC" if who["until_ms"] else "placet reviewers"
