"""Mixed decisions on one call: who sends what, and whether exactly one of them decided."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from placet.model.pauses import Reviewer
from placet.model.states import PauseState, PermitState, ResumeState, Verdict
from placet.records.heads import Head
from tests.proofs.racing.jobs import Job, Told
from tests.proofs.racing.scene import Outcome, deciding
from tests.proofs.racing.tally import Tally

VERDICTS = (Verdict.ACCEPT, Verdict.EDIT, Verdict.REJECT)
LOST = frozenset({"already_decided", "revision_differs"})
EDITS_AHEAD_MS = 6


def mixed_jobs(chance: random.Random, head: Head, people: Sequence[Reviewer], behind: int = 0) -> list[Job]:
    """One decision each. An edit has the longer way to its write, so in some rounds the others begin later.

    `behind`: in so many rounds no edit has won; the more there were, the later they begin, on however slow a machine.
    """
    late_ms = chance.choice((0, EDITS_AHEAD_MS // 2, EDITS_AHEAD_MS)) * len(people) * (1 + behind / 4)
    jobs = []
    for place, who in enumerate(people):
        verdict = chance.choice(VERDICTS)
        job = deciding(head, 1, verdict, who, amount=200 + place)
        jobs.append(job if verdict is Verdict.EDIT else replace(job, after_ms=chance.uniform(0, late_ms)))
    return jobs


def one_decided(tally: Tally, kind: str, told: list[Told], after: Outcome) -> None:
    """Exactly one was told that he decided, and the table says the same of him and of nobody else."""
    decided, winners = after.told("decided"), [one for one in told if one.won]
    tally.measure("winners", len(winners))
    tally.measure("effects", max(len(decided), 1 - after.head.open_calls))
    tally.expect(kind, len(winners) == 1, f"{len(winners)} were told that they decided")
    tally.expect(kind, len(decided) == 1, f"{len(decided)} decisions are on record")
    tally.expect(kind, after.head.open_calls == 0, f"open_calls is {after.head.open_calls}")
    if len(winners) == len(decided) == 1:
        _agree(tally, kind, winners[0], after)


def _agree(tally: Tally, kind: str, winner: Told, after: Outcome) -> None:
    """The answer, the event and the head tell one story."""
    (event,), call, asked = after.told("decided"), after.head.calls[0], winner.job.facts["decision"]
    tally.won[f"{kind}: {asked.verdict.value}"] += 1
    wanted = (winner.job.facts["reviewer"].sub, asked.verdict.value, asked.new_digest or asked.digest)
    tally.expect(kind, (event["by"], event["verdict"], event["digest"]) == wanted, "the record names another")
    tally.expect(kind, call.digest == event["digest"], "the head has another digest than the record")
    tally.expect(kind, call.state.value == event["state"], f"the call is {call.state}, not {event['state']}")
    tally.expect(kind, after.head.state is not PauseState.OPEN, f"the pause is {after.head.state}")
    tally.expect(kind, after.head.resume_state is not ResumeState.NOT_DUE, f"the run is {after.head.resume_state}")
    tally.expect(kind, (call.permit is PermitState.FREE) == call.state.may_run, f"the permit is {call.permit}")
