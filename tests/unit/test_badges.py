"""Badges: groups of the company's sign-in, a right while the session lasts, through the policy's mapping, checked by the write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from placet.model.errors import NotFound
from placet.model.pauses import ByBadge, Reviewer, call_id
from placet.model.states import CallState, Verdict
from placet.policy import Level, Policy
from placet.policy.sign_in import LONGEST_NAME, MOST_NAMES, groups_by
from placet.records.badges import REMEMBERED_MS
from placet.records.ops import Check, Op
from placet.service import badges, members, people, review
from placet.service.asking import Groups
from placet.service.away import away
from placet.service.inbox import inbox
from placet.service.reassign import reassign
from placet.service.sessions import LIFE_MS
from tests.gateway import REFUND, Gateway

CLARA = Reviewer("clara", "Clara Clark", "clara@example.com")


@pytest.fixture
def mapped(gateway: Gateway) -> Gateway:
    """Finance is also whoever is in Finance-EU or Finance-US at the company."""
    gateway.policy = replace(gateway.policy, sign_in_groups={"finance": ("Finance-EU", "Finance-US")})
    return gateway


def signs_in(gateway: Gateway, *groups: str, who: Reviewer = CLARA) -> Reviewer:
    badges.signed_in(gateway.ports, who, groups, gateway.clock.now_ms() + LIFE_MS)
    return members.reviewer(gateway.ports, who.sub)


def test_a_badge_is_a_membership_until_the_session_ends(mapped: Gateway) -> None:
    mapped.with_policy(deadline_s=20 * 3_600)
    began, clara = mapped.clock.now_ms(), signs_in(mapped, "Finance-EU", "Everybody")
    assert (clara.groups, clara.badges, clara.name) == ({"finance"}, {"finance"}, "Clara Clark (clara@example.com)")
    head = mapped.shown(REFUND)
    assert inbox(mapped.ports, clara).rows
    mapped.clock.at_ms = began + LIFE_MS - 1
    assert members.reviewer(mapped.ports, "clara").groups == {"finance"}
    mapped.clock.at_ms += 1
    gone = members.reviewer(mapped.ports, "clara")
    assert not gone.groups
    for who in (gone, clara):
        with pytest.raises(NotFound):
            mapped.decide(head, 1, Verdict.ACCEPT, who)


def test_a_decision_by_a_badge_checks_it_in_the_same_write(mapped: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    clara = signs_in(mapped, "Finance-EU")
    head = mapped.shown(REFUND)
    written: list[Op] = []
    real = mapped.table.write
    monkeypatch.setattr(mapped.table, "write", lambda ops: (written.extend(ops), real(ops)))
    assert mapped.decide(head, 1, Verdict.ACCEPT, clara).state is CallState.ACCEPTED
    (check,) = (op for op in written if isinstance(op, Check))
    assert check.key == mapped.keys.badge("clara", "finance")
    assert [one.name for one in check.clauses] == ["still_member", "badge_lasts"]
    told = mapped.table.get(mapped.keys.event(head.pause, "1#decided"))
    assert (told["membership"], type(told["membership"])) == ("finance", str)


@pytest.mark.parametrize("groups", [(), ("finance",), ("finance-eu",), ("Finance-EU ",), ("Finance",)])
def test_only_the_names_of_the_mapping_count_letter_by_letter(mapped: Gateway, groups) -> None:
    assert not signs_in(mapped, *groups).groups
    assert not Groups(mapped.ports).of("finance")[2:]


def test_the_next_sign_in_without_the_group_ends_it_at_once(mapped: Gateway) -> None:
    head = mapped.shown(REFUND)
    clara = signs_in(mapped, "Finance-EU")
    assert not signs_in(mapped, "Everybody").groups
    with pytest.raises(NotFound):
        mapped.decide(head, 1, Verdict.ACCEPT, clara)
    assert "clara" not in {one.sub for one in Groups(mapped.ports).of("finance")}, "nor are they asked any more"


def test_who_signed_in_is_asked_after_the_session_too_for_as_long_as_they_are_remembered(mapped: Gateway) -> None:
    signs_in(mapped, "Finance-US")
    mapped.clock.at_ms += LIFE_MS
    head = mapped.shown(REFUND)
    assert "clara" in {note.to for note in mapped.mail.sent if note.pause == head.pause}
    assert not members.reviewer(mapped.ports, "clara").groups, "to decide they sign in again"
    assert signs_in(mapped, "Finance-US").groups
    assert mapped.decide(head, 1, Verdict.REJECT, members.reviewer(mapped.ports, "clara")).state is CallState.REJECTED
    mapped.clock.at_ms += LIFE_MS + REMEMBERED_MS
    assert "clara" not in {one.sub for one in Groups(mapped.ports).of("finance")}


def test_a_vote_by_a_badge_counts_while_it_lasts(mapped: Gateway) -> None:
    mapped.with_policy(quorum=2, deadline_s=20 * 3_600)
    clara = signs_in(mapped, "Finance-EU")
    head = mapped.shown(REFUND)
    mapped.decide(head, 1, Verdict.ACCEPT, clara)
    assert mapped.decide(head, 1, Verdict.ACCEPT).state is CallState.ACCEPTED
    other = mapped.shown(REFUND, checkpoint="cp-2")
    mapped.decide(other, 1, Verdict.ACCEPT, signs_in(mapped, "Finance-EU"))
    mapped.clock.at_ms += LIFE_MS
    assert mapped.decide(other, 1, Verdict.ACCEPT).state is CallState.PENDING


def test_a_mapping_that_a_deploy_took_away_gives_nothing(mapped: Gateway) -> None:
    clara = signs_in(mapped, "Finance-EU")
    head = mapped.shown(REFUND)
    for mapping in ({}, {"approvers": ("Finance-EU",)}):
        mapped.policy = replace(mapped.policy, sign_in_groups=mapping)
        assert not members.reviewer(mapped.ports, "clara").groups
        with pytest.raises(NotFound):
            mapped.decide(head, 1, Verdict.ACCEPT, members.reviewer(mapped.ports, clara.sub))
        assert "clara" not in {one.sub for one in Groups(mapped.ports).of("finance")}


def test_without_a_mapping_nothing_is_written_or_read(gateway: Gateway) -> None:
    before = dict(gateway.table.items)
    assert signs_in(gateway, "Finance-EU", "finance").groups == frozenset()
    assert gateway.table.items == before


def test_requester_and_owner_are_known_by_the_names_of_the_badge(mapped: Gateway) -> None:
    clara = signs_in(mapped, "Finance-EU")
    head = mapped.shown(REFUND, requester="Clara <CLARA@example.com>")
    assert review.detail(mapped.ports, clara, head.pause).calls[0].hindered == "requester_may_not_decide"
    signs_in(mapped, "Finance-EU", who=replace(CLARA, sub="maria", email="second@example.com"))
    assert "second@example.com" in members.reviewer(mapped.ports, "maria").names
    assert not members.reviewer(mapped.ports, "maria").badges, "an operator's word stands first"


def test_an_operator_ends_it_until_the_next_sign_in_and_the_list_says_where_it_comes_from(mapped: Gateway) -> None:
    signs_in(mapped, "Finance-EU")
    found = {one.sub: one for one in next(g for g in people.people(mapped.ports).groups if g.name == "finance").people}
    assert found["clara"].badge_until_ms == mapped.clock.now_ms() + LIFE_MS
    assert found["maria"].badge_until_ms == 0
    people.leave(mapped.ports, "ops", "clara@example.com", "finance")
    assert not members.reviewer(mapped.ports, "clara").groups
    assert signs_in(mapped, "Finance-EU").groups == {"finance"}


def test_a_delegate_of_somebody_who_is_in_by_a_badge_decides_while_that_lasts(mapped: Gateway) -> None:
    mapped.with_policy(deadline_s=20 * 3_600)
    clara, ingrid = signs_in(mapped, "Finance-EU"), mapped.person("ingrid", "Ingrid Solberg", "gardeners")
    now = mapped.clock.now_ms()
    away(mapped.ports, clara, now, now + 10 * LIFE_MS, "ingrid", "clara")
    head, later = mapped.shown(REFUND), mapped.shown(REFUND, checkpoint="cp-2")
    assert mapped.decide(head, 1, Verdict.ACCEPT, ingrid).by == "Ingrid Solberg for Clara Clark (clara@example.com)"
    mapped.clock.at_ms += LIFE_MS
    with pytest.raises(NotFound):
        mapped.decide(later, 1, Verdict.ACCEPT, ingrid)


def test_a_call_is_handed_to_somebody_by_a_badge_who_signs_in_again_to_decide(mapped: Gateway) -> None:
    mapped.with_policy(levels=(Level(("approvers",)), Level(("finance",), 3600)), deadline_s=20 * 3_600)
    signs_in(mapped, "Finance-EU")
    mapped.clock.at_ms += LIFE_MS
    head = mapped.shown(REFUND)
    reassign(mapped.ports, mapped.maria, call_id(head.pause, 1), to="clara@example.com")
    with pytest.raises(NotFound):
        mapped.decide(mapped.head(head.pause), 1, Verdict.ACCEPT, members.reviewer(mapped.ports, "clara"))
    clara = signs_in(mapped, "Finance-EU")
    assert mapped.decide(mapped.head(head.pause), 1, Verdict.ACCEPT, clara).state is CallState.ACCEPTED


def _policy(gateway: Gateway, mapping: object) -> Policy:
    known = gateway.policy
    return Policy.of(
        "1", list(known.classes.values()), list(known.tools.values()), known.unknown_class, sign_in_groups=mapping
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "mapping",
    [
        {"finance": "Finance-EU"},
        {"finance": ()},
        {"finance": ("",)},
        {"finance": (1,)},
        {"fnance": ("Finance-EU",)},
        {"finance": ("x" * (LONGEST_NAME + 1),)},
        {"finance": tuple(str(number) for number in range(MOST_NAMES + 1))},
        [("finance", ("x",))],
        "finance",
    ],
)
def test_a_mapping_that_means_nothing_is_refused_at_synth(gateway: Gateway, mapping: object) -> None:
    with pytest.raises(ValueError, match="sign_in_groups"):
        _policy(gateway, mapping)


def test_what_is_mapped_is_found() -> None:
    mapping = {"finance": ("A", "B"), "leads": ("B",)}
    assert groups_by(mapping, ["B", "C"]) == {"finance", "leads"}
    assert groups_by(mapping, []) == groups_by({}, ["A"]) == frozenset()
    assert isinstance(CLARA.membership("x"), str)
    assert isinstance(replace(CLARA, badges=frozenset({"x"})).membership("x"), ByBadge)
