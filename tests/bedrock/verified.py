"""The same desk, whose action-group Lambda claims the permit itself: the SDK's decorator, through the gateway's own handlers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any
from unittest import mock

from local.bedrock import Mode, refund_agent
from placet import wiring
from placet.client import Gateway
from placet.client.bedrock import verified_action
from tests.bedrock.desk import TARGET, TTL_S, Desk
from tests.frameworks.bedrock.handlers import Handlers

VERIFIED = replace(TARGET, verified=True, action_role="placet-refund-actions")


@dataclass
class Verified(Desk):
    """`did` is what the action did; with `raises` it ends so, after that. `actions` is its way to the gateway."""

    did: list[tuple[str, int]] = field(default_factory=list)
    raises: Exception | None = None

    def __post_init__(self) -> None:
        self.actions = Handlers("placet-refund-actions")
        self._handler = verified_action(Gateway(transport=self.actions), tool="Refunds.issueRefund")(self._pay)
        super().__post_init__()

    def act(self, event: dict[str, Any]) -> dict[str, Any]:
        """The decorated action."""
        return self._handler(event, SimpleNamespace(aws_request_id="request-1"))

    def paid(self) -> list[tuple[str, int]]:
        """Every effect: of the executor and of the action."""
        ours = [(one["arguments"]["orderId"], one["arguments"]["amountCents"]) for one in self.executors.effects]
        return ours + self.did

    def _pay(self, orderId: str, amountCents: int, **_: Any) -> str:
        self.did.append((orderId, amountCents))
        if self.raises:
            raise self.raises
        return f"paid {amountCents}"


@contextmanager
def verified(behaves: dict[str, Any], **more: Any) -> Iterator[Verified]:
    """A desk whose runtime listens and whose handlers answer."""
    made = Verified(script=refund_agent(Mode.CONFIRM, idle_ttl_s=TTL_S, **behaves), target=VERIFIED, **more)
    try:
        with (
            mock.patch.object(wiring, "ports", side_effect=lambda *names: made.ports),
            mock.patch.object(wiring, "log"),
        ):
            yield made
    finally:
        made.server.stop()
