"""The real adapters with faults around them: an SQS client that loses answers, a name server that lies, a port that watches."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError, ConnectionClosedError

from placet.aws.delivery import Delivering
from placet.aws.delivery.addresses import Address, reachable
from placet.aws.delivery.https import Posting
from placet.aws.delivery.queues import Queues
from placet.aws.delivery.signatures import Secrets
from placet.aws.delivery.webhooks import Webhooks
from placet.model.pauses import Agent
from placet.service.resume import REDELIVER_MS
from tests.proofs.pushing.house import QUEUED
from tests.proofs.pushing.plans import PRIVATE, PRIVATE_TOO, SECRET, TOTAL_S, TURNING, Plans
from tests.proofs.pushing.server import ADDRESS


class TroubledSqs:
    """A client of the queue service on this machine, with what is planned for each delivery."""

    def __init__(self, sqs: Any, plans: Plans, before_it_goes: Callable[[], None]) -> None:
        self._sqs, self._plans, self._before_it_goes = sqs, plans, before_it_goes

    def __getattr__(self, method: str) -> Any:
        return getattr(self._sqs, method)

    def send_message(self, **given: Any) -> Any:
        """Send, or not."""
        trouble = self._plans.trouble(json.loads(given["MessageBody"])["pause"])
        if trouble == "throttled":
            raise ClientError({"Error": {"Code": "RequestThrottled"}}, "SendMessage")
        if trouble == "denied":
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "SendMessage")
        if trouble == "gone":
            self._before_it_goes()
            self._sqs.delete_queue(QueueUrl=given["QueueUrl"])
        answer = self._sqs.send_message(**given)
        if trouble == "answer lost":
            raise ConnectionClosedError(endpoint_url="https://sqs")
        return answer


@dataclass
class Names:
    """A name server; an operator can put a name right."""

    put_right: set[str] = field(default_factory=set)
    asked: dict[str, int] = field(default_factory=dict)

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked[host] = self.asked.get(host, 0) + 1
        if host in self.put_right:
            return [ADDRESS]
        if host == TURNING and self.asked[host] > 1:
            return [PRIVATE_TOO]
        return PRIVATE.get(host, [ADDRESS])


def allowed(address: Address) -> bool:
    """The judge, but for the one address where the server of the proof listens."""
    return str(address) == ADDRESS or reachable(address)


class OneSecret:
    """Secrets Manager with one secret."""

    def get_secret_value(self, **asked: Any) -> dict[str, str]:
        """It."""
        return {"SecretString": SECRET}


@dataclass
class Watched:
    """The agents port: the real one, and what is expected of every delivery that passes."""

    plans: Plans
    inner: Delivering
    now_ms: Callable[[], int]
    again: Callable[[str], str]
    within: set[str] = field(default_factory=set)

    def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
        """Hand over."""
        pause = payload["pause"]
        run = self.plans.runs[pause]
        self.plans.expect(run.inside == 0, f"{pause} was sent while somebody works on it")
        if run.arrived:
            waited = self.now_ms() - run.arrived[-1]
            self.plans.expect(waited >= REDELIVER_MS, f"{pause} was sent again after {waited} ms")
            self.plans.fired["sent again after 15 minutes"] += 1
        if pause not in self.within and run.troubles[:1] == ["at once"]:
            self.within.add(pause)
            self.plans.expect(self.again(pause) == "leased", f"{pause} was sent twice at once")
            self.within.discard(pause)
        self.inner.deliver(agent, payload)
        run.arrived.append(self.now_ms())


def delivering(sqs: Any, names: Names, trusting: Any) -> Delivering:
    """The ways as the function builds them, to the services of this machine."""
    posting = Posting(names, allowed, trusting, TOTAL_S)
    ways = {"sqs": lambda: Queues(sqs), "webhook": lambda: Webhooks(Secrets(OneSecret()), posting)}
    return Delivering(ways)


def made(sqs: Any) -> str:
    """The queue, made anew; its address."""
    attributes = {"FifoQueue": "true", "VisibilityTimeout": "600"}
    return str(sqs.create_queue(QueueName=QUEUED.queue, Attributes=attributes)["QueueUrl"])
