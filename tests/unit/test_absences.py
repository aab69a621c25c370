"""Away: whoever was named decides what the absent person may decide, under both names, and nobody gets a second vote by it."""

from __future__ import annotations

import itertools

import pytest

from placet.model.absences import Absence, Absences
from placet.model.errors import Conflict, Invalid, NotAllowed, NotFound
from placet.model.pauses import Reviewer
from placet.model.states import CallState, PermitState, Verdict
from placet.policy import Level
from placet.records import writes
from placet.records.ops import Delete
from placet.service import members, review
from placet.service.absences import absences
from placet.service.away import away, back
from placet.service.decide import Decided
from placet.service.inbox import inbox
from placet.service.sweep import sweep
from tests.gateway import REFUND, Gateway

HOUR = 3_600_000


def leave(gateway: Gateway, who: Reviewer, delegate: Reviewer | None, hours: int = 24, begins: int = 0) -> Absence:
    now = gateway.clock.now_ms()
    return away(gateway.ports, who, now + begins * HOUR, now + hours * HOUR, delegate.sub if delegate else "", who.sub)


def forced(gateway: Gateway, who: Reviewer, delegate: Reviewer) -> None:
    """An absence that no verb would write down."""
    now = gateway.clock.now_ms()
    one = Absence(who.sub, who.name, now, now + 24 * HOUR, delegate.sub, delegate.name, who.sub)
    gateway.table.write(writes.put_absence(gateway.keys, one, now))


@pytest.fixture
def ingrid(gateway: Gateway) -> Reviewer:
    """Somebody of another group, who may decide nothing of it by herself."""
    return gateway.person("ingrid", "Ingrid Solberg", "gardeners")


def accept(gateway: Gateway, head, who: Reviewer) -> Decided:
    return gateway.decide(head, 1, Verdict.ACCEPT, who)


def event(gateway: Gateway, head):
    return gateway.table.get(gateway.keys.event(head.pause, "1#decided"))


def test_a_delegate_sees_and_decides_what_the_absent_person_may_and_both_names_are_recorded(gateway, ingrid) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert not inbox(gateway.ports, ingrid).rows
    leave(gateway, gateway.jonas, ingrid)
    assert [row.pause for row in inbox(gateway.ports, ingrid).rows] == [head.pause]
    shown = review.detail(gateway.ports, ingrid, head.pause).calls[0]
    assert (shown.may_decide, shown.in_place_of) == (True, "Jonas Weber")
    assert accept(gateway, head, ingrid).by == "Ingrid Solberg for Jonas Weber"
    told = event(gateway, head)
    assert (told["by"], told["in_place_of"], told["in_place_of_name"]) == ("ingrid", "jonas", "Jonas Weber")
    assert told["membership"] == "finance"
    assert gateway.head(head.pause).calls[0].permit is PermitState.FREE
    decided = review.detail(gateway.ports, gateway.maria, head.pause).calls[0].decided
    assert decided is not None
    assert decided.by == "Ingrid Solberg for Jonas Weber"
    assert accept(gateway, head, ingrid).replayed


def test_nobody_stands_in_before_an_absence_begins_after_it_ends_or_once_it_is_withdrawn(gateway, ingrid) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid, begins=1, hours=2)
    for at, may in ((0, False), (HOUR - 1, False), (HOUR, True), (2 * HOUR - 1, True), (2 * HOUR, False)):
        moment = gateway.clock.at_ms
        gateway.clock.at_ms += at
        assert bool(inbox(gateway.ports, ingrid).rows) is may, at
        gateway.clock.at_ms = moment
    leave(gateway, gateway.jonas, ingrid)
    back(gateway.ports, gateway.jonas, "jonas")
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert back(gateway.ports, gateway.jonas, "jonas").until_ms == gateway.clock.now_ms()


def meanwhile(gateway: Gateway, monkeypatch: pytest.MonkeyPatch, happens) -> None:
    """Something is committed between what a decision read and what it writes, once."""
    plain, left = gateway.table.write, [happens]

    def write(ops) -> None:
        if left and any(getattr(op, "key", None) and op.key.sk == "HEAD" for op in ops):
            left.pop()()
        plain(ops)

    monkeypatch.setattr(gateway.table, "write", write)


