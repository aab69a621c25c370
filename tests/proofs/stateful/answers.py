"""Whether an answer tells the truth: each success had every right, each refusal names something that really is so."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from placet.model.errors import PlacetError
from placet.records.ops import Item
from placet.service.decide import Decided, Decision
from placet.service.execute import Permit
from tests.proofs.stateful.oracle import YES, Effect, Oracle


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


def judge_decision(at: Moment, sub: str, asked: Decision, groups: set[str], answer: Decided | PlacetError) -> None:
    """5, 8, 10: a decision or a vote was rightly taken, or rightly refused."""
    if isinstance(answer, PlacetError):
        assert at.unchanged(), f"10: refused with {answer.code}, and something changed"
        assert answer.code in _refusals(at, sub, asked, groups), f"10: {answer.code} is not so: {at.call}"
        if answer.code == "already_decided":
            assert answer.members["state"] == at.call["state"], "10: told another state than the stored one"
        return
    digest = asked.new_digest or asked.digest
    if answer.replayed:
        assert at.unchanged(), "10: a replayed answer, and something changed"
        voted = at.oracle.votes[at.key].get(sub) == digest
        assert voted or at.oracle.decided.get(at.key, ("", "", ""))[:2] == (sub, asked.verdict.value), (
            "10: replayed to another"
        )
        return
    wrong = _refusals(at, sub, asked, groups)
    assert not wrong, f"8: {sub} decided although {wrong}"
    assert at.now["digest"] == digest or asked.verdict.value == "reject", "5: other arguments were decided than shown"
    _book_decision(at, sub, asked, digest)


def _refusals(at: Moment, sub: str, asked: Decision, groups: set[str]) -> set[str]:
    """Everything that speaks against this decision."""
    oracle, call, head = at.oracle, at.call, at.head
    levels = [level for group, level in oracle.house.deployed.groups.get(call["class"], {}).items() if group in groups]
    pending, deadline, now = call["state"] == "pending", call.get("deadline_ms", 0), oracle.house.now_ms
    as_shown = (call["rev"], call["digest"]) == (asked.revision, asked.digest)
    facts = {
        "frozen": oracle.frozen,
        "not_found": not levels or min(levels) > head["level"],
        "requester_may_not_decide": head.get("requester") in (sub, f"{sub}@example.com"),
        "owner_may_not_decide": head.get("owner") in (sub, f"{sub}@example.com"),
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


def _book_decision(at: Moment, sub: str, asked: Decision, digest: str) -> None:
    """1: into the books; a call whose quorum is met is decided, once."""
    votes, verdict = at.oracle.votes[at.key], asked.verdict.value
    if verdict == "edit":
        votes.clear()
    if verdict != "reject":
        votes[sub] = digest
    quorum = 2 if at.call["class"] == "payroll" else 1
    closes = verdict == "reject" or sum(one == digest for one in votes.values()) >= quorum
    assert closes == (at.now["state"] != "pending"), f"1: {votes} of {quorum}, and the call is {at.now['state']}"
    if closes:
        assert at.key not in at.oracle.decided, f"1: {at.key} was decided twice"
        at.oracle.decided[at.key] = (sub, verdict, digest)


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
