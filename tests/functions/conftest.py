"""Handlers on an in-memory gateway: real events in, real answers out."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from placet import wiring
from placet.service import sessions
from placet.service.undo_calls import proposed
from tests.gateway import Gateway
from tests.undoing import Desk

BASE = "https://placet.example"
ACCOUNT = "111122223333"


def role_arn(role: str, account: str = ACCOUNT) -> str:
    """An assumed role as API Gateway reports it: without the role's path, with a name of the caller's choice."""
    return f"arn:aws:sts::{account}:assumed-role/{role}/anything"


@dataclass
class Api:
    """Sends events to handlers as API Gateway does."""

    gateway: Gateway

    def send(self, function: str, route: str, **given: Any) -> dict[str, Any]:
        """One request of payload format 2.0; `given` overrides or adds to it."""
        handler = importlib.import_module(f"functions.{function}.handler").handler
        context = {
            "accountId": ACCOUNT,
            "authorizer": given.pop("authorizer", {}),
            "http": {"method": route.split()[0]},
        }
        event = {
            "version": "2.0",
            "routeKey": route,
            "rawPath": route.split()[1],
            "headers": {},
            "requestContext": context,
        }
        answer = handler({**event, **given}, None)
        assert answer["statusCode"] != 500, answer
        return dict(answer)

    def agent(
        self, function: str, route: str, body: Any = None, role: str = "placet-support-agent", **given: Any
    ) -> Any:
        """A request signed under a role; body and answer as JSON."""
        authorizer = {"iam": {"userArn": role_arn(role), "accountId": ACCOUNT}}
        text = body if isinstance(body, str) else json.dumps(body)
        headers = {"Content-Type": "application/json"}
        answer = self.send(function, route, **{"authorizer": authorizer, "body": text, "headers": headers, **given})
        return answer["statusCode"], json.loads(answer["body"])

    def page(
        self, function: str, route: str, cookie: str = "", form: dict[str, str] | None = None, **given: Any
    ) -> Any:
        """A browser's request."""
        sent: dict[str, Any] = {"cookies": [f"__Host-placet={cookie}"] if cookie else []}
        if form is not None:
            sent |= {
                "body": urlencode(form),
                "headers": {"content-type": "application/x-www-form-urlencoded", "origin": BASE},
            }
        return self.send(function, route, **{**sent, **given})

    def signed_in(self, sub: str = "maria") -> tuple[str, str]:
        """Cookie and CSRF secret of a new session."""
        cookie = sessions.begin(self.gateway.ports, sub)
        found = sessions.find(self.gateway.ports, cookie)
        assert found is not None
        return cookie, found.csrf


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Api:
    gateway = Gateway()
    gateway.verbs.do = lambda verb, payload: proposed(gateway.ports, payload["by"], payload["undo"])
    monkeypatch.setenv("PLACET_BASE_URL", BASE)
    monkeypatch.setattr(wiring, "ports", lambda *names: gateway.ports)
    return Api(gateway)


@pytest.fixture
def desk(api: Api, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The handlers at a desk whose refunds are taken back; `resume` is asked as Lambda would."""
    from functions.resume.handler import handler as resume

    made = Desk()
    made.verbs.do = lambda verb, payload: json.loads(json.dumps(resume(json.loads(json.dumps(payload)), None)))
    monkeypatch.setattr(wiring, "ports", lambda *names: made.ports)
    monkeypatch.setattr(wiring, "operators", lambda: frozenset({"placet-operator"}))
    api.gateway = made
    return made
