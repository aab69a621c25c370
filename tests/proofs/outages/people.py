"""Whoever asks the functions by HTTP: scripts of requests, each repeated while the gateway answers with an error of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.keys import Keys
from tests.proofs.outages.registry import BASE, role_of
from tests.proofs.outages.troubles import OUTAGE_S

if TYPE_CHECKING:
    from tests.proofs.outages.town import Town

AGAIN_S, LOOK_S, OPERATOR_S = 20.0, 300.0, 600.0
SOON_S = 300  # so long after its capture a pause stands in the inbox, whatever is wrong with services that this does not need
NEEDED = {"dynamodb", "stepfunctions"}  # what a captured pause needs to be shown
READ = {"dynamodb", "s3"}  # what a pause whose record or text cannot be read is set aside for
REVIEWERS = ("maria", "jonas")
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
ACCOUNT = "111122223333"


@dataclass(frozen=True)
class Ask:
    """One request: `who` is an IAM role, a person with a token, or the line of a cookie."""

    function: str
    route: str
    who: dict[str, Any]
    body: Any = None
    item: str = ""
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Told:
    """An answer. `told` is its JSON, `text` its page."""

    status: int
    told: dict[str, Any]
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()


Script = Generator[Ask | float, Told, None]


def agent(name: str) -> dict[str, Any]:
    """A request that is signed by a process of an agent."""
    return {"iam": {"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role_of(name)}/x", "accountId": ACCOUNT}}


def person(sub: str) -> dict[str, Any]:
    """A reviewer's verified token."""
    return {"jwt": {"claims": {"sub": sub, "token_use": "access"}}}


