"""The proof of old records at its quick size, and that it sees a reader that wants what earlier releases did not write."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from placet.records import bodies, heads, runs
from placet.service import names
from placet.service.bedrock import proposed, turns
from tests.proofs import Proof, Size, upgrade
from tests.upgrade import bedrock_journeys, journeys
from tests.upgrade.bedrock_scenes import SCENES


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
    read = heads.read_call

    def strict(number: int, raw: dict) -> heads.HeadCall:
        _ = raw["round"]  # as if every release had written it
        return read(number, raw)

    monkeypatch.setattr(heads, "read_call", strict)
    found = proof()
    assert found.figures["lost"] > 0
    assert "Damaged: The stored head of this pause cannot be read" in found.violations[0]


def test_a_reader_that_loses_the_schemas_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    read = bodies._read_call
    monkeypatch.setattr(bodies, "_read_call", lambda raw, *more: replace(read(raw, *more), schema=None))
    found = proof()
    assert found.figures["lost"] > 0
    assert "breaks the tool's schema" in found.violations[0]


def test_a_run_of_bedrock_that_is_read_more_strictly_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    read = runs.read_run.__wrapped__  # type: ignore[attr-defined]
    strict = lambda item: read({**item, "mark": item["mark"]})  # noqa: E731 - as if every release had written it
    monkeypatch.setattr(turns, "read_run", runs.reads("record of this run")(strict))
    found = proof()
    assert found.figures["lost"] > 0
    assert any("Damaged: The stored record of this run" in one for one in found.violations)


def test_a_first_record_that_is_asked_for_its_control_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposed, "_has_controls", lambda *given: True)
    assert any("status='stuck'" in one for one in proof().violations)


def test_a_release_that_forgets_the_index_of_earlier_ones_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_of_the_index", lambda *_: iter(()))
    found = proof()
    assert found.figures["lost"] > 0
    assert "its run does not know it" in found.violations[0] or "NotFound" in found.violations[0]


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
    for path in bedrock_journeys.ITEMS.glob("*.json"):
        file = json.loads(path.read_text())
        assert path.name == f"{file['date']}-{file['commit']}.json"
        assert file["subject"]
        assert set(file["runs"]) == {scene.__name__ for scene in SCENES}


@pytest.mark.parametrize("file", bedrock_journeys.recorded(), ids=lambda file: file.commit)
def test_every_run_of_bedrock_comes_to_its_end_on_every_way(file: bedrock_journeys.Recorded) -> None:
    lost: list[str] = []
    counts = bedrock_journeys.travel(file, lost.append)
    assert lost == []
    assert counts == {"lost": 0, "told": 39, "ran": 22, "decided": 24, "expired": 4}
