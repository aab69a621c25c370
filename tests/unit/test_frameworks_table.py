"""The capability table says what the adapters do, and how long a run can wait."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

import placet.frameworks
from placet.frameworks import NAMES, framework, frameworks, longest_wait_s
from placet.frameworks.contract import DAY_S, YEAR_S, Edits, Framework, Matching
from placet.model.frameworks import OWN
from placet.policy.classes import LONGEST_MAXIMUM_S

ROOMS = Path(placet.frameworks.__file__).parent


def test_each_room_is_registered_and_each_name_has_one() -> None:
    rooms = {path.parent.name for path in ROOMS.glob("*/reading.py")}
    assert rooms == {*NAMES, "own"}
    assert [name for name, one in frameworks().items() if one.taken] == list(NAMES)
    assert {framework(name).name for name in (*NAMES, OWN)} == {*NAMES, OWN}


@pytest.mark.parametrize("name", NAMES)
def test_a_pause_has_as_many_calls_as_its_framework_reads(name: str) -> None:
    assert framework(name).most_calls == import_module(f"placet.frameworks.{name}.reading").MAX_CALLS


@pytest.mark.parametrize("name", NAMES)
def test_a_pause_loads_its_own_framework_only(name: str) -> None:
    script = f"from placet.frameworks import framework; framework({name!r}); import sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {one.split(".")[2] for one in done.stdout.split() if one.startswith("placet.frameworks.")}
    assert loaded == {"contract", name}


@pytest.mark.parametrize("one", frameworks().values(), ids=lambda one: one.name)
def test_every_field_says_something(one: Framework) -> None:
    assert all(getattr(one, field.name) or field.type == "bool" for field in fields(one) if field.name != "room")
    assert one.most_calls >= 1
    assert 0 < one.waits_s <= YEAR_S


def test_a_saver_shortens_the_wait_and_never_stretches_it_over_the_year() -> None:
    assert longest_wait_s("langchain") == YEAR_S
    assert longest_wait_s("langchain", 7 * DAY_S) == 7 * DAY_S
    assert longest_wait_s("langchain", 2 * YEAR_S) == YEAR_S
    assert longest_wait_s("claude") == 30 * DAY_S
    assert longest_wait_s("claude", 90 * DAY_S) == 90 * DAY_S


def test_a_bedrock_run_waits_whatever_its_session_does() -> None:
    """Its late decisions go through the executor, so that no saver bounds them."""
    assert longest_wait_s("bedrock", 1) == longest_wait_s("bedrock") == YEAR_S
    assert frameworks()["bedrock"].edits is Edits.EXECUTOR
    assert frameworks()["bedrock"].matching is Matching.BY_POSITION


def test_a_class_may_wait_as_long_as_a_framework_at_its_best() -> None:
    assert max(longest_wait_s(name) for name in frameworks()) >= LONGEST_MAXIMUM_S


def test_a_framework_that_is_not_in_the_table_has_no_wait() -> None:
    with pytest.raises(KeyError):
        longest_wait_s("crewai")
