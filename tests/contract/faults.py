"""A DynamoDB client that fails as told, and every verb of the service in one play."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict
from placet.model.pauses import call_id
from placet.model.states import PermitState, Verdict
from placet.service import operate, sessions
from placet.service.cancel import cancel
from placet.service.escalate import escalate
from placet.service.execute import claim, outcome
from placet.service.resume import renew, take
from placet.service.stuck import list_stuck
from placet.service.sweep import sweep
from placet.service.went_on import resumed
from tests.gateway import DELETE, REFUND, SMALL, SUPPORT, Gateway

WRITES = ("put_item", "update_item", "delete_item", "transact_write_items")
READS = ("get_item", "query")
LESS = '{"order_id":"1182","amount":200.00}'
Plan = Callable[[str], Exception | None]


def refusal(code: str, *reasons: str) -> ClientError:
    """What botocore raises for an error code; `reasons` are those of a cancelled transaction."""
    answer: dict[str, Any] = {"Error": {"Code": code, "Message": "as told"}}
    if reasons:
        answer["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(answer, "operation")


LOST = [
    ConnectionClosedError(endpoint_url="https://dynamodb"),
    EndpointConnectionError(endpoint_url="https://dynamodb"),
    ReadTimeoutError(endpoint_url="https://dynamodb"),
]
ANY = [
    refusal("ThrottlingException"),
    refusal("ProvisionedThroughputExceededException"),
    refusal("RequestLimitExceeded"),
    refusal("InternalServerError"),
    *LOST,
]
SINGLE = [*ANY, refusal("TransactionConflictException")]
CANCELLED = "TransactionCanceledException"
SEVERAL = [
    *ANY,
    refusal(CANCELLED, "None", "TransactionConflict"),
    refusal(CANCELLED, "ThrottlingError", "None"),
    refusal(CANCELLED, "ProvisionedThroughputExceeded", "None"),
    refusal("TransactionInProgressException"),
]
KINDS = {method: ANY for method in READS} | {method: SINGLE for method in WRITES} | {"transact_write_items": SEVERAL}


class Faulty:
    """The client; `fired` counts (method, error). `lost`: the request is carried out, only its answer is lost."""

    def __init__(self, inner: Any, plan: Plan, *, lost: bool = False) -> None:
        self._inner, self._plan, self._lost = inner, plan, lost
        self.fired: Counter[tuple[str, str]] = Counter()

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def request(**given: Any) -> Any:
            fault = self._plan(method)
            if fault is None:
                return getattr(self._inner, method)(**given)
            self.fired[method, name_of(fault)] += 1
            if self._lost:
                with contextlib.suppress(ClientError):
                    getattr(self._inner, method)(**given)
            raise fault

        return request


class Answering:
    """A client of any service: each request is answered by the next of `answers` (errors are raised), the last one for ever."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.requests: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def request(**given: Any) -> Any:
            self.requests.append((method, given))
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return request


def name_of(error: Exception) -> str:
    """Code, and reasons of a cancelled transaction."""
    if not isinstance(error, ClientError):
        return type(error).__name__
    reasons = [one["Code"] for one in error.response.get("CancellationReasons", []) if one["Code"] != "None"]
    return "/".join([error.response["Error"]["Code"], *reasons])


def always(fault: Exception) -> Plan:
    """Every request fails."""
    return lambda method: fault


def at_first(times: int, kinds: dict[str, list[Exception]]) -> Plan:
    """Each request fails so often before it is let through, with one kind of error after the other."""
    turns = {method: itertools.cycle(found) for method, found in kinds.items()}
    counts: Counter[str] = Counter()

    def plan(method: str) -> Exception | None:
        if method not in turns:
            return None
        counts[method] += 1
        return None if counts[method] % (times + 1) == 0 else next(turns[method])

    return plan


def play(gateway: Gateway) -> list[str]:
    """Every verb once; returns the codes of what was refused."""
    refused: list[str] = []
    head = gateway.shown(REFUND, DELETE, run="decided")
    gateway.decide(head, 1, Verdict.EDIT, arguments=LESS, new_digest=digest(parse(LESS)))
    gateway.decide(gateway.head(head.pause), 2, Verdict.REJECT, gateway.jonas)
    gateway.deliver()
    withdrawn = gateway.shown(REFUND, run="withdrawn", checkpoint="cp-2")
    cancel(gateway.ports, SUPPORT, withdrawn.pause, "moved on")
    _unknown(gateway, gateway.capture(SMALL, run="unknown", checkpoint="cp-3").head.pause, refused)
    failing = gateway.shown(REFUND, run="failing", checkpoint="cp-4")
    list_stuck(gateway.ports, gateway.head(failing.pause), "wait_failed")
    with _noting(refused):
        operate.repair(gateway.ports, "olga", failing.pause)
    operate.freeze(gateway.ports, "olga", "restore")
    operate.thaw(gateway.ports, "olga")
    sessions.end(gateway.ports, sessions.begin(gateway.ports, "maria"))
    late = gateway.shown(REFUND, run="late", checkpoint="cp-5")
    gateway.clock.at_ms = late.deadline_ms
    escalate(gateway.ports, late.pause)
    sweep(gateway.ports)
    _run(gateway, head.pause)
    return refused


def _unknown(gateway: Gateway, pause: str, refused: list[str]) -> None:
    call = call_id(pause, 1)
    claim(gateway.ports, SUPPORT, call, gateway.head(pause).calls[0].digest, "w0")
    outcome(gateway.ports, SUPPORT, call, "w0", PermitState.UNKNOWN, "the line broke")
    with _noting(refused):
        operate.reconcile(gateway.ports, "olga", call, PermitState.DONE, "seen in the ledger")


def _run(gateway: Gateway, pause: str) -> None:
    (taken,) = take(gateway.ports, SUPPORT, pause)  # although the answer of the lease may be lost
    fence = taken["fence"]
    renew(gateway.ports, SUPPORT, pause, fence)
    call = gateway.head(pause).calls[0]
    permit = claim(gateway.ports, SUPPORT, call_id(pause, 1), call.digest, "w1", fence)
    assert permit.arguments == LESS
    outcome(gateway.ports, SUPPORT, call_id(pause, 1), "w1", PermitState.DONE, "refund r-1")
    resumed(gateway.ports, SUPPORT, pause, fence)


@contextlib.contextmanager
def _noting(refused: list[str]) -> Any:
    try:
        yield
    except Conflict as error:
        refused.append(error.code)
