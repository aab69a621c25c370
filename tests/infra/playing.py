"""Every route of every function with what must be there before it, and the handlers on a gateway that guards their rights."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any
from urllib.parse import urlencode

import pytest

from placet import wiring
from placet.model.pauses import call_id
from placet.model.people import SignedInAs
from placet.model.states import PermitState
from placet.records.heads import Head
from placet.service import sessions
from placet.service.ask import ask
from placet.service.execute import outcome
from placet.service.ports import Ports
from placet.service.resume import take
from placet.service.stuck import list_stuck
from placet.service.went_on import resumed
from tests.functions.calling import OPERATOR, Called, good, headers, identity
from tests.functions.conftest import ACCOUNT, role_arn
from tests.gateway import REFUND, SUPPORT
from tests.infra.bedrock_scenarios import asked, asking
from tests.infra.guarded_gateway import DESK, Guarded
from tests.undoing import AGENT, taken_back

ALWAYS = {"table", "keys", "clock", "policy", "registry", "epoch", "base_url", "most_open", "log"}
ELSEWHERE = {"secrets": "ids"}  # ports that are asked for by another name than theirs
Before = Callable[[Guarded], Head]


class Pool:
    """A user pool that lets everybody in as Maria, of a group that the policy knows."""

    def authorize_url(self, state: str, nonce: str, verifier: str) -> str:
        return f"https://login.example/?state={state}"

    def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
        return SignedInAs("maria", "Maria Keller", "maria@example.com", frozenset({"Finance-EU"}))


def waiting(gateway: Guarded) -> Head:
    return gateway.shown(REFUND)


def questioned(gateway: Guarded) -> Head:
    head = gateway.shown(REFUND)
    ask(gateway.ports, gateway.maria, call_id(head.pause, 1), "Which order?", 1)
    return head


def still_held(gateway: Guarded) -> Head:
    """Decided a moment ago, so that it may be taken back."""
    gateway.with_policy(undo_s=60)
    return gateway.decided()


def leased(gateway: Guarded) -> Head:
    head = gateway.decided()
    (found,) = take(gateway.ports, SUPPORT)
    assert found["fence"] == 1
    return head


def claimed(gateway: Guarded) -> Head:
    return gateway.claimed()


def unknown(gateway: Guarded) -> Head:
    head = gateway.claimed()
    outcome(gateway.ports, SUPPORT, call_id(head.pause, 1), "w", PermitState.UNKNOWN, "")
    return gateway.head(head.pause)


def executed(gateway: Guarded) -> Head:
    """Done, by a tool whose effect can be taken back."""
    gateway.support, gateway.policy = AGENT, taken_back(gateway.policy)
    head = gateway.claimed()
    outcome(gateway.ports, AGENT, call_id(head.pause, 1), "w", PermitState.DONE, '{"id": "rf-1"}')
    resumed(gateway.ports, AGENT, head.pause)
    gateway.deliver()
    return gateway.head(head.pause)


def stuck(gateway: Guarded) -> Head:
    head = gateway.shown(REFUND)
    list_stuck(gateway.ports, head, "wait_failed")
    return gateway.head(head.pause)


def of_bedrock(gateway: Guarded) -> Head:
    return asked(gateway, asking(1))  # type: ignore[no-any-return]


def a_turn(gateway: Guarded) -> Head:
    gateway.runtime.turns = [asking(1)]
    return gateway.shown(REFUND)


# What is there before a route is played; a pause that waits, for all others.
BEFORE: Mapping[str, Before] = {
    "POST /v1/agents/{agent}/invoke": a_turn,
    "GET /v1/runs/{id}": of_bedrock,
    "POST /v1/pauses/{id}/answer": questioned,
    "GET /v1/resumes": leased,
    "POST /v1/resumes": lambda gateway: gateway.decided(),
    "POST /v1/resumes/{id}/lease": leased,
    "POST /v1/resumes/{id}/release": leased,
    "POST /v1/resumes/{id}/outcome": leased,
    "POST /v1/calls/{id}/claim": leased,
    "POST /v1/calls/{id}/renew": claimed,
    "POST /v1/calls/{id}/outcome": claimed,
    "POST /v1/reviews/{id}/undo": still_held,
    "POST /reviews/{id}/undo": still_held,
    "POST /v1/reviews/{id}/propose-undo": executed,
    "POST /reviews/{id}/propose-undo": executed,
    "POST /v1/operations/calls/{id}/undo": executed,
    "POST /v1/operations/calls/{id}/reconcile": unknown,
    "POST /v1/operations/pauses/{id}/repair": stuck,
}
# Where the usual request does less than the route can.
MORE: Mapping[str, dict[str, Any]] = {
    "POST /v1/pauses": {"run": "thread-2", "supersedes": True, "wait_at_most_s": 3_600},
    "POST /v1/agents/{agent}/invoke": {"key": "k-1"},
    "POST /v1/reviews/away": {"delegate": "jonas@example.com"},
    "POST /people": {"do": "save", "until": "2026-12-04T17:00", "seen": "|2026-12-04T17:00|"},
}


def ports_of(gateway: Guarded, names: tuple[str, ...]) -> Ports:
    """Only the ports that a function asks for, as the wiring gives it."""
    kept = ALWAYS | {ELSEWHERE.get(name, name) for name in names}
    return replace(gateway.ports, **{one.name: None for one in fields(Ports) if one.name not in kept})  # type: ignore[arg-type]


def wire(gateway: Guarded, patch: pytest.MonkeyPatch) -> None:
    """The handlers on this gateway."""
    gateway.policy = replace(gateway.policy, sign_in_groups={"finance": ("Finance-EU",)})
    patch.setenv("PLACET_BASE_URL", "https://placet.example")
    patch.setattr(wiring, "ports", lambda *names: ports_of(gateway, names))
    patch.setattr(wiring, "operators", lambda: frozenset({OPERATOR}))
    patch.setattr(wiring, "login", Pool)
    patch.setattr(wiring, "log", lambda name, facts: gateway.log.append((name, facts)))


def play(gateway: Guarded, called: Called) -> dict[str, Any]:
    """The answer to a request that the route takes, under the rights of its function."""
    head = BEFORE.get(called.route, waiting)(gateway)
    cookie = sessions.begin(gateway.ports, "maria")
    session = sessions.find(gateway.ports, cookie)
    assert session is not None
    event = request(called, head, cookie, session.csrf)
    handler = importlib.import_module(f"functions.{called.function}.handler").handler
    gateway.table.denied.clear()
    answer: dict[str, Any] = gateway.as_verb(called.function, handler, event, None)
    return answer


def played(gateway: Guarded, called: Called) -> None:
    """Play a route. Raises AssertionError when it is denied what it needs, or does not do its work."""
    answer = play(gateway, called)
    assert not gateway.table.denied, gateway.table.denied
    assert answer["statusCode"] < 400, (str(called), answer["statusCode"], answer["body"][-400:], gateway.log[-1:])


def request(called: Called, head: Head, cookie: str, csrf: str) -> dict[str, Any]:
    """As API Gateway hands it in."""
    given = good(called, head, csrf)
    who = identity(called.who, cookie)
    if called.route == "GET /v1/runs/{id}" or called.route.endswith("/invoke"):
        who = {"authorizer": {"iam": {"userArn": role_arn(DESK.role), "accountId": ACCOUNT}}}
        given["path"] = {"agent": DESK.name, "id": head.run}
    elif called.who == "operator":
        who["authorizer"]["iam"]["userArn"] = role_arn(OPERATOR).replace("/anything", "/olga@example.com")
    body: dict[str, Any] = {}
    if "form" in given:
        body = {"body": urlencode({**given["form"], **MORE.get(called.route, {})})}
    elif "json" in given:
        body = {"body": json.dumps({**given["json"], **MORE.get(called.route, {})})}
    method, path = called.route.split()
    context = {"accountId": ACCOUNT, "authorizer": who.pop("authorizer", {}), "http": {"method": method}}
    return {
        "version": "2.0",
        "routeKey": called.route,
        "rawPath": path,
        "headers": headers(called),
        "requestContext": context,
        "pathParameters": given["path"],
        "queryStringParameters": given.get("query", {}),
        "cookies": [*who.get("cookies", []), *given.get("cookies", [])],
        **body,
    }
