"""The proof of old records at its quick size, and that it sees a reader that wants what earlier releases did not write."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from placet.records import bodies, heads
from tests.proofs import Proof, Size, upgrade
from tests.upgrade import journeys


def proof() -> Proof:
    return upgrade.prove(lambda line: None, Size(quick=True))


def test_no_record_of_an_earlier_release_is_lost() -> None:
    found = proof()
    assert found.violations == []
    assert found.figures["versions"] >= 2
    assert found.figures["decisions"] >= 70
    assert found.figures["lost"] == 0
    assert found.line.startswith("upgrade: versions=")


def test_a_reader_that_wants_a_new_field_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    read = heads._read_call

    def strict(number: int, raw: dict) -> heads.HeadCall:
        _ = raw["round"]  # as if every release had written it
        return read(number, raw)

    monkeypatch.setattr(heads, "_read_call", strict)
    found = proof()
    assert found.figures["lost"] > 0
    assert "Damaged: The stored head of this pause cannot be read" in found.violations[0]


def test_a_reader_that_loses_the_schemas_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    read = bodies._read_call
    monkeypatch.setattr(bodies, "_read_call", lambda raw, *more: replace(read(raw, *more), schema=None))
    found = proof()
    assert found.figures["lost"] > 0
    assert "breaks the tool's schema" in found.violations[0]


def test_a_release_that_changes_what_a_decision_is_found_by_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journeys, "digest", lambda value: "0" * 64)
    assert proof().figures["lost"] > 0


def test_the_files_say_where_they_come_from_and_are_of_this_history() -> None:
    for path in journeys.ITEMS.glob("*.json"):
        file = json.loads(path.read_text())
        assert path.name == f"{file['date']}-{file['commit']}.json"
        assert file["subject"]
        assert {"captured", "notified", "voted", "edited", "accepted", "claimed", "expired", "passed"} <= set(
            file["pauses"]
        )
        assert all(item["schema_version"] == {"N": "1"} for item in file["items"])
