"""A gateway of four agents behind its real handlers, in memory: a request is an event, an effect is the executor's."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from unittest import mock
from urllib.parse import urlencode

from local.ports import MemoryExecutors, MemoryVerbs
from placet import wiring
from placet.model.pauses import Agent, BedrockTarget, call_id
from placet.model.people import SignedInAs
from placet.model.registry import Registry
from placet.records.heads import Head
from placet.service import sessions
from placet.service.ports import Ports, Turn
from placet.service.resume import resume
from placet.service.sweep import sweep
from tests.gateway import BILLING, SUPPORT, Gateway

BASE, ACCOUNT = "https://placet.example", "111122223333"
TARGET = BedrockTarget("AGENT12345", "TSTALIASID", "", "placet-refund-executor", 600)
DESK = Agent("refund-desk", "placet-refund-desk", "owner@example.com", "bedrock", bedrock=TARGET)
INLINE = Agent(
    "inline-desk",
    "placet-inline-desk",
    "owner@example.com",
    "bedrock_inline",
    bedrock=replace(TARGET, agent_id="", alias_id="", definition="refunds"),
)
AGENTS = (SUPPORT, BILLING, DESK, INLINE)
FORM = {"content-type": "application/x-www-form-urlencoded", "origin": BASE}
Answer = tuple[int, Any]
H = TypeVar("H", bound="House")


class Runtime:
    """Bedrock as far as it is needed: it proposes what is written down here, and says something to everything else."""

    def __init__(self) -> None:
        self.proposes: dict[str, dict[str, Any]] = {}
        self.told: list[tuple[str, str, dict[str, Any], str]] = []

    def definition(self, agent: Agent) -> str:
        """Of an inline agent."""
        return (
            '{"foundationModel": "model", "instruction": "Refund."}'
            if agent.bedrock and agent.bedrock.definition
            else ""
        )

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        """One turn."""
        self.told.append((agent.name, text, state, definition))
        return Turn("", self.proposes.pop(text)) if text in self.proposes else Turn("All right.")


class Verbs(MemoryVerbs):
    """What the sweep asks for is done, whether it waits for it or not."""

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        """Keep the call, and do it."""
        super().call(verb, payload)
        self.do(verb, payload)


@dataclass
class House(Gateway):
    """Everything of one play."""

    executors: MemoryExecutors = field(default_factory=MemoryExecutors)
    runtime: Runtime = field(default_factory=Runtime)
    verbs: MemoryVerbs = field(default_factory=Verbs)
    agents_of: tuple[Agent, ...] = AGENTS

    def __post_init__(self) -> None:
        super().__post_init__()
        self.verbs.do = self._does

    @property
    def ports(self) -> Ports:
        registry = Registry(self.agents_of)
        return replace(super().ports, registry=registry, runtime=self.runtime, executors=self.executors)

    def _does(self, verb: str, payload: dict[str, Any]) -> None:
        if verb == "resume":
            resume(self.ports, payload["pause"])

    def agent(self, agent: Agent, route: str, body: Any = None, path: dict[str, str] | None = None) -> Answer:
        """A request under an agent's role."""
        arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/{agent.role}/worker"
        return self._json(route, {"iam": {"userArn": arn, "accountId": ACCOUNT}}, body, path)

    def token(self, sub: str, route: str, body: Any = None, path: dict[str, str] | None = None) -> Answer:
        """A request with a person's access token."""
        return self._json(route, {"jwt": {"claims": {"sub": sub, "token_use": "access"}}}, body, path)

    def page(self, route: str, lines: list[str], form: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
        """A browser's request, with the lines of its cookie header."""
        sent: dict[str, Any] = {"cookies": lines, "headers": dict(FORM), **more}
        return self._send(route, {**sent, "body": urlencode(form)} if form is not None else sent)

    def signed_in(self, sub: str) -> tuple[str, str]:
        """Cookie and secret of a new session."""
        cookie = sessions.begin(self.ports, sub)
        found = sessions.find(self.ports, cookie)
        assert found is not None
        return cookie, found.csrf

    def accept(self, head: Head, sub: str, *, by_page: bool) -> int:
        """The status with which a person's accept of the first call is answered."""
        call = head.calls[0]
        path = {"id": call_id(head.pause, 1)}
        if not by_page:
            sent = {"decision": "accept", "revision": call.rev, "digest": call.digest}
            return self.token(sub, "POST /v1/reviews/{id}/decision", sent, path)[0]
        cookie, csrf = self.signed_in(sub)
        form = accept_form(head, csrf)
        lines = [f"__Host-placet={cookie}"]
        return int(self.page("POST /reviews/{id}/decide", lines, form, pathParameters=path)["statusCode"])

    def goes_on(self) -> None:
        """Everything that the events and three sweeps do."""
        for _ in range(3):
            self.deliver()
            self.clock.move(180)
            sweep(self.ports)
        self.deliver()

    def forgets(self, pause: str) -> None:
        """Drop a pause that was played, what counts the open ones, and every session: the table stays as small as it began."""
        ended = [key for key in self.table.items if key.pk.endswith(f"#{pause}") or key.sk in ("SESSION", "OPEN")]
        for key in ended:
            del self.table.items[key]

    def heads_of(self, *agents: str) -> list[Head]:
        """Every stored pause of some agents."""
        found = [self.head(key.pk.rpartition("#")[2]) for key in list(self.table.items) if key.sk == "HEAD"]
        return [head for head in found if head.agent in agents or not agents]

    def _json(self, route: str, authorizer: dict[str, Any], body: Any, path: dict[str, str] | None) -> Answer:
        text = body if isinstance(body, str) else json.dumps(body)
        sent = {"authorizer": authorizer, "headers": {"content-type": "application/json"}, "body": text}
        answer = self._send(route, {**sent, "pathParameters": path or {}})
        return int(answer["statusCode"]), json.loads(answer["body"])

    def _send(self, route: str, given: dict[str, Any]) -> dict[str, Any]:
        authorizer = given.pop("authorizer", {})
        context = {"accountId": ACCOUNT, "authorizer": authorizer, "http": {"method": route.split()[0]}}
        event = {"version": "2.0", "routeKey": route, "rawPath": route.split()[1], "requestContext": context, **given}
        answer: dict[str, Any] = importlib.import_module(f"functions.{FUNCTIONS[route]}.handler").handler(event, None)
        assert answer["statusCode"] != 500, (route, answer)
        return answer


FUNCTIONS = {
    "POST /v1/pauses": "capture",
    "POST /v1/pauses/{id}/cancel": "capture",
    "POST /v1/pauses/{id}/answer": "capture",
    "GET /v1/pauses/{id}": "pick_up",
    "GET /v1/pauses/{id}/status": "pick_up",
    "GET /v1/resumes": "pick_up",
    "POST /v1/resumes": "pick_up",
    "POST /v1/resumes/{id}/lease": "pick_up",
    "POST /v1/resumes/{id}/release": "pick_up",
    "POST /v1/resumes/{id}/outcome": "execute",
    "GET /v1/runs/{id}": "pick_up",
    "POST /v1/calls/{id}/claim": "execute",
    "POST /v1/calls/{id}/renew": "execute",
    "POST /v1/calls/{id}/outcome": "execute",
    "POST /v1/agents/{agent}/invoke": "invoke_agent",
    "POST /v1/reviews/{id}/decision": "decide",
    "POST /v1/reviews/{id}/undo": "decide",
    "POST /reviews/{id}/decide": "decide",
    "POST /reviews/{id}/edit": "decide",
    "GET /inbox": "review",
    "POST /v1/reviews/away": "decide",
    "POST /v1/reviews/back": "decide",
    "POST /people": "decide",
    "GET /reviews/{id}": "review",
    "GET /v1/reviews": "review",
    "GET /sign-in/callback": "sign_in",
}


def accept_form(head: Head, csrf: str) -> dict[str, str]:
    """What the page of a refund sends when it is accepted."""
    digest = head.calls[0].digest
    return {"csrf": csrf, "decision": "accept", "revision": str(head.calls[0].rev), "digest": digest, "typed": "240.5"}


@contextmanager
def house(made: H | None = None) -> Iterator[H]:
    """A house whose handlers find its ports; a plain one when none is given."""
    made = made or House()  # type: ignore[assignment]
    stand_ins: dict[str, Callable[..., Any]] = {
        "ports": lambda *names: made.ports,
        "base_url": lambda: BASE,
        "log": lambda name, facts: None,
        "login": Pool,
    }
    with ExitStack() as patched:
        for name, stand_in in stand_ins.items():
            patched.enter_context(mock.patch.object(wiring, name, stand_in))
        yield made


class Pool:
    """A user pool that knows everybody."""

    def exchange(self, code: str, verifier: str, nonce: str) -> SignedInAs:
        """Jonas signs in."""
        return SignedInAs("jonas")
