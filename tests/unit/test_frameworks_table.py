"""The capability table says what the adapters do, and how long a run can wait."""

from __future__ import annotations

from dataclasses import fields

import pytest

from placet.adapters import ADAPTERS, langchain
from placet.adapters.bedrock import reading
from placet.model.frameworks import DAY_S, FRAMEWORKS, OWN, YEAR_S, Edits, Framework, Matching, longest_wait_s
from placet.policy.classes import LONGEST_MAXIMUM_S

TAKEN = sorted(name for name, one in FRAMEWORKS.items() if one.taken)


def test_the_taken_frameworks_are_those_with_an_adapter() -> None:
    assert sorted(ADAPTERS) == sorted([*TAKEN, OWN])


def test_a_pause_has_as_many_calls_as_its_adapter_reads() -> None:
    limits = {"langchain": langchain.MAX_CALLS, "bedrock": reading.MAX_CALLS}
    assert {name: FRAMEWORKS[name].most_calls for name in TAKEN} == limits


@pytest.mark.parametrize("one", FRAMEWORKS.values(), ids=lambda one: one.name)
def test_every_field_says_something(one: Framework) -> None:
    assert all(getattr(one, field.name) or field.type == "bool" for field in fields(one))
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
    assert FRAMEWORKS["bedrock"].edits is Edits.EXECUTOR
    assert FRAMEWORKS["bedrock"].matching is Matching.BY_POSITION


def test_a_class_may_wait_as_long_as_a_framework_at_its_best() -> None:
    assert max(longest_wait_s(name) for name in FRAMEWORKS) >= LONGEST_MAXIMUM_S


def test_a_framework_that_is_not_in_the_table_has_no_wait() -> None:
    with pytest.raises(KeyError):
        longest_wait_s("crewai")
