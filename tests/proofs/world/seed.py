"""One seed from beginning to end: a stormy part with faults, then a calm one in which everything has to come to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState
from placet.service import operate
from tests.proofs.world.actors import USUAL, Actors
from tests.proofs.world.cast import BILLING, MINUTE
from tests.proofs.world.simulation import Simulation

STORM = 500  # steps
CALM_MINUTES = 60
EMPTIED = 0.3  # of the seeds: a group is empty between the two parts

# Of a hundred: seeds in which pauses are shown when the storm begins, of those in which they are accepted, runs whose tools take
# idempotency keys, touches that go wrong, and touches of a process itself at which it dies.
SHARES = {"opened": 50, "decided": 30, "keyed": 50, "faults": 15, "deaths": 15}
REPAIRS = 8
ROUND_S = 240  # between two of them; in all longer than three deadlines: a call that is asked for anew has another one


@dataclass
class Outcome:
    """What a seed came to. `trace` are its last lines when something is wrong."""

    seed: int
    digest: str
    steps: int
    violations: list[str]
    taken: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    deploys: Counter[str] = field(default_factory=Counter)
    trace: list[str] = field(default_factory=list)


def play(seed: int, often: Mapping[str, int] = USUAL) -> Outcome:
    """Play one seed; `often` as of `Actors`, and other shares than SHARES."""
    sim, shares = Simulation(seed), SHARES | {name: often[name] for name in SHARES if name in often}
    actors = Actors(sim, often)
    actors.workers.keyed = shares["keyed"]
    if sim.draw.randrange(100) < shares["opened"]:
        _opening(sim, actors, decided=sim.draw.randrange(100) < shares["decided"])
    sim.rate, sim.deaths = shares["faults"] / 100, shares["deaths"] / 100
    _storm(sim, actors)
    storm = list(sim.trace)
    if sim.draw.random() < EMPTIED:
        _emptied(sim, actors)
    _calm(sim, actors)
    endings = _judge_unattended(sim)
    _attended(sim, actors)
    _judge(sim, actors)
    wrong = sim.oracle.violations
    trace = (storm if wrong else [])[-40:]
    return Outcome(seed, sim.digest, sim.steps, wrong, sim.oracle.taken, sim.fired, endings, sim.deploys, trace)


def _opening(sim: Simulation, actors: Actors, decided: bool) -> None:
    """Nothing goes wrong until a few pauses are shown, or decided and no more to be taken back."""
    sim.rate = 0.0
    for _ in range(sim.draw.choice((1, 2, 3))):
        actors.workers.pause()
    _settle(sim, actors)
    if decided:
        actors.reviewers.accept_all()
        _settle(sim, actors)
        sim.world.clock.move(2 * MINUTE)


def _storm(sim: Simulation, actors: Actors) -> None:
    for _ in range(STORM):
        choice = sim.draw.random()
        if sim.busy and choice < 0.8:
            sim.step()
        elif choice > 0.9 or not actors.services():
            actors.act()
        if sim.oracle.violations:
            return


def _emptied(sim: Simulation, actors: Actors) -> None:
    """What was begun comes to its end without faults; then all who are asked first leave, and the sweep sees it."""
    sim.rate = 0.0
    _settle(sim, actors)
    actors.leaving.nobody_is_left()
    for _ in range(2):
        actors.sweep()
        _settle(sim, actors)
        sim.world.clock.move(60)


def _calm(sim: Simulation, actors: Actors) -> None:
    """No faults any more; nobody decides either, so what is open expires. Everybody else does his work."""
    sim.rate = 0.0
    world = sim.world
    stuck = world.keys.stuck()
    actors.deploys.back()
    operate.thaw(world.ports("thaw"), "ops/olga")
    actors.leaving.everybody_is_there()
    for _ in range(CALM_MINUTES):
        _settle(sim, actors)
        actors.sweep()
        _settle(sim, actors)
        for name in ("support.1", "support.2", BILLING.name):
            process = world.processes[name]
            sim.spawn(f"{name} starts", process.start)
            if name != BILLING.name:
                sim.spawn(f"{name} works", process.work)
        _settle(sim, actors)
        if all(head.get("wpk", stuck) == stuck for head in world.heads().values()):
            break
        world.clock.move(60)


def _settle(sim: Simulation, actors: Actors) -> None:
    while True:
        while sim.busy:
            sim.step()
        if not actors.services():
            if not sim.world.messages:
                return
            sim.world.clock.at_ms = max(sim.world.clock.at_ms, min(one.due_ms for one in sim.world.messages))


def _judge_unattended(sim: Simulation) -> Counter[str]:
    """Promise 7: everything ended, or is listed with a reason."""
    endings: Counter[str] = Counter()
    listed = sim.world.listed()
    for pause, head in sorted(sim.world.heads().items()):
        endings[listed.get(pause) or head["state"]] += 1
        if pause in listed:
            if listed[pause] not in operate.REASONS:
                sim.wrong(f"{pause}: listed without a reason that the operations know: {listed[pause]!r}")
        elif head["state"] != "ended":
            sim.wrong(f"{pause}: {head['state']} in {head.get('wpk')}, neither ended nor listed")
    return endings


def _attended(sim: Simulation, actors: Actors) -> None:
    """An operator does what the list says, until it is empty. What nobody may decide any more he leaves to its deadline."""
    for _ in range(REPAIRS):
        sim.world.clock.move(ROUND_S)
        for pause in sorted(sim.world.listed()):
            sim.spawn(f"operator {pause[:6]}", lambda pause=pause: actors.operator.repairs(pause))
        _settle(sim, actors)
        _calm(sim, actors)
        if not sim.world.listed():
            return
    sim.wrong(f"still listed after {REPAIRS} rounds of repair: {sim.world.listed()}")


def _judge(sim: Simulation, actors: Actors) -> None:
    """At the very end: effects, permits, and what the runs were told."""
    world = sim.world
    ledger = [one for name in ("support-agent", BILLING.name) for one in world.processes[name].ledger]
    sim.oracle.effects(ledger)
    acted = {one.call for one in ledger}
    for pause in sorted(world.heads()):
        head = world.head(pause)
        for call in head.calls:
            if call.permit in (PermitState.CLAIMED, PermitState.UNKNOWN):
                sim.wrong(f"{pause}: permit {call.number} stayed {call.permit.value}")
            no = call.state in (CallState.REJECTED, CallState.EXPIRED, CallState.DENIED)
            if no and call.round == 1 and call_id(pause, call.number) in acted:
                sim.wrong(f"{pause}: call {call.number} is {call.state.value} and had an effect")
    for name in ("support-agent", BILLING.name):
        for thread in world.processes[name].threads.values():
            if thread.pending:
                sim.wrong(f"{thread.run} {thread.checkpoint}: the run was never told")