@pytest.mark.parametrize("gone", ["withdrawn", "put off", "another delegate", "delegator left", "delegate left"])
def test_a_right_that_ends_between_the_page_and_the_click_decides_nothing(gateway, ingrid, monkeypatch, gone) -> None:
    head = gateway.shown(REFUND)
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    leave(gateway, gateway.jonas, ingrid)
    happens = {
        "withdrawn": lambda: back(gateway.ports, gateway.jonas, "jonas"),
        "put off": lambda: leave(gateway, gateway.jonas, ingrid, begins=1),
        "another delegate": lambda: leave(gateway, gateway.jonas, olga),
        "delegator left": lambda: gateway.table.write([Delete(gateway.keys.member("jonas", "finance"))]),
        "delegate left": lambda: gateway.table.write([Delete(gateway.keys.member("ingrid", "gardeners"))]),
    }
    meanwhile(gateway, monkeypatch, happens[gone])
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert gateway.head(head.pause).calls[0].state is CallState.PENDING


def test_a_delegate_gets_the_delegators_groups_and_levels_and_never_more(gateway, ingrid) -> None:
    gateway.with_policy(levels=(Level(groups=("finance",)), Level(groups=("leads",), after_s=60)))
    petra = gateway.person("petra", "Petra Vogt", "leads")
    head = gateway.shown(REFUND)
    leave(gateway, petra, ingrid)
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)
    assert (
        review.detail(gateway.ports, ingrid, head.pause).calls[0].why_not
        == "It has not been widened to your group yet."
    )


@pytest.mark.parametrize("requester", ["ingrid@example.com", "ingrid", "Jonas Weber <JONAS@example.com>"])
def test_neither_delegate_nor_delegator_may_be_the_requester(gateway, ingrid, requester) -> None:
    head = gateway.shown(REFUND, requester=requester)
    leave(gateway, gateway.jonas, ingrid)
    with pytest.raises(NotAllowed, match="somebody else"):
        accept(gateway, head, ingrid)
    assert not review.detail(gateway.ports, ingrid, head.pause).calls[0].may_decide


def test_whoever_stands_in_between_may_not_be_the_requester_either(gateway, ingrid) -> None:
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND, requester="olga@example.com")
    leave(gateway, gateway.jonas, olga)
    leave(gateway, olga, ingrid)
    with pytest.raises(NotAllowed):
        accept(gateway, head, ingrid)


def test_the_owner_of_the_agent_decides_in_nobodys_place(gateway, ingrid) -> None:
    owner = Reviewer("boss", "Boss", "owner@example.com")
    members.add(gateway.ports, owner, "gardeners")
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, owner)
    with pytest.raises(NotAllowed):
        accept(gateway, head, members.reviewer(gateway.ports, "boss"))


def test_another_right_is_used_where_one_is_the_requesters(gateway, ingrid) -> None:
    head = gateway.shown(REFUND, requester="jonas@example.com")
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, gateway.maria, ingrid)
    assert accept(gateway, head, ingrid).by == "Ingrid Solberg for Maria Keller"


def test_one_person_has_one_vote_whoever_they_vote_for(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, gateway.maria)
    assert accept(gateway, head, gateway.maria).by == "Maria Keller"
    assert accept(gateway, head, gateway.maria).state is CallState.PENDING
    assert gateway.head(head.pause).calls[0].votes.keys() == {"maria"}


def test_two_delegates_of_two_people_are_one_vote_when_they_are_one_person(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, gateway.maria, ingrid)
    accept(gateway, head, ingrid)
    assert accept(gateway, head, ingrid).state is CallState.PENDING


