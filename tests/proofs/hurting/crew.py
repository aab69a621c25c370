"""Everybody who works on the pauses, through the real handlers: machine, stream, timers, sweep, reviewers, agents, operators."""

from __future__ import annotations

import contextlib
import importlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from placet.aws.expressions import to_wire
from placet.model.pauses import Agent
from placet.service import sessions
from tests.gateway import BILLING, SUPPORT, Gateway

ACCOUNT = "111122223333"
BASE = "https://placet.example"
LISTS = frozenset(
    {
        "GET /inbox",
        "GET /v1/reviews",
        "GET /v1/resumes",
        "POST /v1/resumes",
        "GET /v1/operations/stuck",
        "GET /v1/operations/find",
    }
)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


def signed(role: str) -> dict[str, Any]:
    """The context of a request that was signed under a role."""
    return {"iam": {"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/x", "accountId": ACCOUNT}}


def person(sub: str) -> dict[str, Any]:
    """A reviewer's verified token."""
    return {"jwt": {"claims": {"sub": sub, "token_use": "access"}}}


@dataclass
class Crew:
    """The people and machines around one gateway.

    Attributes:
        errors: answers of 500 and above and functions that raised, by where; those that a freeze explains are not among them.
        codes: of the problems that were told.
        effects: how often each call was executed.
        decisions: what people decided, by call.
    """

    gateway: Gateway
    agents: tuple[Agent, ...] = (SUPPORT, BILLING)
    errors: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)
    decisions: dict[str, str] = field(default_factory=dict)
    notified: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    cookie: str = ""

    def invoke(self, function: str, event: dict[str, Any]) -> Any:
        """A function that is invoked without HTTP; what it raises is counted."""
        try:
            return importlib.import_module(f"functions.{function}.handler").handler(event, None)
        except Exception as error:
            self.errors[f"{function}: {type(error).__name__}"] += 1
            return None

    def ask(
        self, function: str, route: str, who: dict[str, Any], body: Any = None, item: str = "", **more: Any
    ) -> tuple[int, Any]:
        """A request by HTTP; status and answer."""
        event = {
            "version": "2.0",
            "routeKey": route,
            "rawPath": route.split()[1],
            "headers": {"content-type": JSON, "origin": BASE},
            "pathParameters": {"id": item},
            "requestContext": {"authorizer": who, "accountId": ACCOUNT},
            "body": "" if body is None else json.dumps(body),
            **more,
        }
        answer = self.invoke(function, event) or {"statusCode": 599, "body": "{}"}
        status, text = answer["statusCode"], answer["body"]
        told = json.loads(text) if text.startswith("{") else {}
        if status >= 400:
            self.codes[str(told.get("code", status))] += 1
        if status >= 400 and route in LISTS and "pause" not in (body or {}) and told.get("code") != "frozen":
            self.errors[f"{route}: the list is taken away"] += 1
        if status >= 500 and told.get("code") != "frozen" and "Held for a moment" not in text:
            self.errors[f"{route}: {told.get('code', status)}"] += 1
        return status, told

    def page(self, function: str, route: str, item: str = "", form: dict[str, str] | None = None) -> int:
        """A page, or a form of one, in Jonas's browser, which signs in again when it has to."""
        for _ in range(2):
            self.cookie = self.cookie or sessions.begin(self.gateway.ports, "jonas")
            sent = {"cookies": [f"__Host-placet={self.cookie}"]}
            if form is not None:
                sent |= {"body": urlencode(form), "headers": {"content-type": FORM, "origin": BASE}}  # type: ignore[dict-item]
            status, _ = self.ask(function, route, {}, item=item, **sent)
            if status != 303:
                return status
            self.cookie = ""
        return status

    def stream(self) -> None:
        """The table's stream, in batches as Lambda brings them; a batch that fails comes again with everything after it."""
        changes, self.gateway.table.changes[:] = list(self.gateway.table.changes), []
        records = [_record(number, *images) for number, images in enumerate(changes)]
        for _ in range(3):
            failed = (
                (self.invoke("dispatch", {"Records": records}) or {}).get("batchItemFailures", []) if records else []
            )
            if not failed:
                return
            first = min(int(one["itemIdentifier"]) for one in failed)
            records = [one for one in records if int(one["dynamodb"]["SequenceNumber"]) >= first]
        self.errors["dispatch: the shard is blocked"] += 1

    def machine(self) -> None:
        """Executions that were started call notify; those that were answered call resume."""
        for name, facts in list(self.gateway.waits.started.items()):
            if name not in self.notified:
                self.notified.add(name)
                self.invoke("notify", {**facts, "token": f"token of {name}"})
        self.stream()
        for token in self.gateway.waits.answered:
            if token not in self.finished:
                self.finished.add(token)
                pause, _, gen = token.removeprefix("token of ").rpartition("-")
                self.invoke("resume", {"tenant": "main", "pause": pause, "gen": int(gen)})

    def timers(self) -> None:
        """Schedules whose moment has come."""
        due = [pause for pause, at in self.gateway.timers.moments.items() if at <= self.gateway.clock.at_ms]
        for pause in due:
            del self.gateway.timers.moments[pause]
            self.invoke("escalate", {"tenant": "main", "pause": pause})

    def sweeps(self) -> None:
        """The sweep, and what it asks for."""
        self.invoke("sweep", {})
        asked, self.gateway.verbs.called[:] = list(self.gateway.verbs.called), []
        for verb, payload in asked:
            self.invoke(verb, payload)

    def reviewers(self) -> None:
        """Each looks at the list, opens what stands there, and decides what may be decided."""
        self.page("review", "GET /inbox")
        for sub in ("maria", "jonas"):
            _, told = self.ask("review", "GET /v1/reviews", person(sub))
            for row in told.get("reviews", []):
                self.page("review", "GET /reviews/{id}", row["pause"])
                _, shown = self.ask("review", "GET /v1/reviews/{id}", person(sub), item=row["pause"])
                for call in shown.get("calls", []):
                    self._decides(sub, call)

    def _decides(self, sub: str, call: dict[str, Any]) -> None:
        wanted = self.decisions.get(call["call"].rpartition("-")[0], "accept")
        if not call["may_decide"] or wanted == "nothing":
            return
        facts = {"decision": wanted, "revision": call["revision"], "digest": call["digest"], "reason": "because"}
        self.ask("decide", "POST /v1/reviews/{id}/decision", person(sub), facts, call["call"])

    def workers(self) -> None:
        """Each agent looks, takes what is decided, executes it under its permit, and reports."""
        for agent in self.agents:
            who = signed(agent.role)
            self.ask("pick_up", "GET /v1/resumes", who)
            _, told = self.ask("pick_up", "POST /v1/resumes", who, {"limit": 10})
            for resume in told.get("resumes", []):
                self.works(who, resume)
        delivered, self.gateway.agents.delivered[:] = list(self.gateway.agents.delivered), []
        for name, payload in delivered:
            agent = next(one for one in self.agents if one.name == name)
            self.works(signed(agent.role), payload["resume"])

    def works(self, who: dict[str, Any], resume: dict[str, Any]) -> None:
        """One decided pause."""
        fence = resume.get("fence")
        for call in resume["calls"]:
            if call.get("permit") == "free":
                sent = {"digest": call["digest"], "worker": "w", "fence": fence}
                status, _ = self.ask("execute", "POST /v1/calls/{id}/claim", who, sent, call["call"])
                if status == 503:
                    return  # as the SDK does: its run goes on when the gateway lets it
                if status == 200:
                    self.effects[call["call"]] += 1
                    done = {"worker": "w", "permit": "done", "result": "done"}
                    self.ask("execute", "POST /v1/calls/{id}/outcome", who, done, call["call"])
        self.ask("execute", "POST /v1/resumes/{id}/outcome", who, {"state": "resumed"}, resume["pause"])

    def operators(self, wanted: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The stuck list, and what is found under an entity."""
        who = signed("placet-operator")
        _, stuck = self.ask("operate", "GET /v1/operations/stuck", who)
        _, found = self.ask(
            "operate", "GET /v1/operations/find", who, rawQueryString="", queryStringParameters={"of": wanted}
        )
        return stuck.get("stuck", []), found.get("pauses", [])

    def operates(self, route: str, body: dict[str, Any], item: str = "") -> tuple[int, Any]:
        """A command of an operator."""
        return self.ask("operate", f"POST /v1/operations/{route}", signed("placet-operator"), body, item)

    def round(self, seconds: int) -> None:
        """Everybody once, and time passes."""
        self.stream()
        self.machine()
        self.reviewers()
        self.stream()
        self.machine()
        self.workers()
        self.gateway.clock.move(seconds)
        self.timers()
        self.sweeps()

    def touches(self, pause: str, agent: Agent) -> None:
        """Whoever has the address of one pause asks for it directly; a refusal is fine, a server error is not."""
        who, call = signed(agent.role), f"{pause}-1"
        self.page("review", "GET /reviews/{id}", pause)
        self.page("review", "GET /reviews/{id}/edit", call)
        self.ask("review", "GET /v1/reviews/{id}", person("maria"), item=pause)
        self.ask("pick_up", "GET /v1/pauses/{id}", who, item=pause)
        self.ask("pick_up", "GET /v1/pauses/{id}/status", who, item=pause)
        self.ask("pick_up", "GET /v1/runs/{id}", who, item="run-hurt")
        self.ask("pick_up", "POST /v1/resumes", who, {"pause": pause})
        self.ask("pick_up", "POST /v1/resumes/{id}/lease", who, {"fence": 1}, pause)
        sent = {"digest": "0" * 64, "worker": "w"}
        self.ask("execute", "POST /v1/calls/{id}/claim", who, sent, call)
        sent = {"worker": "other", "permit": "done"}
        self.ask("execute", "POST /v1/calls/{id}/outcome", who, sent, call)
        sent = {"decision": "edit", "revision": 9, "digest": "0" * 64, "arguments": "{}", "new_digest": "0" * 64}
        self.ask("decide", "POST /v1/reviews/{id}/decision", person("maria"), sent, call)
        with contextlib.suppress(KeyError):
            self.operates("calls/{id}/reconcile", {"permit": "done", "evidence": "seen"}, call)


def _record(number: int, old: Any, new: Any) -> dict[str, Any]:
    images = {"OldImage": old, "NewImage": new}
    return {"dynamodb": {"SequenceNumber": str(number), **{n: to_wire(one) for n, one in images.items() if one}}}
