"""In place of boto3: clients that wait as long as their configuration says, and the services behind them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from placet.aws.clients import BACKOFF_S
from tests.proofs.outages.store import error
from tests.proofs.outages.troubles import QUICK_S, SLOW, silent, told, unreachable

if TYPE_CHECKING:
    from tests.proofs.outages.town import Town

UNLIMITED_S, UNLIMITED = 60, 5  # what botocore takes when it is told nothing
DEDUPLICATED_S = 300  # so long SQS knows a message again


class Client:
    """What `boto3.client` makes: it knows how long it waits, how often it tries, and what is asked before anything is sent."""

    def __init__(self, town: Town, service: str, config: Any) -> None:
        self._town, self._service = town, service
        self._connect_s = getattr(config, "connect_timeout", UNLIMITED_S)
        self._read_s = getattr(config, "read_timeout", UNLIMITED_S)
        self._attempts = (getattr(config, "retries", None) or {}).get("total_max_attempts", UNLIMITED)
        self._before: list[Callable[..., Any]] = []
        events = SimpleNamespace(register=lambda name, asked: self._before.append(asked))
        self.meta = SimpleNamespace(events=events)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda **given: self._asked(method, given)

    def _asked(self, method: str, given: dict[str, Any]) -> Any:
        use = self._town.use_of(self._service, given)
        work = self._town.work_of(self._service, method)
        for attempt in range(self._attempts):
            if attempt:
                self._town.clock.sleep(BACKOFF_S)
            for before in self._before:
                before()
            try:
                return self._tried(use, lambda: work(**given))
            except _Again as again:
                last = again.error
        raise last

    def _tried(self, use: str, work: Callable[[], Any]) -> Any:
        clock, kind = self._town.clock, self._town.asks(use)
        if kind == "hangs":
            clock.sleep(self._connect_s + self._read_s)
            raise _Again(silent(use))
        if kind == "gone" and self._town.trouble.fired % 2:  # its address is gone, or what is asked for is
            raise _Again(unreachable(use))
        if kind in ("fails", "refuses", "gone"):
            clock.sleep(QUICK_S)
            answer = told(use, kind)
            raise _Again(answer) if kind == "fails" else answer
        began = clock.at_ms
        answer = work()
        took_s = (clock.at_ms - began) / 1000
        if kind == "late" or took_s > self._read_s:  # it was done; whoever asked had stopped waiting
            clock.at_ms = min(clock.at_ms, began)
            clock.sleep(self._connect_s + self._read_s)
            raise _Again(silent(use))
        clock.sleep(max(0.0, SLOW * self._read_s - took_s) if kind == "slow" else QUICK_S)
        return answer


class _Again(Exception):
    """What a client tries again by itself, for as long as its configuration lets it."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class Services:
    """What stands behind the clients, but for the store: each request as `<service>_<method>`.

    Attributes:
        mails: of each that was sent its pause (none: a mail of what waits), address and moment.
        schedules: the moment of each timer, in seconds. texts: the bucket.
        effects: what the executor did. said: every turn that Bedrock took in.
    """

    def __init__(self, town: Town) -> None:
        self.town = town
        self.mails: list[tuple[str, str, int]] = []
        self.schedules: dict[str, int] = {}
        self.texts: dict[str, bytes] = {}
        self.effects: list[str] = []
        self.said: list[str] = []
        self.messages: dict[str, int] = {}
        self.asked_twice: set[str] = set()

    def kms_generate_mac(self, Message: bytes, **_: Any) -> dict[str, Any]:
        return {"Mac": hmac.new(b"a key", Message, hashlib.sha256).digest()}

    def s3_put_object(self, Key: str, Body: bytes, **_: Any) -> dict[str, Any]:
        self.texts[Key] = Body
        return {}

    def s3_get_object(self, Key: str, **_: Any) -> dict[str, Any]:
        if Key not in self.texts:
            raise error("AccessDenied")  # as S3 says it to those who may not list
        return {"Body": io.BytesIO(self.texts[Key])}

    def sesv2_send_email(self, Destination: dict[str, Any], Content: dict[str, Any], **_: Any) -> dict[str, Any]:
        (to,) = Destination["ToAddresses"]
        link = Content["Simple"]["Body"]["Text"]["Data"].partition("/reviews/")[2]
        self.mails.append((link[:26], to, self.town.clock.at_ms))
        return {}

    def scheduler_create_schedule(self, Name: str, **asked: Any) -> dict[str, Any]:
        if Name in self.schedules:
            raise error("ConflictException")
        return self._schedule(Name, asked)

    def scheduler_update_schedule(self, Name: str, **asked: Any) -> dict[str, Any]:
        if Name not in self.schedules:
            raise error("ResourceNotFoundException")
        return self._schedule(Name, asked)

    def _schedule(self, name: str, asked: dict[str, Any]) -> dict[str, Any]:
        self.schedules[name] = self.town.timers.set(name, asked["ScheduleExpression"], asked["Target"]["Input"])
        return {}

    def stepfunctions_start_execution(self, name: str, input: str, **_: Any) -> dict[str, Any]:
        if not self.town.machine.start(name, json.loads(input)):
            raise error("ExecutionAlreadyExists")
        return {}

    def stepfunctions_send_task_success(self, taskToken: str, **_: Any) -> dict[str, Any]:
        if not self.town.machine.answer(taskToken):
            raise error("TaskTimedOut")
        return {}

    def events_put_events(self, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        self.town.telling.put(Entries)
        return {"FailedEntryCount": 0, "Entries": [{} for _ in Entries]}

    def sns_publish(self, **_: Any) -> dict[str, Any]:
        return {}

    def secretsmanager_get_secret_value(self, **_: Any) -> dict[str, Any]:
        return {"SecretString": "whsec_" + base64.b64encode(b"0123456789" * 4).decode()}

    def sqs_get_queue_url(self, QueueName: str) -> dict[str, Any]:
        return {"QueueUrl": f"https://sqs/{QueueName}"}

    def sqs_send_message(self, MessageDeduplicationId: str, MessageBody: str, **_: Any) -> dict[str, Any]:
        now = self.town.clock.at_ms
        if now >= self.messages.get(MessageDeduplicationId, 0):
            self.messages[MessageDeduplicationId] = now + 1000 * DEDUPLICATED_S
            self.town.people.takes(json.loads(MessageBody))
        return {}

    def lambda_invoke(self, FunctionName: str, Payload: bytes, InvocationType: str = "") -> dict[str, Any]:
        if FunctionName.startswith("arn:verb:"):
            return self._verb(FunctionName.rpartition(":")[2], json.loads(Payload), InvocationType)
        sent = json.loads(Payload)
        if "resume" in sent:
            self.town.people.takes(sent)
            return {"Payload": io.BytesIO(b"null")}
        self.effects.append(sent["call"])
        return {"Payload": io.BytesIO(json.dumps({"ok": True, "result": "paid"}).encode())}

    def _verb(self, verb: str, payload: dict[str, Any], how: str) -> dict[str, Any]:
        if how == "Event":
            self.town.calls(verb, payload)
            return {}
        answer, failed = self.town.invoke(verb, payload)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())} | ({"FunctionError": "Unhandled"} if failed else {})

    def bedrock_invoke_agent(
        self, sessionId: str, sessionState: dict[str, Any], inputText: str = "", **_: Any
    ) -> dict[str, Any]:
        """It proposes what the text asks for, and again when it is answered for the first time."""
        self.said.append(sessionId)
        again = "invocationId" in sessionState and sessionId not in self.asked_twice
        if not again and not inputText.startswith("refund"):
            return {"completion": [{"chunk": {"bytes": b"All right."}}]}
        if again:
            self.asked_twice.add(sessionId)
        cents = "50000" if again else inputText.split()[1]
        return {"completion": [{"returnControl": control(f"{sessionId}-{len(self.said)}", cents)}]}


def control(name: str, cents: str) -> dict[str, Any]:
    """A control as Bedrock returns it."""
    parameters = [
        {"name": "orderId", "type": "string", "value": name},
        {"name": "amountCents", "type": "integer", "value": cents},
    ]
    call = {
        "actionGroup": "Refunds",
        "function": "issueRefund",
        "actionInvocationType": "RESULT",
        "parameters": parameters,
    }
    return {"invocationId": f"invocation-{name}", "invocationInputs": [{"functionInvocationInput": call}]}
