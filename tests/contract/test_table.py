"""What every table does: conditions, all-or-none, old items on a lost race, exact values, and the two indexes."""

from __future__ import annotations

from typing import Any

import pytest

from placet.model.errors import Refused
from placet.records.clauses import same_moment
from placet.records.conditions import Clause, Comparison, clause
from placet.records.keys import Key, Keys
from placet.records.lanes import STEP, Stands, before_place, lane_end
from placet.records.lists import after_entry
from placet.records.ops import Check, ConditionFailed, Delete, Put, update

KEY = Key("T#main#P#a", "HEAD")
ABSENT = clause("absent", ("pk", "absent"))


def item(**more: Any) -> dict[str, Any]:
    return {**KEY._asdict(), "n": 1, **more}


def test_what_is_written_is_what_is_read(table: Any) -> None:
    value = item(
        text="1.50",
        big=2**63,
        truth=True,
        nothing=None,
        list=[1, "a"],
        map={"x": {"y": 0}},
        empty={},
        unicode="é\u202e",
        bytes=b"\x00\xff packed",
    )
    table.write([Put(value)])
    found = table.get(KEY)
    assert found == value
    assert type(found["bytes"]) is bytes
    assert table.get(Key("T#main#P#b", "HEAD")) is None


def test_a_conditional_put_is_done_once_and_shows_what_stood_there(table: Any) -> None:
    table.write([Put(item(), (ABSENT,))])
    with pytest.raises(ConditionFailed) as lost:
        table.write([Put(item(n=2), (ABSENT,))])
    assert (lost.value.position, lost.value.old) == (0, item())


def test_an_update_changes_what_it_names_and_nothing_else(table: Any) -> None:
    table.write([Put(item(calls={"1": {"state": "pending", "rev": 1}}, gone="x"))])
    table.write(
        [
            update(
                KEY,
                [],
                set={"calls.1.state": "accepted", "calls.1.permit": {"state": "free"}},
                add={"n": -1},
                remove=("gone",),
            )
        ]
    )
    assert table.get(KEY) == item(n=0, calls={"1": {"state": "accepted", "rev": 1, "permit": {"state": "free"}}})


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        (("n", "=", 1), True),
        (("n", "=", 2), False),
        (("n", "=", "1"), False),
        (("n", "<>", 2), True),
        (("n", "<>", 1), False),
        (("absent", "<>", 1), True),
        (("n", "<", 2), True),
        (("n", "<", 1), False),
        (("n", "<=", 1), True),
        (("n", ">", 0), True),
        (("n", ">", 1), False),
        (("n", ">=", 1), True),
        (("n", ">", "0"), False),
        (("absent", "=", 1), False),
        (("absent", ">", 0), False),
        (("absent", "exists"), False),
        (("absent", "absent"), True),
        (("map.x", "exists"), True),
        (("map.y", "absent"), True),
        (("map.x.deep", "absent"), True),
        (("map.y.deep", "<>", 1), True),
        (("map", "=", {"x": 1}), True),
        (("map", "=", {"x": 2}), False),
        (("map", "=", {"y": 1}), False),
        (("map", "=", {}), False),
        (("map", "size=", 1), True),
        (("map", "size=", 0), False),
        (("absent", "size=", 0), False),
    ],
)
def test_each_operator_means_the_same_everywhere(table: Any, test: tuple, holds: bool) -> None:
    table.write([Put(item(map={"x": 1}))])
    op = update(KEY, [clause("it", test)], set={"seen": True})
    if holds:
        table.write([op])
        assert table.get(KEY)["seen"] is True
    else:
        with pytest.raises(ConditionFailed) as lost:
            table.write([op])
        assert lost.value.old == item(map={"x": 1})


def test_a_clause_holds_when_one_of_its_tests_does_and_a_condition_when_all_do(table: Any) -> None:
    table.write([Put(item())])
    either = Clause("either", (Comparison(("n",), "=", 9), Comparison(("n",), "=", 1)))
    table.write([update(KEY, [either], set={"a": 1})])
    with pytest.raises(ConditionFailed):
        table.write([update(KEY, [either, clause("no", ("n", "=", 9))], set={"a": 2})])
    assert table.get(KEY)["a"] == 1


def test_a_transaction_is_all_or_nothing_and_names_the_one_that_failed(table: Any) -> None:
    other, member = Key(KEY.pk, "E#1"), Key("T#main#U#m", "G#g")
    table.write([Put(item())])
    ops = [
        update(KEY, [], add={"n": 1}),
        Put({**other._asdict()}, (ABSENT,)),
        Check(member, (clause("member", ("pk", "exists")),)),
    ]
    with pytest.raises(ConditionFailed) as lost:
        table.write(ops)
    assert (lost.value.position, lost.value.old) == (2, None)
    assert table.get(KEY) == item()
    assert table.get(other) is None
    table.write([Put({**member._asdict()})])
    table.write(ops)
    assert table.get(KEY)["n"] == 2
    with pytest.raises(ConditionFailed) as lost:
        table.write(ops)
    assert lost.value.position == 1


def test_an_update_of_a_path_that_is_not_there_is_an_error_and_changes_nothing(table: Any) -> None:
    table.write([Put(item())])
    with pytest.raises(Refused, match="path"):
        table.write([update(KEY, [], set={"calls.1.state": "accepted"})])
    assert table.get(KEY) == item()


def test_delete_removes(table: Any) -> None:
    table.write([Put(item())])
    table.write([Delete(KEY)])
    table.write([Delete(KEY)])
    assert table.get(KEY) is None


