"""Whether an answer tells the truth: each success had every right, each refusal names something that really is so."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from placet.model.errors import PlacetError
from placet.model.states import Verdict
from placet.records.ops import Item
from placet.service.decide import Decided, Decision
from placet.service.execute import Permit
from tests.proofs.stateful.oracle import YES, Effect, Oracle
from tests.proofs.stateful.standing_in import Right, rights
from tests.proofs.timing.presence import are_enough


@dataclass(frozen=True)
class Moment:
    """What was so when somebody acted: the heads before and after, and one call of them."""

    oracle: Oracle
    before: dict[str, Item]
    after: dict[str, Item]
    pause: str
    number: int

    @property
    def head(self) -> Item:
        return self.before[self.pause]

    @property
    def call(self) -> dict[str, Any]:
        """The call before."""
        found: dict[str, Any] = self.head["calls"][str(self.number)]
        return found

    @property
    def now(self) -> dict[str, Any]:
        """The call after."""
        found: dict[str, Any] = self.after[self.pause]["calls"][str(self.number)]
        return found

    @property
    def key(self) -> tuple[str, int, int]:
        """The call and its round, as the books name them."""
        return self.pause, self.number, self.call.get("round", 1)

    @property
    def restored(self) -> bool:
        """The pause is of an epoch before a restore."""
        return bool(self.head["epoch"] != self.oracle.house.epoch)

    def unchanged(self) -> bool:
        """Nothing happened to any pause."""
        return self.before == self.after


def digest_of(arguments: dict[str, Any]) -> str:
    """The oracle's own digest; its arguments are plain integers and texts, where sorted compact JSON is the canonical form."""
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def judge_decision(at: Moment, sub: str, asked: Decision, found: list[Right], answer: Decided | PlacetError) -> None:
    """5, 8, 10: a decision or a vote was rightly taken, or rightly refused."""
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        against = _refusals(at, asked) | _of_no_right(at, sub, found)
        assert answer.code in against, f"10: {answer.code} is not so: {at.call}"
        if answer.code == "already_decided":
            assert answer.members["state"] == at.call["state"], "10: told another state than the stored one"
        return
    digest, away = asked.new_digest or asked.digest, answer.by.partition(" for ")[2].lower()
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        voted = at.oracle.votes[at.key].get(sub) == (digest, away)
        assert voted or at.oracle.decided.get(at.key, ("", "", ""))[:2] == (sub, asked.verdict.value), (
            "10: replayed to another"
        )
        return
    mine = [one for one in found if one.instead_of == away]
    assert mine, f"8: {sub} decided in the place of {away!r}, without the right to"
    votes = standing(at) if asked.verdict is Verdict.ACCEPT else {}
    wrong = _refusals(at, asked) or set.intersection(
        *(one.hindrances(at.oracle.house, at.head, at.call, votes, sub) for one in mine)
    )
    assert not wrong, f"8: {sub} decided although {wrong}"
    at.oracle.taken["decided in another's place"] += bool(away)
    at.oracle.taken["handed on and decided"] += all(one.level > at.call.get("level", 0) for one in mine)
    assert at.now["digest"] == digest or asked.verdict.value == "reject", "5: other arguments were decided than shown"
    _book_decision(at, sub, asked, (digest, away))


def _of_no_right(at: Moment, sub: str, found: list[Right]) -> set[str]:
    """What stands against somebody none of whose rights can be used; of who has voted, what stands against one of them."""
    votes = at.oracle.votes[at.key]
    against = [one.hindrances(at.oracle.house, at.head, at.call, votes, sub) for one in found] or [{"not_found"}]
    return set().union(*against) if all(against) or sub in votes else set()


def standing(at: Moment) -> dict[str, tuple[str, str]]:
    """The votes of those who might vote in the same way now."""
    house = at.oracle.house

    def stands(voter: str, away: str) -> bool:
        found = rights(house, voter, at.call["class"])
        return any(one.instead_of == away and one.is_reached(at.call) for one in found)

    return {voter: said for voter, said in at.oracle.votes[at.key].items() if stands(voter, said[1])}


