"""What ends a right by a sign-in, who never gets one, and how somebody is called by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from placet.model.errors import Busy, NotFound
from placet.model.pauses import Reviewer
from placet.model.shown_names import LONGEST, shown_name
from placet.model.states import CallState, Verdict
from placet.policy import Level
from placet.policy.sign_in import MOST_MAPPED, check_sign_in
from placet.records.ops import ConditionFailed, Op
from placet.service import badges, members, people, review, sessions
from placet.service.asking import Groups
from placet.service.sessions import LIFE_MS
from tests.gateway import REFUND, Gateway

CLARA = Reviewer("clara", "Clara Clark", "clara@example.com")
MARIA = Reviewer("maria", "Maria Keller", "maria@example.com")


@pytest.fixture
def mapped(gateway: Gateway) -> Gateway:
    """Finance is also whoever is in Finance-EU or Finance-US at the company."""
    gateway.policy = replace(gateway.policy, sign_in_groups={"finance": ("Finance-EU", "Finance-US")})
    return gateway


def begins(gateway: Gateway, *groups: str, who: Reviewer = CLARA) -> str:
    """The cookie of a new session."""
    gateway.clock.at_ms += 1
    cookie = sessions.new_cookie(gateway.ports)
    until_ms = gateway.clock.now_ms() + LIFE_MS
    badges.signed_in(gateway.ports, who, groups, until_ms, sessions.stored_name(cookie))
    return sessions.begin(gateway.ports, who.sub, cookie)


def signs_out(gateway: Gateway, cookie: str, sub: str = "clara") -> None:
    badges.signed_out(gateway.ports, sub, sessions.stored_name(cookie))
    sessions.end(gateway.ports, cookie)


def groups_of(gateway: Gateway, sub: str = "clara") -> frozenset[str]:
    return members.reviewer(gateway.ports, sub).groups


def asked(gateway: Gateway) -> set[str]:
    return {one.sub for one in Groups(gateway.ports).of("finance")}


def test_remove_ends_what_was_entered_and_what_the_sign_in_says(mapped: Gateway) -> None:
    begins(mapped, "Finance-EU", who=MARIA)
    head, maria = mapped.shown(REFUND), members.reviewer(mapped.ports, "maria")
    assert people.leave(mapped.ports, "op", "maria@example.com", "finance").name == "Maria Keller"
    assert "finance" not in groups_of(mapped, "maria")
    assert "maria" not in asked(mapped)
    with pytest.raises(NotFound):
        mapped.decide(head, 1, Verdict.ACCEPT, maria)
    with pytest.raises(NotFound):
        people.leave(mapped.ports, "op", "maria", "finance")


@pytest.mark.parametrize("named", ["clara", "Clara <CLARA@example.com>"])
def test_who_is_only_remembered_is_removed_and_mailed_no_more(mapped: Gateway, named: str) -> None:
    begins(mapped, "Finance-EU")
    mapped.clock.at_ms += LIFE_MS + 1
    assert "clara" in asked(mapped)
    gone = people.leave(mapped.ports, "op", named, "finance")
    assert (gone.sub, gone.name) == ("clara", "Clara Clark (clara@example.com)")
    mapped.shown(REFUND)
    assert "clara" not in {note.to for note in mapped.mail.sent}


def meanwhile(gateway: Gateway, does: Callable[[], object]) -> None:
    """It happens between the read and the next write."""
    real = gateway.table.write

    def write(ops: list[Op]) -> None:
        gateway.table.write = real
        does()
        gateway.table.write(ops)

    gateway.table.write = write


def test_two_browsers_that_sign_out_at_once_leave_no_right(mapped: Gateway) -> None:
    one, other = begins(mapped, "Finance-EU"), begins(mapped, "Finance-US")
    meanwhile(mapped, lambda: signs_out(mapped, other))
    signs_out(mapped, one)
    assert not groups_of(mapped)
    assert "clara" in asked(mapped), "she is asked to sign in again"


def test_who_is_removed_while_one_of_their_browsers_signs_out_stays_removed(mapped: Gateway) -> None:
    one, _ = begins(mapped, "Finance-EU"), begins(mapped, "Finance-EU")
    meanwhile(mapped, lambda: people.leave(mapped.ports, "op", "clara", "finance"))
    signs_out(mapped, one)
    assert not groups_of(mapped)
    assert "clara" not in asked(mapped)


def test_who_signs_in_with_another_browser_while_one_signs_out_keeps_the_right(mapped: Gateway) -> None:
    one = begins(mapped, "Finance-EU")
    meanwhile(mapped, lambda: begins(mapped, "Finance-EU"))
    signs_out(mapped, one)
    assert groups_of(mapped) == {"finance"}


def test_a_sign_out_that_always_comes_second_is_to_be_sent_again(mapped: Gateway) -> None:
    cookie = begins(mapped, "Finance-EU")

    def write(ops: list[Op]) -> None:
        raise ConditionFailed(0, None)

    mapped.table.write = write
    with pytest.raises(Busy):
        signs_out(mapped, cookie)
    assert sessions.find(mapped.ports, cookie), "its cookie is there still"


def test_remove_says_what_brings_them_back(mapped: Gateway) -> None:
    assert people.brought_back_by(mapped.ports, "finance") == ("Finance-EU", "Finance-US")
    assert people.brought_back_by(mapped.ports, "approvers") == ()


@pytest.mark.parametrize("email", ["", "Clara", "not an address", "@", "clara@"])
def test_without_an_address_nobody_is_a_member_by_sign_in(mapped: Gateway, email: str) -> None:
    begins(mapped, "Finance-EU")
    head = mapped.shown(REFUND, requester="clara@example.com")
    nameless = replace(CLARA, email=email)
    begins(mapped, "Finance-EU", who=nameless)
    assert not groups_of(mapped)
    assert "clara" not in asked(mapped)
    with pytest.raises(NotFound):
        mapped.decide(head, 1, Verdict.ACCEPT, members.reviewer(mapped.ports, "clara"))
    assert badges.is_kept_out(mapped.ports, nameless, ["Finance-EU"])
    assert not badges.is_kept_out(mapped.ports, nameless, ["Everybody"])
    assert not badges.is_kept_out(mapped.ports, CLARA, ["Finance-EU"])


def test_signing_out_ends_what_the_session_said_and_the_person_is_still_asked(mapped: Gateway) -> None:
    cookie = begins(mapped, "Finance-EU")
    head, clara = mapped.shown(REFUND), members.reviewer(mapped.ports, "clara")
    signs_out(mapped, cookie)
    assert not groups_of(mapped)
    with pytest.raises(NotFound):
        mapped.decide(head, 1, Verdict.ACCEPT, clara)
    assert "clara" in asked(mapped)
    begins(mapped, "Finance-EU")
    assert mapped.decide(head, 1, Verdict.ACCEPT, members.reviewer(mapped.ports, "clara")).state is CallState.ACCEPTED


def test_a_session_that_lives_keeps_it_until_its_own_end(mapped: Gateway) -> None:
    first, began = begins(mapped, "Finance-EU"), mapped.clock.now_ms()
    mapped.clock.at_ms += 3_600_000
    second = begins(mapped, "Finance-EU")
    signs_out(mapped, second)
    assert groups_of(mapped) == {"finance"}
    mapped.clock.at_ms = began + LIFE_MS
    assert not groups_of(mapped), "the time of the one that was signed out is not lent to the other"
    mapped.clock.at_ms -= 1
    signs_out(mapped, first)
    assert not groups_of(mapped)


def test_a_session_that_never_said_it_or_is_gone_keeps_nothing(mapped: Gateway) -> None:
    begins(mapped)
    gone = begins(mapped, "Finance-EU")
    sessions.end(mapped.ports, gone)
    cookie = begins(mapped, "Finance-EU")
    signs_out(mapped, cookie)
    assert not groups_of(mapped)


def test_signing_out_ends_no_membership_that_was_entered_nor_brings_back_what_an_operator_ended(
    mapped: Gateway,
) -> None:
    cookie = begins(mapped, "Finance-EU", who=MARIA)
    signs_out(mapped, cookie, "maria")
    assert "finance" in groups_of(mapped, "maria")
    cookie = begins(mapped, "Finance-EU")
    people.leave(mapped.ports, "op", "clara", "finance")
    signs_out(mapped, cookie)
    assert "clara" not in asked(mapped)


def test_what_an_earlier_release_wrote_ends_with_the_sign_out_too(mapped: Gateway) -> None:
    cookie = begins(mapped, "Finance-EU")
    for item in mapped.table.items.values():
        item.pop("sessions", None)
    assert groups_of(mapped) == {"finance"}
    signs_out(mapped, cookie)
    assert not groups_of(mapped)


def test_a_membership_remembers_few_sessions(mapped: Gateway) -> None:
    for _ in range(badges.MOST_SESSIONS + 3):
        begins(mapped, "Finance-EU")
    (one,) = badges.stored(mapped.ports, "clara")
    assert len(one.sessions) == badges.MOST_SESSIONS


def test_no_write_of_a_sign_in_is_larger_than_a_transaction(mapped: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"g{number:02}" for number in range(MOST_MAPPED)]
    mapped.with_policy(levels=(Level((*names, "finance", "approvers")),))
    mapped.policy = replace(mapped.policy, sign_in_groups={name: (name,) for name in names})
    sizes: list[int] = []
    real = mapped.table.write
    monkeypatch.setattr(mapped.table, "write", lambda ops: (sizes.append(len(ops)), real(ops)))
    begins(mapped, *names)
    assert groups_of(mapped) == frozenset(names)
    begins(mapped)
    assert not groups_of(mapped)
    assert max(sizes) <= 2 * badges.IN_ONE_WRITE < 100, "items of one transaction of DynamoDB"
    assert sum(sizes) == 2 * 2 * len(names) + 2


def test_a_policy_maps_a_bounded_number_of_groups() -> None:
    mapping = {f"g{number}": ("x",) for number in range(MOST_MAPPED)}
    check_sign_in(mapping, mapping.keys())
    with pytest.raises(ValueError, match=f"at most {MOST_MAPPED} groups, and has {MOST_MAPPED + 1}"):
        check_sign_in(mapping | {"more": ("x",)}, {*mapping, "more"})


@pytest.mark.parametrize(
    "name",
    [
        "Jonas Weber for Maria Keller",
        "Jonas FOR Maria",
        "Jonas\u00a0for\u2003Maria",
        "Jonas f\u043er Maria",
        "Jonas \uff46\uff4f\uff52 Maria",
        "Jonas fo\u200br Maria",
        "Jonas in place of Maria",
        "Maria Keller (maria@example.com)",
        "maria@example.com",
        "Maria Keller, Jonas Weber",
        "M\u0430ria Keller",
        "x" * (LONGEST + 1),
        " \u200b",
        "",
    ],
)
def test_a_name_that_says_more_than_a_name_is_not_shown(name: str) -> None:
    assert shown_name(name, "clara@example.com", "s-1") == "clara@example.com"


@pytest.mark.parametrize(
    "name", ["Maria Keller", "J\u00fcrgen M\u00fcller-Ford", "Forrest O'Neil Jr.", "\u674e\u5c0f\u9f99"]
)
def test_beside_a_name_stands_whose_it_is(name: str) -> None:
    assert shown_name(name, "clara@example.com", "s-1") == f"{name} (clara@example.com)"


@pytest.mark.parametrize("email", ["Jonas for Maria <clara@example.com>", "a@b c@d", "cl\u0430ra@example.com", "s-1"])
def test_an_address_that_is_none_stands_nowhere(email: str) -> None:
    assert shown_name("Clara", email, "s-1") == "Clara (s-1)"


def test_record_and_lists_call_nobody_by_another_ones_name(mapped: Gateway) -> None:
    for name, shown in (
        ("Jonas Weber for Maria Keller", "clara@example.com"),
        ("Maria Keller", "Maria Keller (clara@example.com)"),
    ):
        begins(mapped, "Finance-EU", who=replace(CLARA, name=name))
        head = mapped.shown(REFUND, checkpoint=f"cp-{len(name)}")
        assert mapped.decide(head, 1, Verdict.ACCEPT, members.reviewer(mapped.ports, "clara")).by == shown
        told = review.detail(mapped.ports, mapped.maria, head.pause).calls[0].decided
        assert told is not None
        assert told.by == shown
        (group,) = (one for one in people.people(mapped.ports).groups if one.name == "finance")
        assert shown in {one.name for one in group.asked}
