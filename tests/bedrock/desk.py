"""A refund desk behind Placet: the in-process gateway, boto3's own client, and the runtime of `local.bedrock` over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import boto3
from botocore.config import Config

from local.bedrock import Agent as Scripted
from local.bedrock import BedrockRuntime, BedrockServer, Mode, refund_agent
from local.bedrock.acting import done
from local.ports import MemoryExecutors
from placet.aws.bedrock import BedrockRuntime as Client
from placet.model.canonical import digest, exact_text, parse
from placet.model.pauses import Agent, BedrockTarget
from placet.model.registry import Registry
from placet.model.states import Verdict
from placet.records.heads import Head, read_head
from placet.records.keys import Key
from placet.records.texts import content_of, stored
from placet.service.bedrock.following import Following, follow
from placet.service.bedrock.invoking import Invocation, invoke
from placet.service.bedrock.turns import run_of
from placet.service.escalate import escalate
from placet.service.notify import notify
from placet.service.ports import Ports, Turn, TurnFailed
from placet.service.resume import resume
from tests.gateway import BILLING, SUPPORT, Gateway

TTL_S = 600
TARGET = BedrockTarget("AGENT12345", "TSTALIASID", "", "placet-refund-executor", TTL_S)
ONE = "refund ORD-7 50000"
TWO = "refund ORD-1 50000 ORD-2 60000"
KEYS = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}  # pragma: allowlist secret


class Twice(Client):
    """A client that once posts an answer a second time and hears of the second only, as the SDK does when a response is slow."""

    spent = False

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        """One turn, or an answer twice."""
        if "invocationId" in state and not self.spent:
            self.spent = True
            with suppress(TurnFailed):
                super().turn(agent, session, text, state, definition)
        return super().turn(agent, session, text, state, definition)


@dataclass
class Desk(Gateway):
    """Everything of one case. `run` names the conversation; `twice`: answers are posted twice."""

    script: Scripted = field(default_factory=refund_agent)
    target: BedrockTarget = TARGET
    run: str = "conversation-1"
    read_timeout_s: float = 5.0
    twice: bool = False
    executors: MemoryExecutors = field(default_factory=MemoryExecutors)
    runtime: BedrockRuntime = field(init=False)
    server: BedrockServer = field(init=False)

    def __post_init__(self) -> None:
        self.agent = Agent("refund-desk", "placet-refund-desk", "owner@example.com", "bedrock", bedrock=self.target)
        self.runtime = BedrockRuntime((self.script,), act=self.act, clock=lambda: self.clock.at_ms / 1000)
        self.server = BedrockServer(self.runtime).start()
        client = self._made_client()
        self._runtime = (Twice if self.twice else Client)(self.definition, lambda region: client)
        super().__post_init__()
        self.verbs.do = lambda verb, payload: resume(self.ports, payload["pause"])
        self.acted: list[dict[str, Any]] = []

    @property
    def ports(self) -> Ports:
        return replace(
            super().ports,
            registry=Registry((SUPPORT, BILLING, self.agent)),
            runtime=self._runtime,
            executors=self.executors,
        )

    def _made_client(self) -> Any:
        config = Config(retries={"total_max_attempts": 1}, read_timeout=self.read_timeout_s, connect_timeout=2)
        return boto3.client("bedrock-agent-runtime", endpoint_url=self.server.url, config=config, **KEYS)

    def definition(self, name: str) -> str:
        """Of an inline agent."""
        raise LookupError(name)

    def act(self, event: dict[str, Any]) -> dict[str, Any]:
        """The action group's own Lambda: it keeps a table of its effects too."""
        self.acted.append(event)
        if "function" not in event:
            return done(event)
        body = {"TEXT": {"body": f"paid {event['parameters'][1]['value']}"}}
        response = {
            "actionGroup": event["actionGroup"],
            "function": event["function"],
            "functionResponse": {"responseBody": body},
        }
        return {"messageVersion": "1.0", "response": response}

    def say(self, text: str, run: str = "", **more: Any) -> Following:
        """A turn of the caller."""
        return invoke(self.ports, self.agent, Invocation(run or self.run, text, **more))

    def asks(self, text: str = ONE) -> Head:
        """A turn that leads to a pause, carried into the reviewers' queue."""
        found = self.say(text)
        assert found.status == "waiting", found
        return self.seen(found.pause)

    def seen(self, pause: str) -> Head:
        """A pause in the queue."""
        self.deliver()
        head = self.head(pause)
        notify(self.ports, pause, head.gen, f"token of {pause}-{head.gen}")
        self.deliver()
        return self.head(pause)

    def ends(self, head: Head, number: int, how: str) -> None:
        """Decide one call: accept, reject, edit (half of the amount), or let it expire."""
        if how == "expire":
            self.clock.move(1 + self.policy.classes["money-out"].deadline_s)
            escalate(self.ports, head.pause)
        elif how == "edit":
            self.edits(head, number)
        else:
            self.decide(head, number, Verdict(how), reason="not this one")
        self.deliver()

    def edits(self, head: Head, number: int, **changes: Any) -> dict[str, Any]:
        """An edit of the amount."""
        arguments = self.arguments(head, number) | (changes or {"amountCents": 30000})
        text = json.dumps(arguments)
        self.decide(head, number, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))
        return arguments

    def arguments(self, head: Head, number: int) -> dict[str, Any]:
        """The proposed arguments of a call."""
        found: dict[str, Any] = self._body(head)["calls"][number - 1]["arguments"]
        return found

    def resumes(self, pause: str) -> str:
        """What the machine's last task does."""
        return resume(self.ports, pause)

    def status(self, run: str = "") -> Following:
        """What the caller sees."""
        return follow(self.ports, self.agent, run or self.run)

    @property
    def session(self) -> str:
        """The session that the run is in now."""
        found = run_of(self.ports, self.agent, self.run)
        return found.session if found else self.run

    def permit(self, pause: str, number: int = 1) -> str:
        """The state of a permit."""
        call = self.head(pause).call(number)
        assert call is not None
        return call.permit.value

    def heads(self) -> list[Head]:
        """Every pause, oldest first."""
        found = [read_head(item) for item in self.table.items.values() if item.get("kind") == "HEAD"]
        return sorted(found, key=lambda one: one.captured_ms)

    def native(self, head: Head) -> dict[str, Any]:
        """The native pause as stored."""
        found: dict[str, Any] = self._body(head)["native"]
        return found

    def _body(self, head: Head) -> dict[str, Any]:
        """A body as stored, with plain numbers."""
        item = self.table.items[self.keys.body(head.pause, head.body)]
        found: dict[str, Any] = json.loads(exact_text(content_of(item, None)))
        return found

    def forgets(self, name: str, head: Head) -> None:
        """Take a field of the native pause out of what is stored, as a release left it that did not write it."""
        self.rewrites(head, lambda native: native.pop(name, None))

    def rewrites(self, head: Head, change: Callable[[dict[str, Any]], Any]) -> None:
        """Change the native pause in what is stored of it, in the record of its run and in its own."""
        session = self.native(head)["session"]
        for item in [one for one in self.table.items.values() if one.get("kind") in ("BODY", "CONTROL")]:
            content = content_of(item, None)
            if content["native"]["session"] == session:
                change(content["native"])
                item.pop("packed" if "packed" in item else "content")
                item.update(stored(item, "", exact_text(content)).item)
                if item["kind"] == "BODY":
                    item["sk"] = self.keys.body(head.pause, digest(content)).sk
                    self.table.items[Key(item["pk"], item["sk"])] = item
                    self.table.items[self.keys.head(head.pause)]["body"] = digest(content)

    def parent(self, head: Head) -> str:
        """The pause that a pause follows."""
        return str(self._body(head)["ref"]["parent"])

    def late(self) -> None:
        """The session is over, by everybody's clock."""
        self.clock.move(self.target.session_ttl_s + 1)

    def paid(self) -> list[tuple[str, int]]:
        """Every effect: of the executor and of Bedrock's own action Lambda."""
        ours = [(one["arguments"]["orderId"], one["arguments"]["amountCents"]) for one in self.executors.effects]
        theirs = [(event["parameters"][0]["value"], int(event["parameters"][1]["value"])) for event in self.acted]
        return ours + theirs


@contextmanager
def desk(mode: Mode = Mode.RESULT, **more: Any) -> Iterator[Desk]:
    """A desk whose runtime listens."""
    script = more.pop("script", None) or refund_agent(mode, idle_ttl_s=TTL_S, **more.pop("behaves", {}))
    made = Desk(script=script, **more)
    try:
        yield made
    finally:
        made.server.stop()