def test_two_delegates_of_one_person_are_one_vote(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    leave(gateway, gateway.jonas, olga)
    assert accept(gateway, head, olga).state is CallState.PENDING  # the vote of whoever stands in no more is gone
    assert accept(gateway, head, gateway.maria).state is CallState.ACCEPTED


def test_an_absent_person_and_their_delegate_are_one_vote(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, gateway.jonas)
    with pytest.raises(Conflict, match="Jonas Weber has a vote"):
        accept(gateway, head, ingrid)
    assert "Jonas Weber has a vote" in review.detail(gateway.ports, ingrid, head.pause).calls[0].why_not
    other = gateway.shown(REFUND, checkpoint="cp-2")
    accept(gateway, other, ingrid)
    assert accept(gateway, other, gateway.jonas).state is CallState.PENDING
    assert gateway.head(other.pause).calls[0].votes.keys() == {"jonas"}


def test_whoever_votes_for_another_is_not_voted_for_by_a_third(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, ingrid, olga)
    accept(gateway, head, ingrid)
    with pytest.raises(Conflict):
        accept(gateway, head, olga)
    assert accept(gateway, head, gateway.maria).state is CallState.ACCEPTED


def test_a_delegated_vote_counts_to_the_quorum_while_the_absence_lasts(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    assert gateway.head(head.pause).calls[0].stand_ins == {"ingrid": "jonas"}
    assert accept(gateway, head, gateway.maria).state is CallState.ACCEPTED
    later = gateway.shown(REFUND, checkpoint="cp-2")
    accept(gateway, later, ingrid)
    back(gateway.ports, gateway.jonas, "jonas")
    assert accept(gateway, later, gateway.maria).state is CallState.PENDING
    assert accept(gateway, later, gateway.jonas).state is CallState.ACCEPTED


def test_a_delegated_vote_is_checked_again_by_the_write_that_counts_it(gateway, ingrid, monkeypatch) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    meanwhile(gateway, monkeypatch, lambda: back(gateway.ports, gateway.jonas, "jonas"))
    assert accept(gateway, head, gateway.maria).state is CallState.PENDING


def test_a_vote_by_a_right_that_is_gone_is_given_anew_by_another(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    accept(gateway, head, ingrid)
    back(gateway.ports, gateway.jonas, "jonas")
    members.add(gateway.ports, Reviewer("ingrid", "Ingrid Solberg", "ingrid@example.com"), "finance")
    ingrid = members.reviewer(gateway.ports, "ingrid")
    gateway.clock.move(1)
    answer = accept(gateway, head, ingrid)
    assert (answer.replayed, answer.by) == (False, "Ingrid Solberg")
    assert accept(gateway, head, gateway.jonas).state is CallState.ACCEPTED


def test_a_chain_leads_on_three_times_and_never_a_fourth(gateway) -> None:
    chain = [gateway.jonas, *(gateway.person(f"g{n}", f"Gardener {n}", "gardeners") for n in range(4))]
    for one, named in itertools.pairwise(chain[:4]):
        leave(gateway, one, named)
    with pytest.raises(Invalid) as caught:
        leave(gateway, chain[3], chain[4])
    assert caught.value.code == "delegates_too_many"
    forced(gateway, chain[3], chain[4])
    head = gateway.shown(REFUND)
    with pytest.raises(NotFound):
        accept(gateway, head, chain[4])
    assert accept(gateway, head, chain[3]).by == "Gardener 2 for Jonas Weber"


def test_a_chain_is_broken_by_whoever_left_on_the_way(gateway, ingrid) -> None:
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    leave(gateway, gateway.jonas, olga)
    leave(gateway, olga, ingrid)
    head = gateway.shown(REFUND)
    gateway.table.write([Delete(gateway.keys.member("olga", "gardeners"))])
    with pytest.raises(NotFound):
        accept(gateway, head, ingrid)


def test_a_circle_is_refused_and_one_that_came_about_lets_nobody_decide_for_themselves(gateway, ingrid) -> None:
    with pytest.raises(Invalid, match="lead back"):
        leave(gateway, gateway.jonas, gateway.jonas)
    leave(gateway, gateway.jonas, ingrid)
    with pytest.raises(Invalid, match="lead back"):
        leave(gateway, ingrid, gateway.jonas)
    forced(gateway, ingrid, gateway.jonas)
    gateway.with_policy(quorum=2)
    head = gateway.shown(REFUND)
    assert accept(gateway, head, gateway.jonas).by == "Jonas Weber"
    with pytest.raises(Conflict):
        accept(gateway, head, ingrid)
    assert absences(gateway.ports).instead_of("jonas") == ()


def test_periods_that_do_not_meet_are_no_circle(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, ingrid, hours=1)
    assert leave(gateway, ingrid, gateway.jonas, begins=1).delegate == "jonas"


@pytest.mark.parametrize(
    ("begins", "hours", "delegate", "code"),
    [
        (0, 0, "", "absence_over"),
        (2, 1, "", "absence_over"),
        (0, 24 * 367, "", "absence_too_long"),
        (0, 1, "nobody", "delegate_unknown"),
    ],
)
def test_what_is_no_absence_is_refused_by_its_code(gateway, begins, hours, delegate, code) -> None:
    now = gateway.clock.now_ms()
    with pytest.raises(Invalid) as caught:
        away(gateway.ports, gateway.jonas, now + begins * HOUR, now + hours * HOUR, delegate, "jonas")
    assert caught.value.code == code
    assert not gateway.table.query(gateway.keys.absences())


def test_who_belongs_to_no_group_is_not_away(gateway) -> None:
    with pytest.raises(NotFound):
        leave(gateway, members.reviewer(gateway.ports, "stranger"), None)
    with pytest.raises(NotFound):
        back(gateway.ports, members.reviewer(gateway.ports, "stranger"), "stranger")


def test_an_absence_that_cannot_be_read_lets_nobody_stand_in_and_hides_no_other(gateway, ingrid) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, gateway.maria, ingrid)
    item = gateway.table.get(gateway.keys.absence("jonas"))
    gateway.table.items[gateway.keys.absence("jonas")] = {**item, "until_ms": "soon"}
    assert accept(gateway, head, ingrid).by == "Ingrid Solberg for Maria Keller"


def mailed(gateway: Gateway, **facts) -> set[str]:
    gateway.clock.move(301)  # a person gets one mail in five minutes
    before = len(gateway.mail.sent)
    gateway.shown(REFUND, **facts)
    return {note.to_email.partition("@")[0] for note in gateway.mail.sent[before:]}


def test_mails_of_who_is_away_go_to_whoever_stands_in_and_only_there(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, ingrid)
    assert mailed(gateway) == {"maria", "ingrid"}
    leave(gateway, gateway.jonas, gateway.maria)
    assert mailed(gateway, checkpoint="cp-2") == {"maria"}
    leave(gateway, gateway.jonas, None)
    assert mailed(gateway, checkpoint="cp-3") == {"maria"}
    back(gateway.ports, gateway.jonas, "jonas")
    assert mailed(gateway, checkpoint="cp-4") == {"maria", "jonas"}


def test_whoever_may_not_decide_it_in_anothers_place_gets_no_mail_of_it(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, ingrid)
    assert mailed(gateway, requester="ingrid@example.com") == {"maria"}


def test_a_mail_follows_the_delegates_delegate(gateway, ingrid) -> None:
    olga = gateway.person("olga", "Olga Brandt", "gardeners")
    leave(gateway, gateway.jonas, ingrid)
    leave(gateway, ingrid, olga)
    assert mailed(gateway) == {"maria", "olga"}


def test_a_group_of_which_everybody_is_away_is_nobody_left_to_ask(gateway, ingrid) -> None:
    leave(gateway, gateway.jonas, None)
    leave(gateway, gateway.maria, None)
    head = gateway.shown(REFUND)
    assert head.stuck == "group_empty"
    leave(gateway, gateway.maria, ingrid)
    assert not gateway.shown(REFUND, checkpoint="cp-2").stuck


def test_a_pause_that_waits_is_listed_when_the_last_one_leaves_and_stands_there_again_when_one_is_back(gateway) -> None:
    head = gateway.shown(REFUND)
    leave(gateway, gateway.jonas, None)
    leave(gateway, gateway.maria, None)
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "group_empty"
    back(gateway.ports, gateway.maria, "maria")
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert not gateway.head(head.pause).stuck


def test_a_sweep_counts_who_is_here_however_many_there_are(gateway) -> None:
    more = [gateway.person(f"p{number}", f"P {number}", "finance", "approvers") for number in range(3)]
    head = gateway.shown(REFUND)
    for person in (gateway.jonas, gateway.maria, *more):
        leave(gateway, person, None)
    gateway.clock.move(61)
    sweep(gateway.ports)
    assert gateway.head(head.pause).stuck == "group_empty"


def test_with_a_quorum_one_person_for_two_is_too_few(gateway, ingrid) -> None:
    gateway.with_policy(quorum=2)
    leave(gateway, gateway.jonas, gateway.maria)
    assert gateway.shown(REFUND).stuck == "too_few_people"


def test_ways_follow_no_circle_however_absences_point() -> None:
    ring = [Absence(f"p{n}", "", 0, 10, f"p{(n + 1) % 5}", "") for n in range(5)]
    found = Absences(ring, 5)
    assert [len(way) for way in found.ways_to("p0")] == [1, 2, 3]
    assert found.instead_of("p0") == ()
