"""The counter of an agent's open pauses: bounded by the write, and counted anew by one at a time."""

from __future__ import annotations

from tests.proofs.clauses.stage import Stage, scenario


def _count(stage: Stage) -> int:
    return int((stage.table.get(stage.keys.open_count("a")) or {}).get("open_c", 0))


@scenario("count_open", "room_left")
def two_captures_take_the_last_place(stage: Stage) -> bool:
    stage.meanwhile = lambda: stage.write("count_open", "a", {"c": 1}, 1)
    stage.write("count_open", "a", {"c": 1}, 1)
    return _count(stage) > 1


@scenario("recount_open", "counted_as_seen")
def a_count_forgets_what_came_after_another(stage: Stage) -> bool:
    def another() -> None:
        stage.write("recount_open", "a", {"c": 0}, 0, 5)
        stage.write("count_open", "a", {"c": 1}, 9)

    stage.meanwhile = another
    stage.write("recount_open", "a", {"c": 0}, 0, 4)
    return _count(stage) == 0
