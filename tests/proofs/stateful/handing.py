"""A call is handed on to a person or a group of its class: what is judged of it, and the rules that do it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from placet.model.errors import PlacetError
from placet.model.pauses import call_id
from placet.model.states import Verdict
from placet.service import members
from placet.service.decide import Decision
from placet.service.reassign import Reassigned, reassign
from tests.proofs.stateful.acting import AGENTS, Heads
from tests.proofs.stateful.answers import Moment, standing
from tests.proofs.stateful.chances import DECIDERS, MOSTLY, SOME, any_pause, may_be_decided
from tests.proofs.stateful.house import MENU, PEOPLE
from tests.proofs.stateful.people import People
from tests.proofs.stateful.standing_in import Right, agreed_to, is_meant, rights, stands_for

MOST = 10  # of one call
GROUPS = ("finance", "approvers", "board", "operators")
TARGETS = st.sampled_from([*PEOPLE, *GROUPS, "stranger", *["bela", "board"] * 4])


def judge_handing(at: Moment, sub: str, target: str, found: list[Right], answer: Reassigned | PlacetError) -> None:
    """8, 10: a call was rightly handed on, or rightly not; nothing else of it changes."""
    votes = at.oracle.votes[at.key]
    against = [one.hindrances(at.oracle.house, at.head, at.call, votes, sub) for one in found] or [{"not_found"}]
    name = f"G#{target}" if target in GROUPS else f"U#{target}"
    wrong = _refusals(at) | _of_target(at, sub, target)
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        no_right = set().union(*against) if all(against) or sub in votes else set()
        assert answer.code in wrong | no_right, f"10: {answer.code} is not so: {at.call}"
        return
    assert not wrong, f"8: {sub} handed it to {target} although {wrong}"
    last = standing(at)
    against = [one.hindrances(at.oracle.house, at.head, at.call, last, sub) for one in found] or [{"not_found"}]
    assert not all(against), f"8: {sub} handed it to {target} although {against}"
    before, now = at.call.get("handed", {}), at.now.get("handed", {})
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        assert name in before, "10: replayed, and nobody has handed it on"
        return
    assert at.now == {**at.call, "handed": now}, "8: a handing-on changed more of the call"
    assert now.keys() - before.keys() == {name}, f"8: it was handed to {target}, and the record says {now}"
    at.oracle.handed[f"{at.pause}-{at.number}"].add(name)


def _refusals(at: Moment) -> set[str]:
    """Everything that speaks against handing a call on, whoever does it, and to whom."""
    call, head, now = at.call, at.head, at.oracle.house.now_ms
    pending, deadline = call["state"] == "pending", call.get("deadline_ms", 0)
    facts = {
        "frozen": at.oracle.frozen,
        "already_decided": not pending,
        "deadline_passed": pending and 0 < deadline <= now,
        "not_shown_yet": pending and not (deadline and head.get("notified_ms")),
        "pause_listed": "stuck" in head,
        "epoch_differs": at.restored,
        "reassign_too_often": len(call.get("handed", {})) >= MOST,
    }
    return {code for code, holds in facts.items() if holds}


def _of_target(at: Moment, sub: str, target: str) -> set[str]:
    """What speaks against handing it to this person or group."""
    house, head, call = at.oracle.house, at.head, at.call
    known, agreed = house.deployed.groups.get(call["class"], {}), agreed_to(house, head, call)
    of_class = {one for one in house.people if house.groups_of(one) & known.keys()}
    theirs = {one for one in of_class if target in (one, *house.groups_of(one))}
    out = {one for one in theirs if any(is_meant(head.get(who), one) for who in ("requester", "owner"))}
    there = {stands_for(house, head, one, agreed) for one in theirs - out} - {"", sub}
    person = target not in GROUPS
    facts = {
        "reassign_unknown": target not in (of_class if person else known),
        "reassign_self": target == sub,
        "reassign_kept_out": person and bool(out),
        "reassign_agreed": person and target in agreed,
        "reassign_away": not there,
    }
    return {code for code, holds in facts.items() if holds}


class Handing(People):
    """The rules, and those of People."""

    @any_pause
    @rule(some=SOME, aimed=MOSTLY, sub=DECIDERS, whom=TARGETS)
    def hands_on(self, some: int, aimed: bool, sub: str, whom: str) -> None:
        """Somebody hands a call on, to whom they may or may not."""
        pause, number, call = self.call(some, may_be_decided if aimed else None)
        person, held = members.reviewer(self.house.ports, sub), rights(self.house, sub, call["class"])
        to = {"group" if whom in GROUPS else "to": whom}

        def judge(before: Heads, after: Heads, answer: Any) -> None:
            judge_handing(Moment(self.oracle, before, after, pause, number), sub, whom, held, answer)

        self.act("hand on", lambda: reassign(self.house.ports, person, call_id(pause, number), **to), judge)

    @rule(whom=st.sampled_from(["bela", "board"]), beside=st.booleans(), told=MOSTLY, no=st.booleans())
    def handed_before_its_level(self, whom: str, beside: bool, told: bool, no: bool) -> None:
        """Somebody of a later level gets a call, and decides it; another call of the pause may be decided between."""
        calls = [MENU[4], *([MENU[0]] if beside else [])]
        self.comes_into_the_queue(calls, AGENTS["support-agent"], False, "wait")
        if not self.house.pauses:
            return
        self.hands_on(0, True, "maria", whom)
        pause, number, call = self.call(0, lambda one: may_be_decided(one) and one["class"] == "general")
        if told:
            self.sweeps(True)
        if beside and call["class"] == "general":
            other = 3 - number
            if str(other) in self.house.heads()[pause]["calls"]:
                self.accept(pause, other, "jonas")
        verdict = Verdict.REJECT if no else Verdict.ACCEPT
        self.decide(pause, number, "bela", Decision(verdict, *self.shown_of(pause, number, True), reason="no" * no))
