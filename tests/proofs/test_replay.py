"""The replay proof at its quick size, and bugs that it has to see."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from unittest import mock

import pytest

from tests.proofs import Size
from tests.proofs.replay import prove
from tests.proofs.world import planted


def test_a_replayed_stream_changes_nothing() -> None:
    assert prove(lambda line: None, Size(quick=True)).violations == []


def _fails_as_one() -> AbstractContextManager[object]:
    """A handler that lets one bad record take its batch with it."""

    def dispatch(event: dict, context: None) -> dict:
        from functions.dispatch import handler

        if any(not handler._handled(record) for record in event["Records"]):
            raise ValueError
        return {"batchItemFailures": []}

    return mock.patch("tests.proofs.world.recorded.dispatch", dispatch)


def _drops_poison() -> AbstractContextManager[object]:
    """A handler that takes a bad record for handled."""
    return mock.patch("tests.proofs.world.recorded.dispatch", return_value={"batchItemFailures": []})


PLANTED: dict[str, tuple[Callable[[], AbstractContextManager[object]], str]] = {
    "one bad record fails its batch": (_fails_as_one, "held up"),
    "poison is dropped": (_drops_poison, "held up"),
    "an effect without an edge": (planted.mends_without_looking, "after everything came again"),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_seen(bug: str) -> None:
    planted_bug, seen = PLANTED[bug]
    with planted_bug():
        assert any(seen in violation for violation in prove(lambda line: None, Size(quick=True)).violations)