def _refusals(at: Moment, asked: Decision) -> set[str]:
    """Everything that speaks against this decision, whoever makes it."""
    oracle, call, head = at.oracle, at.call, at.head
    pending, deadline, now = call["state"] == "pending", call.get("deadline_ms", 0), oracle.house.now_ms
    as_shown = (call["rev"], call["digest"]) == (asked.revision, asked.digest)
    facts = {
        "frozen": oracle.frozen,
        "already_decided": call["state"] in (*YES, "rejected", "denied"),
        "deadline_passed": call["state"] == "expired" or (pending and 0 < deadline <= now),
        "call_cancelled": "cancelled" in head and "successor" not in head,
        "call_superseded": "cancelled" in head and "successor" in head,
        "revision_differs": pending and not as_shown,
        "not_shown_yet": pending and not deadline,
        "epoch_differs": at.restored,
        "reason_missing": asked.verdict.value == "reject" and not asked.reason,
    }
    found = {code for code, holds in facts.items() if holds}
    if asked.verdict.value == "edit" and pending and as_shown:
        found |= _edit_refusals(at, asked)
    return found


def _edit_refusals(at: Moment, asked: Decision) -> set[str]:
    given, tool = json.loads(asked.arguments), at.call["tool"]
    proposed = at.oracle.house.proposed[at.pause][at.number - 1][1]
    facts = {
        "edit_not_allowed": at.call["class"] == "general",
        "edit_changes_nothing": digest_of(given) == at.call["digest"],
        "argument_fixed": tool == "issue_refund" and given.get("order_id") != proposed["order_id"],
        "arguments_break_schema": tool == "issue_refund" and not isinstance(given.get("amount"), int),
        "digest_differs": digest_of(given) != asked.new_digest,
    }
    return {code for code, holds in facts.items() if holds}


def _book_decision(at: Moment, sub: str, asked: Decision, said: tuple[str, str]) -> None:
    """1: into the books; a call whose quorum is met is decided, once. Nobody has two votes, whoever gives them."""
    verdict, quorum, digest = asked.verdict.value, at.oracle.house.quorum(at.call["class"]), said[0]
    others = standing(at) if verdict == "accept" else {}
    votes = {who: one for who, one in others.items() if one[0] == digest and sub not in (who, one[1])} | {sub: said}
    if verdict != "reject":
        at.oracle.votes[at.key] = votes
    closes = verdict == "reject" or are_enough([(who, away) for who, (_, away) in votes.items()], quorum)
    assert closes == (at.now["state"] != "pending"), f"1: {votes} of {quorum}, and the call is {at.now['state']}"
    if closes:
        assert at.key not in at.oracle.decided, f"1: {at.key} was decided twice"
        at.oracle.decided[at.key] = (sub, verdict, digest)
        at.oracle.windows.decided(at, verdict != "reject", asked.digest)


def judge_claim(at: Moment, digest: str, worker: str, fence: int | None, answer: Permit | PlacetError) -> None:
    """2, 3, 4, 10: a permit was rightly given, or rightly refused."""
    permit = at.call.get("permit", {})
    against = _claim_refusals(at, permit, digest, fence)
    if isinstance(answer, PlacetError):
        assert answer.code in against, f"10: {answer.code} is not so: {at.call}"
        if answer.code == "permit_stale":
            at.oracle.votes.pop(at.key, None)
        else:
            assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        return
    assert digest_of(json.loads(answer.arguments)) == at.call["digest"] == digest, "4: it releases other arguments"
    if answer.replayed:
        assert (permit.get("state"), permit.get("worker")) == ("claimed", worker), "10: replayed to another worker"
        return
    assert not against, f"3: a permit although {against}"
    if at.call["state"] != "passed":
        assert at.oracle.decided[at.key][2] == digest, "4: other arguments run than were decided"
    at.oracle.effects[at.pause, at.number].append(Effect(worker, digest, at.oracle.house.now_ms))


def _claim_refusals(at: Moment, permit: dict[str, Any], digest: str, fence: int | None) -> set[str]:
    head, state = at.head, permit.get("state")
    facts = {
        "frozen": at.oracle.frozen,
        "call_cancelled": "cancelled" in head,
        "already_resumed": head["resume_state"] == "done",
        "call_held": at.oracle.windows.is_held(at),
        "call_not_approved": at.call["state"] not in YES,
        "permit_claimed": state == "claimed",
        "permit_settled": state in ("done", "failed", "unknown"),
        "permit_stale": permit.get("until_ms", 0) <= at.oracle.house.now_ms,
        "digest_differs": at.call["digest"] != digest,
        "epoch_differs": at.restored,
        "lease_lost": fence is not None and fence != head["fence"],
        "policy_denies": at.call["tool"] == "drop_database",
    }
    return {code for code, holds in facts.items() if holds}