def test_a_partition_is_read_in_key_order_by_prefix(table: Any) -> None:
    for sk in ("HEAD", "E#2", "E#1", "BODY#x"):
        table.write([Put({"pk": KEY.pk, "sk": sk})])
    table.write([Put({"pk": "T#main#P#ab", "sk": "E#0"})])
    assert [one["sk"] for one in table.query(KEY.pk)] == ["BODY#x", "E#1", "E#2", "HEAD"]
    assert [one["sk"] for one in table.query(KEY.pk, "E#")] == ["E#1", "E#2"]


def test_a_partition_over_one_page_is_read_whole(table: Any) -> None:
    for number in range(4):
        table.write([Put({"pk": KEY.pk, "sk": f"B#{number}", "content": "x" * 300_000})])
    assert len(table.query(KEY.pk)) == 4


def test_the_work_list_is_by_moment_sparse_and_bounded(table: Any) -> None:
    for number in (3, 1, 2):
        table.write([Put({"pk": f"T#main#P#{number}", "sk": "HEAD", "wpk": "T#main#W#new#0", "wsk": number * 10})])
    table.write([Put({"pk": "T#main#P#9", "sk": "HEAD"})])
    assert [one["wsk"] for one in table.work("T#main#W#new#0")] == [10, 20, 30]
    assert [one["wsk"] for one in table.work("T#main#W#new#0", up_to=20)] == [10, 20]
    assert [one["wsk"] for one in table.work("T#main#W#new#0", limit=1)] == [10]
    table.write([update(Key("T#main#P#1", "HEAD"), [], remove=("wpk", "wsk"))])
    assert [one["wsk"] for one in table.work("T#main#W#new#0")] == [20, 30]


def test_a_work_list_is_read_on_up_to_a_bound(table: Any) -> None:
    for number in (1, 2, 3):
        table.write([Put({"pk": f"T#main#P#{number}", "sk": "HEAD", "wpk": "T#main#W#new#0", "wsk": number * 10})])
    first, second, _ = table.work("T#main#W#new#0")
    assert [one["wsk"] for one in table.work("T#main#W#new#0", up_to=20, after=first)] == [20]
    assert table.work("T#main#W#new#0", up_to=20, after=second) == []


def test_the_find_index_gives_keys(table: Any) -> None:
    table.write([Put(item(fpk="T#main#E#order:1"))])
    assert table.find("T#main#E#order:1", limit=10) == [KEY]
    assert table.find("T#main#E#order:2", limit=10) == []


def test_a_partition_is_read_backwards_page_by_page(table: Any) -> None:
    keys = [Key("T#main#R#desk#run", f"{number:016}#{'a' * 26}") for number in (5, 1, 12, 3)]
    table.write([Put({"pk": "T#main#R#desk#other", "sk": keys[0].sk})])
    for key in keys:
        table.write([Put(key._asdict())])
    found = sorted(keys, reverse=True)
    assert table.newest(keys[0].pk, limit=10) == found
    assert table.newest(keys[0].pk, limit=3) == found[:3]
    assert table.newest(keys[0].pk, limit=3, before=found[2].sk) == found[3:]
    assert table.newest(keys[0].pk, limit=2, before=f"{4:016}#b") == found[2:], "a place where nothing stands"
    assert table.newest("T#main#R#desk#none", limit=3) == []


def test_a_list_is_read_from_behind_a_place_where_nothing_stands(table: Any) -> None:
    keys, name = Keys("main"), "T#main#W#new#0"
    pauses = [letter * 26 for letter in "abcd"]
    for pause, moment in zip(pauses, (10, 20, 20, 30), strict=True):
        table.write([Put({**keys.head(pause)._asdict(), "wpk": name, "wsk": moment})])

    def behind(at_ms: int, pause: str) -> list[tuple[int, str]]:
        found = table.work(name, after=after_entry(keys, name, (at_ms, pause)))
        return sorted((one["wsk"], one["pk"].rpartition("#")[2]) for one in found)

    assert behind(19, "z" * 26) == [(20, pauses[1]), (20, pauses[2]), (30, pauses[3])]
    assert behind(29, "a" * 26) == [(30, pauses[3])]
    assert behind(0, "a" * 26) == [(10, pauses[0]), *behind(19, "a" * 26)]
    assert behind(31, "a" * 26) == []


def test_an_agent_is_passed_by_in_a_queue(table: Any) -> None:
    """The number that a queue is sorted by has a lane and a moment: exact to its last digit, and compared as a number."""
    keys, name = Keys("main"), Keys("main").queue("money-out", 0)
    stand = {
        "a": 7,
        "b": (2**32 - 1) * STEP + 10,
        "c": (2**32 - 1) * STEP + 11,
        "d": 2**32 * STEP + 10,
        "e": 9 * STEP + 5,
    }
    for letter, wsk in stand.items():
        table.write([Put({**keys.head(letter * 26)._asdict(), "wpk": name, "wsk": wsk})])

    def found(**bounds: Any) -> str:
        return "".join(one["pk"][-1] for one in table.work(name, **bounds))

    assert found() == "aebcd"
    assert [one["wsk"] for one in table.work(name)] == sorted(stand.values())
    assert found(after=before_place(keys, name, 2**32 - 1)) == "bcd"
    assert found(after=before_place(keys, name, 2**32)) == "d"
    assert found(after=before_place(keys, name, 2**32 - 1), up_to=lane_end(2**32 - 1)) == "bc"
    assert found(after=before_place(keys, name, 0), up_to=lane_end(0)) == "a"
    table.write([update(keys.head("b" * 26), [same_moment(Stands(stand["b"]))], set={"wsk": stand["b"] + 2})])
    assert found() == "aecbd"
