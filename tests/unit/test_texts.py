"""Texts of immutable records: to the byte as they were, in as few units as they need, and never more than anybody would store."""

from __future__ import annotations

import random
import zlib
from typing import Any

import pytest

from placet.aws.expressions import from_wire, to_wire
from placet.model.canonical import STORED_BYTES, exact_text, parse
from placet.model.errors import Damaged, Lost, Parked
from placet.model.pauses import Evidence
from placet.records.bodies import read_body
from placet.records.texts import INLINE_BYTES, PLAIN_BYTES, content_of, stored
from tests.cost.units import item_size
from tests.gateway import REFUND, Gateway

KEYS = {"pk": "T#main#P#djlgtmjhqx4ezichr4ttrfkm5q", "sk": f"BODY#{'0' * 32}", "kind": "BODY", "at_ms": 1795968000001}
NOISE = random.Random(7)  # noqa: S311
WORDS = '{"amount":1240.00,"note":"für Änne — 2 x","order":"1182"}'


def value(size: int, alphabet: str = "order id amount note ") -> list[str]:
    """A JSON value whose exact text has so many bytes."""
    return ["".join(NOISE.choice(alphabet) for _ in range(size - 4))]


def written(size: int, alphabet: str = "order id amount note ") -> dict[str, Any]:
    return stored(KEYS, "main/place", exact_text(value(size, alphabet))).item


@pytest.mark.parametrize(
    ("size", "where", "version"),
    [
        (PLAIN_BYTES, "content", 1),
        (PLAIN_BYTES + 1, "packed", 2),
        (INLINE_BYTES, "packed", 2),
        (INLINE_BYTES + 1, "place", 1),
    ],
)
def test_a_text_stands_in_one_place(size: int, where: str, version: int) -> None:
    item = written(size)
    assert item.keys() & {"content", "packed", "place"} == {where}
    assert item["schema_version"] == version


@pytest.mark.parametrize("size", [2, PLAIN_BYTES, INLINE_BYTES - 100])
def test_a_text_comes_back_to_the_byte_from_the_table(size: int) -> None:
    text = exact_text([*value(size), parse(WORDS)]) if size > 2 else WORDS
    item = from_wire(to_wire(stored(KEYS, "main/place", text).item))
    assert exact_text(content_of(item, None)) == text


def test_the_body_of_a_common_pause_is_one_unit(gateway: Gateway) -> None:
    """As `tests/cost` plays it: a call with its schema, evidence and facts."""
    evidence = Evidence("Order 1182", "get_order", True, "Total 240.50, paid by card.")
    head = gateway.capture(REFUND, evidence=(evidence,) * 3, says="x y z " * 60, facts={"model": "m-1"}).head
    item = gateway.table.get(gateway.keys.body(head.pause, head.body))
    assert item_size(to_wire(item)) < 1024 < len(exact_text(content_of(item, None)))
    assert read_body(item, None, head.body).says == "x y z " * 60


def test_what_was_stored_before_is_read_as_before() -> None:
    text = exact_text(value(1_500))
    assert exact_text(content_of({**KEYS, "schema_version": 1, "content": text}, None)) == text


def packed(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


HURT: dict[str, dict[str, Any]] = {
    "not packed": {"packed": b"{}"},
    "cut off": {"packed": packed(b'{"calls":[]}' * 90)[:-3]},
    "more behind it": {"packed": packed(b"{}") + b"more"},
    "a text": {"packed": "{}"},
    "no UTF-8": {"packed": packed(b'"\xff"')},
    "no JSON": {"packed": packed(b"{")},
    "too long": {"packed": packed(b"[" + b" " * STORED_BYTES + b"]")},
    "too deep": {"packed": packed(b"[" * 5_000 + b"]" * 5_000)},
    "of a release that did not pack": {"schema_version": 1},
    "in two places": {"content": "{}"},
    "in the bucket too": {"place": "main/nowhere"},
    "another one": {"packed": packed(b'{"calls":[]}')},
}


@pytest.mark.parametrize("changes", HURT.values(), ids=HURT)
def test_what_nobody_wrote_is_damaged(changes: dict[str, Any]) -> None:
    with pytest.raises(Damaged):
        read_body({**KEYS, "schema_version": 2, "packed": packed(b"{}"), **changes}, None, "0" * 64)


def test_a_text_that_unpacks_to_more_than_is_ever_stored_takes_no_more_memory_than_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[int] = []
    monkeypatch.setattr("placet.records.texts.parse_stored", lambda text: parsed.append(len(text)))
    with pytest.raises(ValueError, match="not all"):
        content_of({"schema_version": 2, "packed": packed(b" " * 50 * STORED_BYTES)}, None)
    assert parsed == []


def test_a_text_that_is_nowhere_is_lost_and_a_later_one_is_parked() -> None:
    with pytest.raises(Lost):
        read_body({**KEYS, "schema_version": 1}, None, "0" * 64)
    with pytest.raises(Parked):
        read_body({**KEYS, "schema_version": 3, "packed": b""}, None, "0" * 64)
