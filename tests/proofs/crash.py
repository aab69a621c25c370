"""Every process dies at every touch of something outside, before, after, or told otherwise: nothing is lost or done twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from placet.model.states import PermitState, ResumeState
from tests.proofs import Proof, Size
from tests.proofs.world.agents import doubled
from tests.proofs.world.cast import BILLING, SUPPORT
from tests.proofs.world.handlers import wired
from tests.proofs.world.life import MOMENTS, Fault, Life, Scenario, moments

POINTS, RUNS, QUICK_RUNS, PAIRS = 24, 288, 600, 3_000
UNSWEPT = 150  # runs at least
SWEEPS = 3  # that may be needed after one crash: a mail of a mailbox that was taken already comes with what its person is owed
ENDINGS = ("told", "permit_unknown", "wait_failed", "resume_failed")  # that some crash has to bring about

SCENARIOS = [
    Scenario(verdict, agent, keyed)
    for verdict in ("accept", "edit", "reject", "expire")
    for agent in (SUPPORT, BILLING)
    for keyed in (False, True)
] + [Scenario(verdict, agent, False, window=True) for verdict in ("accept", "undo") for agent in (SUPPORT, BILLING)]


@dataclass
class Tally:
    """What all runs came to."""

    points: set[str] = field(default_factory=set)
    functions: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    moments: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    pairs: int = 0
    lost: int = 0
    double: int = 0
    unexplained: int = 0
    unswept: int = 0
    unswept_missing: int = 0
    excused: Counter[str] = field(default_factory=Counter)
    sweeps: int = 0
    minutes: int = 0
    violations: list[str] = field(default_factory=list)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play every single crash (quick: a sample), and pairs of them."""
    tally, draw = Tally(), random.Random(size.seed)  # noqa: S311
    with wired():
        plans = [(scenario, fault) for scenario in SCENARIOS for fault in _faults(scenario, tally)]
        say(f"{len(tally.points)} crash points, {len(plans)} ways to die there")
        if size.quick:
            plans = draw.sample(plans, QUICK_RUNS)
        for number, (scenario, fault) in enumerate(plans, start=1):
            judge(tally, scenario, (fault,))
            judge_unswept(tally, scenario, fault)
            if number % 1_000 == 0:
                say(f"{number} runs")
        for scenario, faults in _pairs(draw, plans, PAIRS // 50 if size.quick else PAIRS):
            judge(tally, scenario, faults)
    return _proof(tally)


def judge(tally: Tally, scenario: Scenario, faults: tuple[Fault, ...]) -> None:
    """Play one run and hold it to the promises."""
    life = Life(scenario, faults).play()
    if len(life.hit) < len(faults):
        return  # the first crash made the second one's place go away
    single = len(faults) == 1
    tally.runs += single
    tally.pairs += not single
    tally.functions[life.hit[0].by] += 1
    tally.moments.update(fault.moment for fault in faults)
    where = f"{scenario.name}: " + ", ".join(
        f"{touch.by} {touch.what} #{fault.index} {fault.moment}, {'again' if fault.again else 'dropped'}"
        for touch, fault in zip(life.hit, faults, strict=True)
    )
    if single:
        tally.sweeps, tally.minutes = max(tally.sweeps, life.sweeps), max(tally.minutes, life.minutes)
        if life.sweeps > SWEEPS:
            tally.violations.append(f"{where}: {life.sweeps} sweeps")
    _hold(tally, life, where)


def judge_unswept(tally: Tally, scenario: Scenario, fault: Fault) -> None:
    """The same without any sweep, where the event comes again: only the faulted effect may be missing."""
    life = Life(scenario, (fault,), swept=False).play() if fault.again else None
    if life is None or not life.hit:
        return
    tally.unswept += 1
    if life.ended or life.world.listed() or not life.process.threads:
        return
    if excuse := faulted(life):
        tally.excused[excuse] += 1
        return
    tally.unswept_missing += 1
    where = f"{scenario.name}: {life.hit[0].by} {life.hit[0].what} #{fault.index} {fault.moment}, without a sweep"
    tally.violations.append(f"{where}: the run does not go on")


def faulted(life: Life) -> str:
    """The one effect that the fault itself took away, and that only a sweep can do again; empty when it took none."""
    head = life.world.head(life.pause)
    if life.hit[0].by == life.scenario.agent.name and any(call.permit is PermitState.CLAIMED for call in head.calls):
        return "the report of a worker that died"
    if life.hit[0].by == "resume" and head.fence and head.resume_state is ResumeState.OFFERED:
        return "the delivery of a function that died with the lease"
    return ""


def _hold(tally: Tally, life: Life, where: str) -> None:
    """The promises, before and after an operator repaired what was listed."""
    listed = life.world.listed()
    ending = next(iter(listed.values()), "told" if life.ended else "never paused")
    tally.endings[ending] += 1
    for pause, reason in listed.items():
        if why := unexplained(life, pause, reason):
            tally.unexplained += 1
            tally.violations.append(f"{where}: listed as {reason}: {why}")
    if not listed and life.process.threads and not life.ended:
        tally.lost += 1
        tally.violations.append(f"{where}: the run was never told and is on no list")
        return
    tally.violations += [f"{where}: {one}" for one in life.contradicted + unseen(life)]
    if listed:
        life.operated()
        if not life.ended:
            tally.lost += 1
            tally.violations.append(f"{where}: listed as {ending}, and the repair did not set it going")
    if life.ended:
        tally.violations += [f"{where}: {one}" for one in life.left_over()]
    wrong = effects(life)
    tally.double += bool(wrong)
    tally.violations += [f"{where}: {one}" for one in wrong]


def unexplained(life: Life, pause: str, reason: str) -> str:
    """Why a pause should not be on the stuck list with this reason; nothing when it should."""
    failed = {kind for kind, _ in life.world.failures}
    permits = {call.permit for call in life.world.head(pause).calls}
    if reason == "permit_unknown":
        if life.scenario.keyed:
            return "a tool with a key may run again"
        return "" if PermitState.UNKNOWN in permits else "its permit is not unknown"
    wanted = {"wait_failed": "wait", "resume_failed": "resume"}.get(reason)
    return "" if wanted in failed else "nothing of the kind happened"


def unseen(life: Life) -> list[str]:
    """Permits that nobody knows the outcome of, and that no list shows."""
    return [
        f"a permit is {call.permit.value} and on no list"
        for pause in life.world.heads()
        for call in life.world.head(pause).calls
        if call.permit in (PermitState.CLAIMED, PermitState.UNKNOWN) and not life.world.head(pause).wpk
    ]


def effects(life: Life) -> list[str]:
    """What is wrong with what was done outside."""
    ledger = life.process.ledger
    wrong = [f"call {call} had two effects" for call in doubled(ledger)]
    if ledger and life.scenario.verdict in ("reject", "expire", "undo"):
        wrong.append("an effect without a yes")
    wrong += [
        "other arguments than decided" for one in ledger if one.digest != life.world.head(life.pause).calls[0].digest
    ]
    return wrong


def _faults(scenario: Scenario, tally: Tally) -> Iterator[Fault]:
    """Every touch of a run without faults, with every fault that makes sense there."""
    life = Life(scenario).play()
    assert life.ended, f"{scenario.name} does not even end without a crash"
    seen: Counter[str] = Counter()
    for index, touch in enumerate(life.touches):
        if touch.by == "sweep":
            continue  # a sweep with nothing to do; its work is met by the pairs
        seen[f"{touch.by} {touch.what}"] += 1
        tally.points.add(f"{touch.by} {touch.what} {seen[f'{touch.by} {touch.what}']}")
        for moment in moments(touch):
            yield from (Fault(index, moment, again) for again in (True, False))


def _pairs(
    draw: random.Random, singles: list[tuple[Scenario, Fault]], count: int
) -> Iterator[tuple[Scenario, tuple[Fault, ...]]]:
    """Two faults in one flow: the second anywhere after the first, in the recovery and its sweeps too."""
    for scenario, first in draw.choices(singles, k=count):
        touches = Life(scenario, (first,)).play().touches
        if first.index + 1 < len(touches):
            index = draw.randrange(first.index + 1, len(touches))
            moment = draw.choice(moments(touches[index]))
            yield scenario, (first, Fault(index, moment, first.again))


def _proof(tally: Tally) -> Proof:
    if len(tally.points) < POINTS:
        tally.violations.append(f"only {len(tally.points)} crash points, {POINTS} are wanted")
    if tally.runs < RUNS:
        tally.violations.append(f"only {tally.runs} runs, {RUNS} are wanted")
    tally.violations += [f"nothing ever died or failed {moment}" for moment in MOMENTS if not tally.moments[moment]]
    tally.violations += [f"nothing ever ended as {ending}" for ending in ENDINGS if not tally.endings[ending]]
    if tally.unswept < UNSWEPT:
        tally.violations.append(f"only {tally.unswept} runs without a sweep, {UNSWEPT} are wanted")
    lines = [
        f"crash points {len(tally.points)}; runs with one crash {tally.runs}, with two {tally.pairs}",
        "by process: " + ", ".join(f"{name} {count}" for name, count in sorted(tally.functions.items())),
        "moments: " + ", ".join(f"{name} {tally.moments[name]}" for name in MOMENTS),
        "endings: " + ", ".join(f"{name} {count}" for name, count in sorted(tally.endings.items())),
        f"without a sweep: {tally.unswept} runs; missing was only "
        + (", ".join(f"{what} {count}" for what, count in sorted(tally.excused.items())) or "nothing"),
        f"after one crash at most {tally.sweeps} sweeps had something to do, within {tally.minutes} minutes",
    ]
    figures: dict[str, float] = {
        "points": len(tally.points),
        "runs": tally.runs,
        "lost": tally.lost,
        "double": tally.double,
        "unexplained": tally.unexplained,
        "sweeps_to_recover": tally.sweeps,
        "sweep_off_missing": tally.unswept_missing,
    }
    return Proof("crash", "\n".join(lines), figures, tally.violations)
