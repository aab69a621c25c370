"""Every route of every function, who may call it, and a request of each that is taken."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from placet.model.pauses import call_id
from placet.records.heads import Head
from tests.functions.conftest import ACCOUNT, BASE, role_arn
from tests.gateway import REFUND, native

FOLDER = Path(__file__).resolve().parents[2] / "functions"
OPEN = {"GET /", "GET /static/{name}", "GET /sign-in", "GET /sign-in/start", "GET /sign-in/callback"}
OPERATOR = "placet-operator"


@dataclass(frozen=True)
class Called:
    """One route: its function, and who may call it: `agent`, `operator`, `token`, `page` or `open`."""

    function: str
    route: str
    who: str

    def __str__(self) -> str:
        return self.route


def every_route() -> list[Called]:
    """From the handlers themselves, so that a new route is among them."""
    return sorted(_routes(), key=str)


def _routes() -> Iterator[Called]:
    for path in sorted(FOLDER.glob("*/handler.py")):
        module = importlib.import_module(f"functions.{path.parent.name}.handler")
        for table in ("ROUTES", "PAGES", "API"):
            for route in getattr(module, table, {}):
                yield Called(path.parent.name, route, _who(route))


def _who(route: str) -> str:
    if route in OPEN:
        return "open"
    path = route.split()[1]
    if not path.startswith("/v1/"):
        return "page"
    return {"reviews": "token", "operations": "operator"}.get(path.split("/")[2], "agent")


def identity(who: str, cookie: str) -> dict[str, Any]:
    """What API Gateway says of the caller that a route is for."""
    if who in ("agent", "operator"):
        role = OPERATOR if who == "operator" else "placet-support-agent"
        return {"authorizer": {"iam": {"userArn": role_arn(role), "accountId": ACCOUNT}}}
    if who == "token":
        return {"authorizer": {"jwt": {"claims": {"sub": "maria", "token_use": "access"}}}}
    return {"cookies": [f"__Host-placet={cookie}"]}


def strangers(who: str) -> dict[str, dict[str, Any]]:
    """Callers that a route is not for, by what they are."""
    role = {"iam": {"userArn": role_arn("somebody"), "accountId": ACCOUNT}}
    found: dict[str, dict[str, Any]] = {
        "nobody": {},
        "another role": {"authorizer": role},
        "an unreadable role": {"authorizer": {"iam": {"userArn": ":::::", "accountId": ACCOUNT}}},
        "an id token": {"authorizer": {"jwt": {"claims": {"sub": "maria", "token_use": "id"}}}},
        "a made-up cookie": {"cookies": ["__Host-placet=made-up"]},
    }
    if who != "agent":
        found["an agent"] = identity("agent", "")
    if who != "operator":
        found["an operator"] = identity("operator", "")
    if who != "token":
        found["a reviewer's token"] = identity("token", "")
    return found


def good(called: Called, head: Head, csrf: str) -> dict[str, Any]:
    """Body, path, query and cookies of a request that the route takes."""
    call, digest = call_id(head.pause, 1), head.calls[0].digest
    given: dict[str, Any] = {"path": {"id": call if _of_call(called.route) else head.pause}}
    if "/runs/" in called.route:
        given["path"] = {"id": "thread-1"}
    if "{agent}" in called.route:
        given["path"] = {"agent": "support-agent"}
    if "{name}" in called.route:
        given["path"] = {"name": "placet.css"}
    if called.route.endswith("/find"):
        given["query"] = {"of": "order:1182"}
    if called.route.endswith("/sign-in/callback"):
        given |= {"query": {"state": "s", "code": "c"}, "cookies": ["__Host-placet-login-s=1.n.v.%2Finbox"]}
    if called.route.startswith("POST "):
        given["form" if called.who == "page" else "json"] = _body(called.route, head, digest, csrf)
    return given


def _of_call(route: str) -> bool:
    words = ("/calls/", "/decision", "/decide", "/edit", "/undo", "/propose-undo", "/reassign", "/extend")
    return any(word in route for word in words) or route.endswith(("/comment", "/ask"))


def _body(route: str, head: Head, digest: str, csrf: str) -> dict[str, Any]:
    form = {"csrf": csrf, "decision": "accept", "revision": "1", "digest": digest, "typed": "240.5", "shown_at": ""}
    decision = {"decision": "accept", "revision": 1, "digest": digest, "reason": "", "arguments": "", "new_digest": ""}
    return {
        "POST /v1/pauses": {
            "framework": "langchain", "run": "thread-1", "native": native(REFUND), "entity": "order:1182",
            "requester": "elif@example.com", "says": "", "facts": {}, "parent": "", "wait_at_most_s": 60, "supersedes": False,
            "evidence": [{"title": "t", "source": "s", "trusted": False, "text": "x", "origin": "user", "cut": 1}],
            "confidence": 1, "numbers": {"rows": 4120}, "before": "get_order",
        },
        "POST /v1/pauses/{id}/cancel": {"reason": "asked again", "successor": ""},
        "POST /v1/resumes": {"pause": head.pause, "limit": 1, "skip": [], "request": "r-1"},
        "POST /v1/resumes/{id}/lease": {"fence": 1},
        "POST /v1/resumes/{id}/release": {"fence": 1},
        "POST /v1/resumes/{id}/outcome": {"state": "resumed", "fence": 1},
        "POST /v1/calls/{id}/claim": {"digest": digest, "worker": "w", "fence": 1, "renews": True},
        "POST /v1/calls/{id}/renew": {"worker": "w"},
        "POST /v1/calls/{id}/outcome": {"worker": "w", "permit": "done", "result": "paid"},
        "POST /v1/agents/{agent}/invoke": {"run": "r-1", "text": "refund", "key": "", "wait_at_most_s": 60},
        "POST /v1/reviews/away": {"until_ms": head.deadline_ms + 1, "from_ms": head.deadline_ms, "delegate": ""},
        "POST /v1/reviews/back": {},
        "POST /v1/reviews/{id}/decision": {**decision, "shown_at": 0},
        "POST /v1/reviews/{id}/undo": {"revision": 1},
        "POST /v1/reviews/{id}/propose-undo": {},
        "POST /v1/operations/calls/{id}/undo": {},
        "POST /v1/reviews/{id}/comments": {"text": "I called them."},
        "POST /reviews/{id}/comment": {**form, "decision": "comment", "comment": "I called them."},
        "POST /v1/reviews/{id}/ask": {"text": "Which order?", "revision": 1},
        "POST /reviews/{id}/ask": {**form, "decision": "ask", "question-1": "Which order?", "seen-1": "1"},
        "POST /v1/pauses/{id}/answer": {"call": call_id(head.pause, 1), "question": 1, "text": "1182.", "evidence": []},
        "POST /v1/reviews/{id}/extend": {"until_ms": head.deadline_ms + 60_000, "reason": "closed"},
        "POST /reviews/{id}/extend": {**form, "decision": "extend", "until-1": str(head.deadline_ms + 60_000), "why-1": "closed"},
        "POST /v1/operations/calls/{id}/reconcile": {"permit": "done", "evidence": "seen"},
        "POST /v1/operations/freeze": {"reason": "restore"},
        "POST /v1/operations/pauses/{id}/repair": {},
        "POST /v1/operations/thaw": {},
        "POST /reviews/{id}/decide": form,
        "POST /reviews/{id}/edit": {**form, "decision": "edit", "arguments": '{"order_id":"1182","amount":2}', "reason": "x"},
        "POST /v1/reviews/{id}/reassign": {"to": "jonas", "group": ""},
        "POST /reviews/{id}/reassign": {"csrf": csrf, "whom": "U#jonas"},
        "POST /people": {"csrf": csrf, "do": "show", "from": "", "until": "2096-12-04T17:00", "delegate": ""},
        "POST /reviews/{id}/undo": {"csrf": csrf, "revision": "1"},
        "POST /reviews/{id}/propose-undo": {"csrf": csrf},
        "POST /sign-out": {"csrf": csrf},
    }[route]  # fmt: skip


def headers(called: Called) -> dict[str, str]:
    """As the SDK, a program or a browser sends them."""
    if called.who == "page":
        return {"content-type": "application/x-www-form-urlencoded", "origin": BASE}
    return {"content-type": "application/json"}
