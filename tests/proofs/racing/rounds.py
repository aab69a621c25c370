"""The races, one function each: set up, let loose, and judge by what the table says and by what everybody was told."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from placet.model.states import CallState, PauseState, PermitState, ResumeState, Verdict
from placet.records.heads import Head
from placet.service.dispatch import answer_wait
from tests.gateway import DELETE, REFUND
from tests.proofs.racing.crew import Crew
from tests.proofs.racing.jobs import Job
from tests.proofs.racing.judging import LOST, VERDICTS, mixed_jobs, one_decided
from tests.proofs.racing.scene import Outcome, Scene, claiming, deciding
from tests.proofs.racing.tally import Tally

OTHERS_AHEAD_MS = 12
PAY = ("pay_salary", {"person": "p-7", "amount": 3000})


@dataclass
class Races:
    """One crew on one table."""

    crew: Crew
    scene: Scene
    tally: Tally
    chance: random.Random
    _behind: Counter[str] = field(default_factory=Counter)  # by kind: rounds since the side won that has the longer way

    def mixed(self, deciders: int) -> None:
        """Everybody decides one call, each in another way: one decides, and what he decided runs at most once."""
        kind = "accept, edit, reject"
        head = self.scene.shown(REFUND)
        people = self.scene.seat(deciders)
        won = f"{kind}: {Verdict.EDIT.value}"
        before = self.tally.won[won]
        told = self.crew.at_once(mixed_jobs(self.chance, head, people, self._behind[kind]))
        self.tally.count(kind, told, LOST)
        after = self.scene.outcome(head.pause)
        one_decided(self.tally, kind, told, after)
        self._came(kind, self.tally.won[won] > before)
        self._one_runs(after)

    def _one_runs(self, after: Outcome) -> None:
        """Four workers at once: one gets the permit when the call may run, nobody otherwise."""
        kind = "claims of what was decided"
        told = self.crew.at_once([claiming(after.head, 1, f"w{number}") for number in range(4)])
        self.tally.count(kind, told, frozenset({"permit_claimed", "call_not_approved"}))
        won = sum(one.won for one in told)
        self.tally.won[f"{kind}: {'one worker' if won else 'nobody'}"] += 1
        self.tally.expect(kind, won == int(after.head.calls[0].state.may_run), f"{won} workers got the permit")

    def last_calls(self) -> None:
        """The two last calls of a pause are decided at once: neither is lost, and the run is due."""
        kind = "two last calls"
        head, (one, two) = self.scene.shown(REFUND, DELETE), self.scene.seat(2)
        told = self.crew.at_once(
            [deciding(head, 1, Verdict.ACCEPT, one), deciding(head, 2, self.chance.choice(VERDICTS[::2]), two)]
        )
        self.tally.count(kind, told, frozenset())
        before = self.scene.outcome(head.pause).head
        # Neither saw itself as the last: dispatch mends that on the edge open_calls = 0.
        self.tally.contested[kind] += before.state is PauseState.OPEN and not before.open_calls
        answer_wait(self.scene.ports, before)
        after = self.scene.outcome(head.pause)
        self.tally.expect(kind, all(one.won for one in told), "a decision was lost")
        self.tally.expect(kind, len(after.told("decided")) == 2, f"{len(after.told('decided'))} decisions on record")
        self.tally.expect(kind, after.head.open_calls == 0, f"open_calls is {after.head.open_calls}")
        self.tally.expect(kind, after.head.resume_state is ResumeState.DUE, f"the run is {after.head.resume_state}")
        self.tally.expect(kind, after.head.wpk.endswith("#out#support-agent#0"), f"it is on the list {after.head.wpk}")

    def last_votes(self) -> None:
        """Four people vote at once where two are needed: two votes count, the second closes."""
        kind = "last votes of a quorum"
        head, people = self.scene.shown(PAY), self.scene.seat(4)
        told = self.crew.at_once([deciding(head, 1, Verdict.ACCEPT, who) for who in people])
        self.tally.count(kind, told, LOST)
        after, states = self.scene.outcome(head.pause), sorted(one.value.state for one in told if one.won)
        self.tally.expect(kind, states == [CallState.ACCEPTED, CallState.PENDING], f"they were told {states}")
        self.tally.expect(kind, len(after.head.calls[0].votes) == 2, f"votes are {after.head.calls[0].votes}")
        facts = (len(after.told("voted")), len(after.told("decided")), after.head.open_calls)
        self.tally.expect(kind, facts == (1, 1, 0), f"votes, decisions, open calls on record: {facts}")

    def equal(self) -> None:
        """One person's decision arrives ten times: one effect, ten equal answers."""
        kind = "ten equal decisions"
        head, (who,) = self.scene.shown(REFUND), self.scene.seat(1)
        verdict = self.chance.choice(VERDICTS)
        told = self.crew.at_once([deciding(head, 1, verdict, who, amount=150)] * 10)
        self.tally.count(kind, told, frozenset())
        answers = {
            (one.value.call, one.value.state, one.value.digest, one.value.by, one.value.at_ms)
            for one in told
            if one.status == 200
        }
        after = self.scene.outcome(head.pause)
        self.tally.expect(kind, len(answers) == 1, f"there were {len(answers)} different answers")
        self.tally.expect(
            kind, sum(one.won for one in told) == 1, f"{sum(one.won for one in told)} were told it is new"
        )
        self.tally.expect(kind, len(after.told("decided")) == 1, f"{len(after.told('decided'))} decisions on record")
        self.tally.won[f"{kind}: {verdict.value}"] += 1

    def cancelled(self) -> None:
        """The run is cancelled while eight people decide: the call is decided or cancelled, and nothing runs afterwards."""
        kind = "cancel against decide"
        head, people = self.scene.shown(REFUND), self.scene.seat(8)
        jobs = [deciding(head, 1, self.chance.choice(VERDICTS), who, amount=200) for who in people]
        jobs.insert(self.chance.randrange(9), self._sooner_or_later(kind, "cancel", head, len(jobs)))
        told = self.crew.at_once(jobs)
        self.tally.count(kind, told, LOST | {"call_cancelled"})
        after, decided = self.scene.outcome(head.pause), sum(one.won for one in told if one.job.verb == "decide")
        state = after.head.calls[0].state
        self.tally.won[f"{kind}: {'the decision, then cancelled' if decided else 'the cancel'}"] += 1
        self._came(kind, bool(decided))
        self.tally.expect(kind, bool(after.head.cancelled) and after.head.open_calls == 0, "it is not cancelled")
        self.tally.expect(kind, (state is CallState.CANCELLED) == (decided == 0), f"{decided} decided, it is {state}")
        self.tally.expect(kind, len(after.told("decided")) == decided <= 1, f"{decided} were told that they decided")
        (late,) = self.crew.at_once([claiming(after.head, 1, "late")])
        self.tally.expect(kind, late.code == "call_cancelled", f"a claim afterwards got {late.status} {late.code}")

    def cancelled_or_claimed(self) -> None:
        """The run is cancelled while two workers claim: what was claimed is listed, everything else cannot run."""
        kind = "cancel against claims"
        head = self._accepted()
        jobs = [self._sooner_or_later(kind, "cancel", head, 2), claiming(head, 1, "w1"), claiming(head, 1, "w2")]
        self.chance.shuffle(jobs)
        told = self.crew.at_once(jobs)
        self.tally.count(kind, told, frozenset({"call_cancelled", "permit_claimed"}))
        after, claims = self.scene.outcome(head.pause).head, sum(one.won for one in told if one.job.verb == "claim")
        self.tally.won[f"{kind}: {'the claim' if claims else 'the cancel'}"] += 1
        self._came(kind, bool(claims))
        self.tally.expect(kind, bool(after.cancelled), "it is not cancelled")
        self.tally.expect(kind, claims <= 1, f"{claims} workers got the permit")
        self.tally.expect(
            kind, claims == (after.calls[0].permit is PermitState.CLAIMED), f"permit {after.calls[0].permit}"
        )
        listed = after.stuck == "cancelled_while_claimed" and after.wpk == self.scene.ports.keys.stuck()
        self.tally.expect(kind, listed == bool(claims), f"claims {claims}, stuck {after.stuck!r}, list {after.wpk!r}")

    def resumed_or_claimed(self) -> None:
        """The run is reported as gone on while a worker claims: the permit that is out is still looked after."""
        kind = "resumed against claim"
        head = self._accepted()
        jobs = [self._sooner_or_later(kind, "resumed", head, 1), claiming(head, 1, "w1")]
        self.chance.shuffle(jobs)
        told = self.crew.at_once(jobs)
        self.tally.count(kind, told, frozenset({"already_resumed"}))
        after, claims = self.scene.outcome(head.pause).head, sum(one.won for one in told if one.job.verb == "claim")
        self.tally.won[f"{kind}: {'the claim' if claims else 'the report'}"] += 1
        self._came(kind, bool(claims))
        looked_after = bool(after.wpk) or after.calls[0].permit is not PermitState.CLAIMED
        self.tally.expect(kind, looked_after, "a claimed permit is on no list: nobody would ever ask for its outcome")
        self.tally.expect(kind, after.resume_state is ResumeState.DONE, f"the run is {after.resume_state}")

    def _sooner_or_later(self, kind: str, verb: str, head: Head, others: int) -> Job:
        """The one with the shorter way to its write begins with the others or later, so that each side wins sometimes.

        The longer the others have not won, the later: on however slow a machine.
        """
        most_ms = 2 * OTHERS_AHEAD_MS * (others + 1) * (1 + self._behind[kind])
        later_ms = self.chance.choice((0.0, self.chance.uniform(0, most_ms)))
        return Job(verb, {"pause": head.pause}, after_ms=later_ms)

    def _came(self, kind: str, first: bool) -> None:
        """Whether the side with the longer way was the first."""
        self._behind[kind] = 0 if first else self._behind[kind] + 1

    def _accepted(self) -> Head:
        head, (who,) = self.scene.shown(REFUND), self.scene.seat(1)
        (told,) = self.crew.at_once([deciding(head, 1, Verdict.ACCEPT, who)])
        assert told.won, told
        return self.scene.outcome(head.pause).head
