"""What docs/targets.md shows: the consumers run, the message is one, and the targets are settings."""

from __future__ import annotations

import contextlib
import json
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from infra.settings import TARGETS
from tests.docs.reading import ROOT, blocks
from tests.frameworks.delivering import SECRET, sent, signed, working
from tests.frameworks.serving import served
from tests.proofs.pushing.house import HOOKED, QUEUED, House
from tests.proofs.pushing.served import Served

PAGE = ROOT / "docs/targets.md"
BLOCKS, (SHOWN,) = blocks(PAGE, "python"), [json.loads(one) for one in blocks(PAGE, "json")]


@pytest.fixture
def gateway() -> House:
    return House()


@pytest.fixture
def environment(gateway: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Any]]:
    """The gateway over HTTP, for code that makes its own client; gives what serves it to an agent."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with contextlib.ExitStack() as stack:

        def serve(agent: Any) -> None:
            monkeypatch.setenv("PLACET_URL", stack.enter_context(served(Served(gateway.ports, agent))))  # type: ignore[arg-type]

        yield serve


def test_the_consumer_of_a_queue_in_the_docs_runs(gateway: House, environment: Callable[[Any], Any]) -> None:
    environment(QUEUED)
    _, paid, handler = working(gateway)
    names: dict[str, Any] = {"go_on": handler}
    exec(BLOCKS[0], names)  # noqa: S102 - our own documentation
    _, payload = sent(gateway)
    event = {"Records": [{"body": json.dumps(payload)}, {"body": json.dumps(payload)}]}
    names["handler"](event, None)
    assert paid == ["1182"]
    names["gateway"]._transport._pool.close()


def test_the_webhook_in_the_docs_runs(gateway: House, environment: Callable[[Any], Any]) -> None:
    environment(HOOKED)
    talking, paid, handler = working(gateway, HOOKED)
    names: dict[str, Any] = {"go_on": handler, "secret": SECRET}
    exec(BLOCKS[1], names)  # noqa: S102 - our own documentation
    pause, payload = sent(gateway, HOOKED)
    headers, text = signed(payload)
    assert names["answer"](headers, text.encode() + b" ") == 400
    held = talking.take(pause).pauses[0]
    assert names["answer"](headers, text.encode()) == 503
    gateway.clock.move(120)
    assert held.fence
    assert [names["answer"](headers, text.encode()) for _ in range(2)] == [204, 204]
    assert paid == ["1182"]
    names["gateway"]._transport._pool.close()


def test_the_message_in_the_docs_is_one_and_the_targets_are_the_settings(gateway: House) -> None:
    queue, hook = (tomllib.loads(one)["target"] for one in blocks(PAGE, "toml"))
    assert set(SHOWN) == set(sent(gateway)[1])
    assert {one["kind"]: set(one) for one in (queue, hook)} == {kind: TARGETS[kind] for kind in ("sqs", "webhook")}
