"""Signing secrets of webhooks: kept for a while, replaced without a lost delivery, refused when they are none."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from placet.aws.delivery.signatures import KEPT_S, Secrets
from placet.model.errors import Busy
from tests.contract.faults import LOST, Answering, name_of, refusal
from tests.contract.hooking import (
    NEXT,
    PAYLOAD,
    SECRET,
    agent,
    refused,
    webhooks,
)
from tests.proofs.pushing.server import Answer, Hook


@dataclasses.dataclass
class Watch:
    """Seconds that stand until they are moved."""

    at: float = 1000.0

    def __call__(self) -> float:
        return self.at


def test_a_secret_is_kept_for_five_minutes_and_not_longer() -> None:
    watch, manager = Watch(), Answering({"SecretString": SECRET})
    secrets = Secrets(manager, watch)
    for moved in (0.0, KEPT_S - 1, 1.0):
        watch.at += moved
        assert secrets.signing("hooks/agent").secrets == (SECRET,)
    assert [one for _, one in manager.requests] == [{"SecretId": "hooks/agent"}] * 2


def test_while_a_secret_is_replaced_both_sign(hook: Hook) -> None:
    webhooks(secret=Secrets(Answering({"SecretString": f"{SECRET}\n{NEXT}"}))).deliver(agent(hook), PAYLOAD)
    (request,) = hook.requests
    for one in (SECRET, NEXT):
        assert Webhook(one).verify(request.body, request.headers)


def test_a_kept_secret_that_is_refused_is_read_anew_before_anybody_is_bothered(hook: Hook) -> None:
    manager = Answering({"SecretString": SECRET}, {"SecretString": NEXT})
    sending = webhooks(secret=Secrets(manager))
    sending.deliver(agent(hook), PAYLOAD)

    def verified(secret: str, request: Any) -> Answer:
        try:
            Webhook(secret).verify(request.body, request.headers)
        except WebhookVerificationError:
            return Answer(401)
        return Answer(204)

    hook.plan = lambda request: verified(NEXT, request)
    with pytest.raises(Busy, match="replaced"):
        sending.deliver(agent(hook), PAYLOAD)
    sending.deliver(agent(hook), PAYLOAD)
    hook.plan = lambda request: verified(SECRET, request)
    with pytest.raises(Busy, match="replaced"):
        sending.deliver(agent(hook), PAYLOAD)
    refused(lambda: sending.deliver(agent(hook), PAYLOAD))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hunter2",
        "whsec_",
        "whsec_short",
        "whsec_!!!!" + "A" * 40,
        f"{SECRET} nonsense",
        json.dumps({"key": SECRET}),
    ],
)
def test_what_is_no_signing_secret_is_refused(text: str) -> None:
    assert SECRET not in refused(lambda: Secrets(Answering({"SecretString": text})).signing("hooks/agent"))


@pytest.mark.parametrize(
    "code", ["ResourceNotFoundException", "AccessDeniedException", "DecryptionFailure", "InvalidRequestException"]
)
def test_a_secret_that_cannot_be_read_is_refused(code: str) -> None:
    assert code in refused(lambda: Secrets(Answering(refusal(code))).signing("hooks/agent"))


@pytest.mark.parametrize("error", [refusal("ThrottlingException"), refusal("InternalServiceError"), *LOST], ids=name_of)
def test_a_secret_that_cannot_be_read_now_is_busy(error: Exception) -> None:
    with pytest.raises(Busy):
        Secrets(Answering(error)).signing("hooks/agent")


def test_nothing_is_sent_when_the_secret_cannot_be_read(hook: Hook) -> None:
    with pytest.raises(Busy):
        webhooks(secret=Secrets(Answering(LOST[0]))).deliver(agent(hook), PAYLOAD)
    assert hook.requests == []
