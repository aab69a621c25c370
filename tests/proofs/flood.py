"""A flood: an agent that captures without end costs nobody else anything, spends no budget twice, and nothing is lost.

Two courses in process, on a played clock: each of two agents floods while the other one has calls of its own to be approved. Beside
them captures from several processes race for budgets on DynamoDB.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.proofs import Proof, Size
from tests.proofs.flooding import budgets
from tests.proofs.flooding.course import DESK, SHOP, Course, Plan, played
from tests.proofs.flooding.town import Town

FULL, QUICK = Plan(5_000, 6, 1_000, 120, 12), Plan(150, 6, 60, 6, 3)
RACES, QUICK_RACES = budgets.Plan(rounds=60, captures=64, processes=4), budgets.Plan(rounds=3, captures=32, processes=2)
MOST_RATIO = 1.1  # of what an approval costs during a flood to what it costs without
SLACK = 1.02  # the bound may be passed by what a process keeps to itself


@dataclass(frozen=True)
class Flood:
    """One course with a flood, and the same without."""

    flooded: Course
    calm: Course

    def ratio(self, what: str) -> float:
        """The worst of all approvals."""
        pairs = zip(self.flooded.bills, self.calm.bills, strict=True)
        return max(getattr(one, what) / getattr(other, what) for one, other in pairs)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Both."""
    plan, races = (QUICK, QUICK_RACES) if size.quick else (FULL, RACES)
    floods = courses(say, plan)
    return judged(plan, floods, budgets.raced(say, races, size.seed))


def courses(say: Callable[[str], None], plan: Plan, of: Callable[[], Town] = Town) -> list[Flood]:
    """Each agent floods once: one of them has the earlier lane in the queue."""
    floods, calm = [], played(plan, None, SHOP)
    for flooder, other in ((DESK, SHOP), (SHOP, DESK)):
        floods.append(Flood(played(plan, flooder, other, of), calm))
        told = floods[-1].flooded
        say(f"flood: {flooder.name}: tried {told.tried}, refused {told.refused}, captured {len(told.captured)}")
    return floods


def judged(plan: Plan, floods: list[Flood], spent: budgets.Tally) -> Proof:
    """The last line; a flood that met no bound, or that filled no page, proves nothing."""
    courses = [one.flooded for one in floods]
    all_of = [*courses, floods[0].calm]
    lost = [pause for course in all_of for pause in course.lost]
    figures = {
        "tried": sum(one.tried for one in courses),
        "refused_429": sum(one.refused for one in courses),
        "other_first_page": int(not any(one.missed for one in courses)),
        "other_rru_ratio": round(max(one.ratio("rru") for one in floods), 3),
        "other_requests_ratio": round(max(one.ratio("requests") for one in floods), 3),
        "mails_per_person_5min": max(one.town.post.most_in_five_minutes() for one in courses),
        "budget_overrun": spent.overrun,
        "lost": spent.lost + len(lost),
    }
    violations = [told for course in all_of for told in course.wrong[:20]]
    violations += [f"lost: {pause}" for pause in lost[:20]] + spent.violations
    violations += [
        f"{name} is {figures[name]}, and at most {most} is fair"
        for name, most in (
            ("other_rru_ratio", MOST_RATIO),
            ("other_requests_ratio", MOST_RATIO),
            ("mails_per_person_5min", 1),
        )
        if figures[name] > most
    ]
    violations += [f"{len(one.captured)} were let in" for one in courses if _over(plan, one)]
    return Proof(
        "flood", _table(floods, spent), figures, [*violations, *_not_covered(plan, floods), *races_not_covered(spent)]
    )


def _over(plan: Plan, course: Course) -> bool:
    """Whether more was let in at once than the bound."""
    return course.most_open > plan.most * SLACK + 1


def races_not_covered(spent: budgets.Tally) -> list[str]:
    """Races for a budget that were none."""
    wanted = {"passed": spent.passed, "was sent to a person": spent.asked, "lost a race for a budget": spent.contested}
    return [f"coverage: no capture {what}" for what, count in wanted.items() if not count]


def _not_covered(plan: Plan, floods: list[Flood]) -> list[str]:
    """Floods that were none."""
    found: list[str] = []
    for one in (flood.flooded for flood in floods):
        seen = {
            "nothing was refused": one.refused,
            "no room came free": one.room,
            "the other agent captured nothing while the bound was met": one.under,
            "nobody was mailed": one.town.post.most_in_five_minutes(),
        }
        found += [f"coverage: {what}" for what, count in seen.items() if not count]
        if one.first_page < len(one.mine):
            found.append("coverage: the flood filled too few pages that the other agent's reviewer looked at")
        if len(one.bills) != plan.others or len(one.mine) != plan.others:
            found.append("coverage: not every approval of the other agent was played")
    return found


def _table(floods: list[Flood], spent: budgets.Tally) -> str:
    rows = []
    for one in floods:
        flooded, calm = one.flooded.bills, one.calm.bills
        rows.append(
            f"{'flooded' if flooded else ''}: captured {len(one.flooded.captured)}, most open {one.flooded.most_open}, of the other"
            f" agent {len(flooded)} approvals, each {max(b.requests for b in flooded)} requests and"
            f" {max(b.rru for b in flooded)} units read; without a flood {max(b.requests for b in calm)} and"
            f" {max(b.rru for b in calm)}"
        )
    return "\n".join([*rows, spent.table()])