class People:
    """Agents, reviewers and operators.

    Attributes:
        seen: when each pause was first in the inbox. missing: what was not there, and should have been.
        effects: how often each call was carried out. repaired: when an operator set a pause going again.
        busy: scripts that have not come to their end. forgets: deliveries that an agent does nothing with.
    """

    def __init__(self, town: Town) -> None:
        self.town = town
        self.seen: dict[str, int] = {}
        self.missing: list[str] = []
        self.effects: Counter[str] = Counter()
        self.repaired: dict[str, int] = {}
        self.codes: Counter[str] = Counter()
        self.busy = 0
        self.forgets = 0
        self._deliveries = 0

    def move_in(self) -> None:
        """Two people who may decide everything, and an operator who looks at the stuck list."""
        keys = Keys("main")
        for sub in REVIEWERS:
            who = Reviewer(sub, sub.title(), f"{sub}@example.com")
            for group in ("finance", "approvers"):
                self.town.table.write(writes.put_member(keys, who, group, self.town.clock.now_ms()))
        self.town.table.changes.clear()
        self.does(self._operates(), counts=False)

    def does(self, script: Script, *, counts: bool = True) -> None:
        """Begin a script; one that counts has to come to its end."""
        self.busy += counts
        self._goes_on(script, None, counts)

    def _goes_on(self, script: Script, told: Told | None, counts: bool) -> None:
        try:
            step = next(script) if told is None else script.send(told)
        except StopIteration:
            self.busy -= counts
            return
        if isinstance(step, Ask):
            self.town.clock.later(0.1, lambda: self._asks(script, step, counts))
        else:
            self.town.clock.later(step, lambda: self._goes_on(script, Told(0, {}), counts))

    def _asks(self, script: Script, ask: Ask, counts: bool) -> None:
        told = self.ask(ask)
        if told.status >= 500:
            self.town.clock.later(AGAIN_S, lambda: self._asks(script, ask, counts))
        else:
            self._goes_on(script, told, counts)

    def ask(self, ask: Ask) -> Told:
        """One request; 599 when the function ended without an answer."""
        is_form = isinstance(ask.body, dict) and "csrf" in ask.body
        text = "" if ask.body is None else urlencode(ask.body) if is_form else json.dumps(ask.body)
        event = {
            "version": "2.0",
            "routeKey": ask.route,
            "rawPath": ask.route.split()[1],
            "headers": {"content-type": FORM if is_form else JSON, "origin": BASE},
            "pathParameters": {"id": ask.item, "agent": ask.item},
            "requestContext": {"authorizer": ask.who, "accountId": ACCOUNT},
            "body": text,
            **ask.more,
        }
        answer, _ = self.town.invoke(ask.function, event)
        if answer is None:
            return Told(599, {})
        body = str(answer.get("body", ""))
        told = json.loads(body) if body.startswith("{") else {}
        if answer["statusCode"] == 500:
            self.town.errors.append(f"{ask.route}: {told.get('code', body[:80])}")
        if answer["statusCode"] >= 400:
            self.codes[str(told.get("code", answer["statusCode"]))] += 1
        cookies = tuple(line.partition(";")[0] for line in answer.get("cookies", ()))
        return Told(answer["statusCode"], told, body, dict(answer.get("headers", {})), cookies)

    def looks_for(self, pause: str, captured_ms: int) -> Generator[Ask | float, Told, bool]:
        """Whether the pause stands in Maria's inbox; that it does not, and should, is noted."""
        answer = yield Ask("review", "GET /v1/reviews", person("maria"))
        shown = any(row["pause"] == pause for row in answer.told.get("reviews", []))
        if shown:
            self.seen.setdefault(pause, self.town.clock.at_ms)
        elif not self._may_be_missing(pause, captured_ms):
            self.missing.append(f"{pause} was not in the inbox {self._since_s(captured_ms)} s after its capture")
        return shown

    def _since_s(self, at_ms: int) -> int:
        return (self.town.clock.at_ms - at_ms) // 1000

    def _may_be_missing(self, pause: str, captured_ms: int) -> bool:
        cell, trouble = self.town.trouble.cell, self.town.trouble
        head = self.town.head(pause)
        if not head["open_calls"]:
            return True
        service = cell.service if cell else ""
        if head.get("stuck") and service in READ:
            return True
        due_ms = max(captured_ms, self.repaired.get(pause, 0)) + 1000 * SOON_S
        if pause in self.seen:
            return pause in self.repaired and self.town.clock.at_ms < due_ms
        if service in NEEDED and trouble.began_ms:
            due_ms = max(due_ms, trouble.began_ms + 1000 * (OUTAGE_S + 2 * OPERATOR_S))
        return self.town.clock.at_ms < due_ms

    def takes(self, payload: dict[str, Any]) -> None:
        """An agent gets decisions, and works on them a moment later."""
        if self.forgets:
            self.forgets -= 1
            return
        self._deliveries += 1
        fence = payload["resume"].get("fence")
        name = self.town.head(payload["resume"]["pause"])["agent"]
        self.does(self.works(name, payload["resume"], fence, f"w{self._deliveries}"), counts=False)

    def works(self, name: str, resume: dict[str, Any], fence: int | None, worker: str) -> Script:
        """Carry out what was decided, each call under its permit, and report that the run went on."""
        who = agent(name)
        if fence is None:
            answer = yield Ask("pick_up", "POST /v1/resumes", who, {"pause": resume["pause"]})
            if not answer.told.get("resumes"):
                return
            resume = answer.told["resumes"][0]
            fence = resume["fence"]
        for call in resume["calls"]:
            if call.get("permit") == "free":
                sent = {"digest": call["digest"], "worker": worker, "fence": fence}
                claimed = yield Ask("execute", "POST /v1/calls/{id}/claim", who, sent, call["call"])
                if claimed.status != 200:
                    continue
                self.effects[call["call"]] += 1
                done = {"worker": worker, "permit": "done", "result": "paid"}
                yield Ask("execute", "POST /v1/calls/{id}/outcome", who, done, call["call"])
        sent = {"state": "resumed", "fence": fence}
        yield Ask("execute", "POST /v1/resumes/{id}/outcome", who, sent, resume["pause"])

    def _operates(self) -> Script:
        """Look at the stuck list, and repair what stands there once the trouble is over."""
        who = {"iam": {"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/placet-operator/x", "accountId": ACCOUNT}}
        while True:
            answer = yield Ask("operate", "GET /v1/operations/stuck", who)
            for one in answer.told.get("stuck", []) if not self.town.trouble.active else ():
                for call in one["unknown"]:
                    found = "done" if self._ran(call) else "failed"
                    sent = {"permit": found, "evidence": "seen in the books"}
                    yield Ask("operate", "POST /v1/operations/calls/{id}/reconcile", who, sent, call)
                self.repaired[one["pause"]] = self.town.clock.at_ms
                yield Ask("operate", "POST /v1/operations/pauses/{id}/repair", who, {}, one["pause"])
            yield OPERATOR_S

    def _ran(self, call: str) -> bool:
        return bool(self.effects[call] or call in self.town.services.effects)


def rows(told: Told) -> Iterable[dict[str, Any]]:
    """The calls of a review that its reader may decide."""
    return [call for call in told.told.get("calls", []) if call["may_decide"]]
