"""A pause that the gateway answers itself is ended by the gateway: no process of its agent takes, holds, claims or ends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from placet import wiring
from placet.model.pauses import BedrockTarget
from placet.service.bedrock.executing import hold
from placet.service.leases import lease
from tests.bedrock.desk import TARGET, Desk, desk
from tests.bedrock.verified import VERIFIED
from tests.functions.conftest import Api


@pytest.fixture(params=[TARGET, VERIFIED], ids=["plain", "verified"])
def target(request: pytest.FixtureRequest) -> BedrockTarget:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def made(target: BedrockTarget, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with desk(target=target) as found:
        monkeypatch.setattr(wiring, "ports", lambda *names: found.ports)
        monkeypatch.setattr(wiring, "log", lambda *said: None)
        yield found


def asked(made: Desk, function: str, route: str, body: dict[str, Any], at: str) -> tuple[int, str]:
    """What the agent's own role is answered."""
    given = {"pathParameters": {"id": at}}
    status, answer = Api(made).agent(function, route, body, role=made.agent.role, **given)
    return status, answer.get("code", "")


REFUSED = (409, "gateway_answers")


def test_the_agents_own_role_cannot_say_that_its_run_went_on(made: Desk) -> None:
    head = made.asks()
    for body in ({"state": "resumed"}, {"state": "resumed", "fence": 1}):
        assert asked(made, "execute", "POST /v1/resumes/{id}/outcome", body, head.pause) == REFUSED
    made.ends(head, 1, "accept")
    assert asked(made, "execute", "POST /v1/resumes/{id}/outcome", {"state": "resumed"}, head.pause) == REFUSED
    assert made.resumes(head.pause) == "delivered"
    assert made.paid() == [("ORD-7", 50000)]


def test_it_takes_no_lease_and_gives_none_back(made: Desk) -> None:
    head = made.asks()
    made.ends(head, 1, "accept")
    assert asked(made, "pick_up", "POST /v1/resumes", {"pause": head.pause}, "") == REFUSED
    status, answer = Api(made).agent("pick_up", "POST /v1/resumes", {}, role=made.agent.role)
    assert (status, answer["resumes"]) == (200, [])
    held = lease(made.ports, made.head(head.pause), 60_000)
    assert held is not None
    fence = held.fence
    for what in ("lease", "release"):
        assert asked(made, "pick_up", f"POST /v1/resumes/{{id}}/{what}", {"fence": fence}, head.pause) == REFUSED
    assert made.resumes(head.pause) == "leased"


def test_no_process_speaks_for_the_gateways_own_attempt(made: Desk) -> None:
    head = made.asks()
    made.ends(head, 1, "accept")
    held = lease(made.ports, made.head(head.pause), 60_000)
    assert held is not None
    fence = held.fence
    call, digest = f"{head.pause}-1", made.head(head.pause).calls[0].digest
    assert hold(made.ports, made.agent, head.pause, 1, f"execute-{fence}", fence) is not None
    for worker in (f"execute-{fence}", f"confirm-{fence}"):
        for what, body in (("claim", {"digest": digest}), ("renew", {}), ("outcome", {"permit": "failed"})):
            route = f"POST /v1/calls/{{id}}/{what}"
            assert asked(made, "execute", route, {"worker": worker, **body}, call) == REFUSED
    assert made.permit(head.pause) == "claimed"


def test_only_a_verified_agents_processes_claim(made: Desk) -> None:
    head = made.asks()
    made.ends(head, 1, "accept")
    body = {"digest": made.head(head.pause).calls[0].digest, "worker": "request-1.abc"}
    verified = made.target.verified
    status, code = asked(made, "execute", "POST /v1/calls/{id}/claim", body, f"{head.pause}-1")
    assert (status, code) == ((200, "") if verified else REFUSED)
    assert made.permit(head.pause) == ("claimed" if verified else "free")


@pytest.mark.parametrize("target", [VERIFIED], ids=["verified"])
def test_an_outcome_is_taken_though_the_registry_changed_since_its_claim(made: Desk) -> None:
    head = made.asks()
    made.ends(head, 1, "accept")
    claimed = {"digest": made.head(head.pause).calls[0].digest, "worker": "request-1.abc"}
    assert asked(made, "execute", "POST /v1/calls/{id}/claim", claimed, f"{head.pause}-1")[0] == 200
    made.agent = replace(made.agent, bedrock=replace(made.target, verified=False))
    told = {"worker": "request-1.abc", "permit": "done", "result": "paid"}
    assert asked(made, "execute", "POST /v1/calls/{id}/outcome", told, f"{head.pause}-1") == (200, "")
    assert made.permit(head.pause) == "done"
