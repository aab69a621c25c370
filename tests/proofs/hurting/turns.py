"""The items of Bedrock runs, hurt: the record of a run, its control, its completion; beside a run that is well."""

from __future__ import annotations

from typing import Any

from placet.model.pauses import call_id
from tests.bedrock.desk import ONE, Desk, desk
from tests.proofs.hurting.crew import Crew, signed
from tests.proofs.hurting.scene import Case, Outcome, put_back, wired

KINDS = ("RUN", "CONTROL", "COMPLETION")
STATES_OF = {"RUN": ("waiting", "decided"), "CONTROL": ("waiting", "uncaptured"), "COMPLETION": ("finished",)}
TTL_S = 600


def play(case: Case) -> Outcome:
    """Play one case: the hurt run, and another one that has to come to its end."""
    with desk() as made, wired(made):
        crew = Crew(made, agents=())
        well = _asks(made, crew, "well")
        pause = "" if case.state == "finished" else _asks(made, crew, "hurt")
        if case.state == "finished":
            crew_says(crew, "hurt", "ask")
        if case.state == "decided":
            _decides(crew, pause)
        if case.state == "uncaptured":  # the function ended between the control and its pause
            for key in [key for key in made.table.items if key.pk.endswith(f"#P#{pause}")]:
                del made.table.items[key]
            made.waits.started.pop(f"{pause}-1")
            crew.notified.discard(f"{pause}-1")
        mends = _hurts(made, case)
        _goes_on(made, crew, [well, pause])
        outcome = Outcome()
        _judge(outcome, made, crew, pause)
        if outcome.listed:
            for mend in mends:
                mend()
            status, _ = crew.operates("pauses/{id}/repair", {}, pause)
            _goes_on(made, crew, [pause])
            outcome.repaired = status == 200 and _status(crew, "hurt") == "finished"
        outcome.errors, outcome.codes = dict(crew.errors), set(crew.codes)
        return outcome


def crew_says(crew: Crew, run: str, text: str) -> tuple[int, Any]:
    """A caller's turn."""
    who = signed("placet-refund-desk")
    sent = {"run": run, "text": text}
    path = {"agent": "refund-desk"}
    return crew.ask("invoke_agent", "POST /v1/agents/{agent}/invoke", who, sent, pathParameters=path)


def _status(crew: Crew, run: str) -> str:
    return str(crew.ask("pick_up", "GET /v1/runs/{id}", signed("placet-refund-desk"), item=run)[1].get("status", ""))


def _asks(made: Desk, crew: Crew, run: str) -> str:
    _, told = crew_says(crew, run, ONE)
    crew.stream()
    crew.machine()
    return str(told["pause"])


def _decides(crew: Crew, pause: str) -> None:
    crew.reviewers()
    crew.stream()


def _hurts(made: Desk, case: Case) -> list[Any]:
    keys = [k for k, item in made.table.items.items() if item.get("kind") == case.kind and k.pk.endswith("#hurt")]
    mends = [put_back(made, key) for key in keys]
    for key in keys:
        hurt = case.hurt(made.table.items[key])
        if hurt is None:
            del made.table.items[key]
        else:
            made.table.items[key] = hurt
    return mends


def _goes_on(made: Desk, crew: Crew, pauses: list[str]) -> None:
    """Everybody works; callers look at their runs, and ask again."""
    for at, seconds in enumerate((30, 120, 200, 800, 200, 200)):
        if at == 2:
            crew_says(crew, "hurt", "ask")
        crew.round(seconds)
        for run in ("well", "hurt"):
            _status(crew, run)


def _judge(outcome: Outcome, made: Desk, crew: Crew, pause: str) -> None:
    if _status(crew, "well") != "finished" or len(made.paid()) < 1:
        outcome.stopped.append(f"the run beside it is {_status(crew, 'well')}")
    paid = [order["call"] for order in made.executors.effects]
    if len(paid) != len(set(paid)):
        outcome.stopped.append("a refund was paid twice")
    stuck, _ = crew.operators("hurt")
    listed = {one["pause"]: one["reason"] for one in stuck}
    outcome.listed = listed.get(pause) in ("damaged", "parked")
    outcome.alarms = sum(name == "stuck" and facts.get("pause") == pause for name, facts in made.log)
    item = made.table.items.get(made.keys.head(pause)) if pause else None
    ended = item is None or item.get("resume_state") == "done"
    if not ended and pause not in listed:
        outcome.unlisted.append(f"the pause of the run stands on {item and item.get('wpk')}")
    if call_id(pause, 1) in paid and outcome.listed and not ended:
        outcome.stopped.append("it was paid, and its run was not told")
