"""The rules by which DynamoDB bills, on items whose answer is known from AWS's developer guide."""

from __future__ import annotations

import pytest

from tests.cost.units import Item, index_units, item_size, read_units, write_units

WORK = {
    "KeySchema": [{"AttributeName": "wpk"}, {"AttributeName": "wsk"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["card"]},
}
QUEUED: Item = {"pk": {"S": "p"}, "sk": {"S": "s"}, "wpk": {"S": "queue"}, "wsk": {"N": "1"}, "card": {"S": "a"}}


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "äb"}, 3),
        ({"N": "1795971450437"}, 8),
        ({"N": "-27"}, 3),
        ({"N": "1000"}, 2),
        ({"N": "0"}, 1),
        ({"B": "AAEC"}, 3),
        ({"BOOL": True}, 1),
        ({"L": [{"S": "ab"}, {"S": "c"}]}, 3 + 2 + 3),
        ({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2),
        ({"SS": ["ab", "c"]}, 3),
    ],
)
def test_a_value_has_the_size_that_aws_gives_it(value: dict, size: int) -> None:
    assert item_size({"n": value}) == 1 + size


@pytest.mark.parametrize(("before", "after", "units"), [(0, 1024, 1), (0, 1025, 2), (3000, 10, 3)])
def test_the_larger_image_is_paid_by_started_kilobytes(before: int, after: int, units: int) -> None:
    def image(size: int) -> Item | None:
        return {"n": {"S": "x" * (size - 1)}} if size else None

    assert write_units(image(before), image(after), []) == units
    assert write_units(image(before), image(after), [], transaction=True) == 2 * units


@pytest.mark.parametrize(
    ("changed", "units"),
    [
        ({}, 0),
        ({"state": {"S": "closed"}}, 0),
        ({"card": {"S": "b"}}, 1),
        ({"wsk": {"N": "2"}}, 2),
        ({"wpk": None}, 1),
    ],
)
def test_an_index_costs_what_changes_in_it(changed: dict, units: int) -> None:
    after = {name: value for name, value in (QUEUED | changed).items() if value is not None}
    assert index_units(WORK, QUEUED, after) == units
    assert index_units(WORK, None, QUEUED) == 1


def test_an_index_is_paid_once_in_a_transaction() -> None:
    assert write_units(None, QUEUED, [WORK], transaction=True) == 2 + 1


def test_reads_are_paid_by_started_four_kilobytes() -> None:
    large: Item = {"n": {"S": "x" * 4096}}
    assert read_units([], consistent=True) == 1
    assert read_units([large], consistent=True) == 2
    assert read_units([large, large], consistent=False) == 1.5
    assert read_units([large], consistent=True, transaction=True) == 4
