"""A partition is of one kind: the patterns by which IAM tells them apart never meet, whatever a part is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fnmatch import fnmatchcase

import pytest

from infra.rights import (
    AWAY,
    BADGE,
    BADGE_HOLDER,
    BUDGET,
    ENTITY,
    FREEZE,
    GROUP,
    HISTORY,
    LISTS,
    MAILBOX,
    OPEN_COUNT,
    PAUSE,
    RUN,
    RUNS,
    SAMPLES,
    SEEN,
    SESSION,
    SINK,
    TABLE_RIGHTS,
    TOKEN,
    USER,
)
from placet.model.ids import short_name
from placet.policy import ActionClass, Level
from placet.records.keys import Key, Keys
from placet.service.bedrock.following import follow
from tests.gateway import REFUND, SUPPORT, Gateway

KEYS = Keys("main")
ID = short_name(bytes(range(32)))
ODD = ["x#P#y", "#", "a#K#b", "#P#"]
# Each kind of partition, made of the parts that come from outside.
KINDS: dict[str, Callable[[str], str]] = {
    PAUSE: KEYS.pause,
    TOKEN: lambda part: KEYS.token(part, 1).pk,
    USER: KEYS.person,
    GROUP: KEYS.group,
    BADGE: KEYS.badges,
    BADGE_HOLDER: KEYS.badge_holders,
    SESSION: lambda part: KEYS.session(part).pk,
    HISTORY: KEYS.history,
    OPEN_COUNT: lambda part: KEYS.open_count(part).pk,
    MAILBOX: lambda part: KEYS.mailbox(part).pk,
    SINK: lambda part: KEYS.sink(part).pk,
    RUNS: lambda part: KEYS.session_run("desk", part).pk,
    BUDGET: lambda part: KEYS.budget(part, "2026-11-30").pk,
    SEEN: lambda part: KEYS.seen(part).pk,
}


def kinds_of(pk: str) -> set[str]:
    """The patterns of table partitions that a key matches, as IAM's StringLike reads them: a star takes every sign."""
    patterns = {
        key for grants in TABLE_RIGHTS.values() for grant in grants if grant.index is None for key in grant.keys
    }
    return {pattern for pattern in patterns if fnmatchcase(pk, pattern)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [ID, "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "a" * 64, "a.b:c_d-e", "P", "T", ""])
def test_a_partition_matches_the_pattern_of_its_own_kind_and_no_other(kind: str, part: str) -> None:
    assert kinds_of(KINDS[kind](part)) == {kind}


def test_the_one_partition_of_absences_is_of_its_own_kind() -> None:
    assert kinds_of(KEYS.absences()) == kinds_of(KEYS.absence("maria#P#x").pk) == {AWAY}


def test_what_a_sign_in_a_name_would_open_is_seen() -> None:
    assert kinds_of("T#main#K#x#P#y") == {TOKEN, PAUSE}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ODD)
def test_no_part_of_a_partition_holds_the_sign_between_them(kind: str, part: str) -> None:
    with pytest.raises(ValueError, match="#"):
        KINDS[kind](part)
    with pytest.raises(ValueError, match="#"):
        KEYS.control(part, "run", 1)


def test_every_partition_of_the_table_is_among_them() -> None:
    made = {name for name, made in inspect.getmembers(KEYS, inspect.ismethod) if not name.startswith("_")}
    partitions = {"pause", "head", "body", "revision", "answer", "event", "token", "member", "person"}
    partitions |= {"group_member", "group"}
    partitions |= {"absences", "absence", "badges", "badge", "badge_holders", "badge_holder"}
    partitions |= {
        "session",
        "session_run",
        "control",
        "completion",
        "freeze",
        "lists",
        "remembered",
        "mailbox",
        "open_count",
        "history",
        "sink",
    }
    partitions |= {"budget", "seen", "samples"}
    named = {"entity", "run"}
    in_an_index = {"new", "queue", "out", "stuck", "held_mail", "old_entity", "old_run"}
    assert made == partitions | named | in_an_index
    assert kinds_of(KEYS.freeze().pk) == {FREEZE}
    assert kinds_of(KEYS.lists()) == {LISTS}
    assert kinds_of(KEYS.samples()) == {SAMPLES}
    assert isinstance(KEYS.freeze(), Key)


@pytest.mark.parametrize("name", [*ODD, "order:1182", "a/b", "%23", "", "\U0001f4b6" * 256])
def test_a_name_of_the_agents_choice_stays_in_a_partition_of_its_own(name: str) -> None:
    assert kinds_of(KEYS.entity(name)) == {ENTITY}
    assert kinds_of(KEYS.run("desk", name)) == {RUN}
    assert max(len(pk.encode()) for pk in (KEYS.entity(name), KEYS.run("a" * 64, name))) <= 2_048


def test_different_names_have_different_partitions() -> None:
    names = ["a#b", "a%23b", "a%2523b", "a%b", "a%25b", "#", "%", "a"]
    assert len({KEYS.run(agent, name) for agent in ("a", "b") for name in names}) == 2 * len(names)
    with pytest.raises(ValueError, match="#"):
        KEYS.run("a#b", "run")


def test_a_group_of_the_policy_has_no_such_name() -> None:
    with pytest.raises(ValueError, match="group"):
        ActionClass("a", (Level(("finance#P#x",)),), 60, 60, 60)


@pytest.mark.parametrize("run", ODD)
def test_a_run_of_another_framework_may_be_called_anything(gateway: Gateway, run: str) -> None:
    head = gateway.shown(REFUND, run=run)
    assert follow(gateway.ports, SUPPORT, run).pause == head.pause
