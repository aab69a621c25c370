"""A gateway with two agents behind its real handlers: the clock is played, timers ring, the sweep comes, and mail is dated."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from local.ports import MemoryClock, MemoryMail
from placet.model.pauses import Agent
from placet.service.digests import send_digest
from placet.service.escalate import escalate
from placet.service.notify import mail_again, notify
from placet.service.ports import Digest, Note, Ports
from placet.service.resume import pick_up, take
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import native
from tests.proofs.flooding.metered import Metered
from tests.proofs.forging.house import ACCOUNT, House

MINUTE_MS = 60_000
APART_MS = 5 * MINUTE_MS
REFUND = ("issue_refund", {"order_id": "1182", "amount": 240.5})


class Dated(MemoryMail):
    """The outbox, which says when whom a mail went to."""

    def __init__(self, clock: MemoryClock) -> None:
        super().__init__()
        self._clock = clock
        self.times: defaultdict[str, list[int]] = defaultdict(list)

    def send(self, note: Note) -> bool:
        """Keep the note."""
        self.times[note.to].append(self._clock.at_ms)
        return super().send(note)

    def digest(self, digest: Digest) -> bool:
        """Keep the digest."""
        self.times[digest.to].append(self._clock.at_ms)
        return super().digest(digest)

    def most_in_five_minutes(self) -> int:
        """The most mails that one person got within any five minutes."""
        return max(
            (sum(first <= at < first + APART_MS for at in times) for times in self.times.values() for first in times),
            default=0,
        )


@dataclass(kw_only=True)
class Town(House):
    """Everything of one play.

    Attributes:
        most: open pauses of one agent and class.
        timed: pauses whose timer was set.
    """

    most: int = 1_000
    table: Metered = field(default_factory=Metered)
    timed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.mail = self.post = Dated(self.clock)
        super().__post_init__()
        self.person(
            "ana", "Ana Lima", "finance"
        )  # of a queue of fewer people than three the sweep looks at every entry

    @property
    def ports(self) -> Ports:
        return replace(super().ports, most_open=self.most)

    def handed_in(self, agent: Agent, run: str) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Status, headers and body of the answer to a capture."""
        arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/{agent.role}/worker"
        body = {
            "framework": "langchain",
            "run": run,
            "native": native(REFUND, checkpoint=run),
            "entity": f"order:{run}",
        }
        sent = {"authorizer": {"iam": {"userArn": arn, "accountId": ACCOUNT}}, "body": json.dumps(body)}
        answer = self._send("POST /v1/pauses", {**sent, "headers": {"content-type": "application/json"}})
        return int(answer["statusCode"]), answer["headers"], json.loads(answer["body"])

    def shows(self, pause: str) -> None:
        """What the stream and the machine do with a new pause, until its people see it."""
        self.deliver()
        gen = self.head(pause).gen
        notify(self.ports, pause, gen, f"token of {pause}-{gen}")
        self.deliver()
        if pause in self.timers.moments:
            self.timed.add(pause)

    def minute(self) -> None:
        """The clock comes to the next minute: timers ring, and the sweep comes."""
        self.clock.at_ms = (self.clock.at_ms // MINUTE_MS + 1) * MINUTE_MS
        for pause, at_ms in list(self.timers.moments.items()):
            if at_ms <= self.clock.at_ms:
                del self.timers.moments[pause]
                escalate(self.ports, pause)
        sweep(self.ports)
        self.deliver()
        for agent in self.agents_of:
            self._goes_on(agent)

    def _goes_on(self, agent: Agent) -> None:
        """The agent picks up what was rejected or has expired, and its runs go on. What was accepted it takes up by name."""
        for one in pick_up(self.ports, agent, 100):
            if not any(call["state"] == "accepted" for call in one["calls"]):
                (taken,) = take(self.ports, agent, one["pause"])
                resumed(self.ports, agent, one["pause"], taken["fence"])
        self.deliver()

    def _does(self, verb: str, payload: dict[str, Any]) -> None:
        if verb == "notify" and "digest" in payload:
            send_digest(self.ports, payload["digest"])
        elif verb == "notify":
            mail_again(self.ports, payload["pause"])
        elif verb == "escalate":
            escalate(self.ports, payload["pause"])
        else:
            super()._does(verb, payload)
