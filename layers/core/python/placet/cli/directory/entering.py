"""Entering a reviewer: the account in the user pool, then every membership in one write. What was done is safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from placet.cli.directory.accounts import Account, Accounts
from placet.model.characters import is_blank
from placet.model.entered import wrong_address, wrong_name, wrong_sub
from placet.model.errors import Conflict, Invalid, NotFound, PlacetError
from placet.model.pauses import Reviewer
from placet.service import people
from placet.service.ports import Ports

KNOWN, FOUND, INVITED, GIVEN = "known", "found", "invited", "given"  # where the `sub` is from


@dataclass(frozen=True)
class Wanted:
    """Who is to be in which groups; `sub` of somebody whose account is not looked for."""

    email: str
    groups: tuple[str, ...]
    name: str = ""
    sub: str = ""
    username: str = ""


@dataclass(frozen=True)
class Entered:
    """What is so, or would be so after a plan.

    Attributes:
        source: `known` as a reviewer, `found` in the user pool, `invited` into it, or `given` by its `sub`.
        new: groups that they were not in before.
        waits: they were invited and have not signed in yet.
        was: the reviewer as they stood there before, when their name or address is written anew.
        not_taken: the address that was given, when it only resembles theirs (capitals, dots, a `+tag`): it may be another
            person's, so that it takes their place with their `sub` alone.
    """

    person: Reviewer
    source: str
    new: tuple[str, ...]
    waits: bool = False
    was: Reviewer | None = None
    not_taken: str = ""


class Half(PlacetError):
    """The account is there and the memberships are not; `cause` says why, and the same command goes on."""

    def __init__(self, account: Account, email: str, cause: PlacetError) -> None:
        super().__init__(cause.code, cause.detail, **cause.members)
        self.said = (
            f"The account of {email} is made (sub {account.sub}), and they are in no group yet: repeat the command."
        )
        self.cause = cause


def plan(ports: Ports, accounts: Callable[[], Accounts], wanted: Wanted) -> Entered:
    """What `enter` would do; nothing is written.

    Raises:
        Invalid: `group_unknown`, `person_incomplete`.
        Conflict: `person_ambiguous`, `account_ambiguous`, `account_disabled`.
        Refused: `pool_refused`.
    """
    for group in wanted.groups:
        people.check_group(ports, group)
    for wrong in (
        wrong_address(wanted.email),
        wanted.sub and wrong_sub(wanted.sub),
        wanted.name and wrong_name(wanted.name),
    ):
        if wrong:
            raise Invalid("person_incomplete", wrong)
    known = _known(ports, wanted.sub or wanted.email)
    new = tuple(group for group in wanted.groups if known is None or group not in known.groups - known.badges)
    name = wanted.name or (known.name if known else "")
    if known is not None:
        _demand_name(name, wanted.email)
        return _of_known(known, name, wanted, new)
    if wanted.sub:
        _demand_name(name, wanted.email)
        return Entered(Reviewer(wanted.sub, name, wanted.email), GIVEN, new)
    account = accounts().of(wanted.email)
    if account is not None and not account.enabled:
        raise Conflict(
            "account_disabled",
            f"The account {account.username} is disabled. Enable it first: aws cognito-idp admin-enable-user.",
        )
    _demand_name(name, wanted.email)
    if account is None:
        return Entered(Reviewer("", name, wanted.email), INVITED, new, waits=True)
    return Entered(Reviewer(account.sub, name, wanted.email), FOUND, new, account.waits)


def _of_known(known: Reviewer, name: str, wanted: Wanted, new: tuple[str, ...]) -> Entered:
    """Somebody who is a reviewer: what of them is written anew, and which address is not."""
    taken = bool(wanted.sub) or wanted.email in known.addresses
    now = Reviewer(known.sub, name, wanted.email if taken else known.email)
    was = None if (known.name, known.email) == (now.name, now.email) else known
    return Entered(now, KNOWN, new, was=was, not_taken="" if taken else wanted.email)


def enter(ports: Ports, accounts: Callable[[], Accounts], by: str, wanted: Wanted) -> Entered:
    """Make the account if there is none, and write every membership at once.

    Raises what `plan` does; Conflict `username_taken`; Half when an account was made and the write did not follow.
    """
    planned = plan(ports, accounts, wanted)
    if planned.source != INVITED:
        people.enter(ports, by, wanted.groups, planned.person)
        return planned
    account = accounts().invite(wanted.email, planned.person.name, wanted.username)
    done = replace(planned, person=replace(planned.person, sub=account.sub))
    try:
        people.enter(ports, by, wanted.groups, done.person)
    except PlacetError as error:
        raise Half(account, wanted.email, error) from error
    return done


def leave(ports: Ports, by: str, groups: Sequence[str], named: str) -> tuple[Reviewer, tuple[str, ...]]:
    """Take somebody out of groups, or out of all; answers who, and what they were taken out of.

    Raises NotFound; Conflict `person_ambiguous`.
    """
    if not groups:
        groups = sorted(people.person_of(ports, named).groups)
    return people.leave(ports, by, named, *groups), tuple(groups)


def _known(ports: Ports, named: str) -> Reviewer | None:
    try:
        return people.person_of(ports, named)
    except NotFound:
        return None


def _demand_name(name: str, email: str) -> None:
    if is_blank(name):
        raise Invalid("person_incomplete", f"{email} is no reviewer yet, so say their name: --name.")
