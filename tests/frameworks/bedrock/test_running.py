"""The small calls of the SDK: what is sent, and what the gateway's words for a run become."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from placet.client import Gateway, bedrock
from placet.client.bedrock import Finished, Going, Stopped, Waiting, follow, invoke
from placet.client.transport import Answer
from placet.client.waiting import Pace
from tests.docs.reading import ROOT


class Scripted:
    """Answers in order, the last one for ever; `sent` are the requests."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = list(answers)
        self.sent: list[tuple[str, str, Any]] = []

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        self.sent.append((method, path, json.loads(body) if body else None))
        return Answer(self._answers.pop(0) if len(self._answers) > 1 else self._answers[0], 0.0)


def said(status: str, **more: Any) -> dict[str, Any]:
    """As docs/api.md shows it."""
    empty = {"pause": None, "completion": None, "cut": False, "code": None, "pauses": []}
    return {"run": "run-1", "agent": "refund-desk", "status": status, "say": f"{status}.", **empty, **more}


STATES = [
    (said("finished", completion="Refunded."), Finished("run-1", "Refunded.")),
    (said("finished", completion="", cut=True), Finished("run-1", "", True)),
    (said("waiting", pause="p"), Waiting("run-1", "p", "waiting.")),
    (said("running"), Going("run-1", "running", "running.")),
    (said("resuming", pause="p"), Going("run-1", "resuming", "resuming.")),
    (said("stuck", pause="p"), Stopped("run-1", "stuck", "stuck.", pause="p")),
    (said("failed", code="access_denied"), Stopped("run-1", "failed", "failed.", "access_denied")),
    (said("inconclusive", code="response_lost"), Stopped("run-1", "inconclusive", "inconclusive.", "response_lost")),
    (said("ended"), Stopped("run-1", "ended", "ended.")),
    (said("a word of a later release"), Stopped("run-1", "a word of a later release", "a word of a later release.")),
]


@pytest.mark.parametrize(("body", "standing"), STATES, ids=[str(body["status"]) for body, _ in STATES])
def test_every_state_of_a_run_has_its_value(body, standing) -> None:
    assert follow(Gateway(transport=Scripted(body)), "run-1") == standing
    assert invoke(Gateway(transport=Scripted(body)), "refund-desk", "run-1", "hello") == standing


def test_a_turn_is_sent_under_a_name_of_its_own_and_without_empty_words() -> None:
    scripted = Scripted(said("waiting", pause="p"))
    gateway = Gateway(transport=scripted)
    invoke(gateway, "refund-desk", "run-1", "refund it", entity="order:7", requester="", wait_at_most_s=60, evidence=[])
    invoke(gateway, "refund-desk", "run-1", "refund it", key="mine")
    (method, path, first), (_, _, second) = scripted.sent
    assert (method, path) == ("POST", "/v1/agents/refund-desk/invoke")
    key = first.pop("key")
    assert first == {"run": "run-1", "text": "refund it", "entity": "order:7", "wait_at_most_s": 60}
    assert len(key) == 32
    assert second["key"] == "mine"


def test_evidence_that_is_too_long_is_cut_and_counted() -> None:
    scripted = Scripted(said("waiting", pause="p"))
    pieces = [{"title": "t", "text": "x" * 30_000, "origin": "tool"}] * 30
    invoke(Gateway(transport=scripted), "refund-desk", "run-1", "refund it", evidence=pieces, confidence=0.5)
    ((_, _, body),) = scripted.sent
    assert len(body["evidence"]) <= 20
    assert sum(len(one["text"]) + one.get("cut", 0) for one in body["evidence"]) == 30 * 30_000
    assert body["confidence"] == 0.5


def test_names_cannot_leave_their_place_in_the_path() -> None:
    scripted = Scripted(said("running"))
    follow(Gateway(transport=scripted), "a/../b?c")
    invoke(Gateway(transport=scripted), "x/y", "run-1", "hello")
    assert [path for _, path, _ in scripted.sent] == ["/v1/runs/a%2F..%2Fb%3Fc", "/v1/agents/x%2Fy/invoke"]


def test_following_waits_for_people_and_turns_and_no_longer_than_its_patience() -> None:
    pace = Pace(soon_s=0.001, longest_s=0.001)
    scripted = Scripted(
        said("running"), said("waiting", pause="p"), said("resuming"), said("finished", completion="ok")
    )
    assert follow(Gateway(transport=scripted), "run-1", 5.0, pace=pace) == Finished("run-1", "ok")
    assert len(scripted.sent) == 4
    waiting = Scripted(said("waiting", pause="p"))
    assert follow(Gateway(transport=waiting), "run-1", 0.02, pace=pace) == Waiting("run-1", "p", "waiting.")
    assert len(waiting.sent) > 1


def test_what_stopped_is_not_waited_for() -> None:
    scripted = Scripted(said("stuck", pause="p"))
    assert isinstance(follow(Gateway(transport=scripted), "run-1", 60.0), Stopped)
    assert len(scripted.sent) == 1


def test_every_public_name_is_documented_and_the_module_loads_nothing_but_the_sdk() -> None:
    assert bedrock.__all__ == sorted(bedrock.__all__)
    assert all(getattr(bedrock, name).__doc__ for name in bedrock.__all__)
    text = (
        "import sys, placet.client.bedrock; print([name for name in sys.modules if name == 'boto3' or "
        "name.startswith('placet.') and not name.startswith('placet.client')])"
    )
    core = {"PYTHONPATH": str(ROOT / "layers/core/python"), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, env=core)
    assert done.stdout.strip() == "[]"
