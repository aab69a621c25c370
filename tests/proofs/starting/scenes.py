"""The shortest scene of each framework: asked, accepted, executed, and followed all the while by who asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from placet.client import Permits
from placet.client.bedrock import Finished, Waiting, follow, invoke
from placet.client.gateway import Gateway
from placet.client.waiting import Pace
from placet.model.errors import Busy
from placet.service.resume import resume
from tests.gateway import REFUND, SUPPORT, native
from tests.proofs.forging.controls import control
from tests.proofs.forging.house import DESK
from tests.proofs.starting.stand import Stand

PATIENCE_S = 20.0
OK = 200
OVER = frozenset({"ended", "finished", "cancelled", "failed", "inconclusive", "stuck"})
Scene = Callable[[Stand, int], str]  # what went wrong; empty when all is as it was approved


def bedrock(stand: Stand, number: int) -> str:
    """A Bedrock agent, answered by the gateway itself."""
    gateway, run, order = stand.gateway_of(DESK), f"start-{number}", f"ORD-{number}"
    stand.runtime.proposes[run] = control(order, "999999")
    standing = invoke(gateway, DESK.name, run, run)
    if not isinstance(standing, Waiting):
        return f"does not wait for a person: {standing}"
    if (status := stand.accept(stand.queued(standing.pause), "maria", by_page=False)) != OK:
        return f"was not accepted: {status}"
    with Beside(lambda: _resumed(stand, standing.pause), stand):
        end = follow(gateway, run, PATIENCE_S, pace=Pace(soon_s=0.002, longest_s=0.02))
    if not isinstance(end, Finished):
        return f"has not finished: {end}"
    paid = [one["arguments"]["orderId"] for one in stand.executors.effects].count(order)
    return "" if paid == 1 and end.completion else f"finished with {end.completion!r}, paid {paid} times"


def langchain(stand: Stand, number: int) -> str:
    """An agent whose own process goes on."""
    gateway, run = stand.gateway_of(SUPPORT), f"start-{number}"
    paid: list[object] = []
    asked = gateway.capture("langchain", run, native(REFUND, checkpoint=run))
    if (status := stand.accept(stand.queued(asked.pause), "maria", by_page=False)) != OK:
        return f"was not accepted: {status}"
    with Beside(lambda: _goes_on(stand.gateway_of(SUPPORT), asked.pause, paid), stand):
        until, told = time.monotonic() + PATIENCE_S, ""
        while told not in OVER and time.monotonic() < until:
            told = gateway.run(run).body["status"]
            done = len(paid)  # after the answer: what it says was so by now
    return "" if (told, done) == ("ended", 1) else f"is {told} and was paid {done} times"


def _goes_on(gateway: Gateway, pause: str, paid: list[object]) -> None:
    for taken in gateway.take(pause).pauses:
        for call in taken.calls:
            Permits(gateway).execute(call, paid.append)
        gateway.resumed(taken.pause)


def _resumed(stand: Stand, pause: str) -> None:
    stand.deliver()
    for _ in range(5):
        try:
            resume(stand.ports, pause)
        except Busy:
            continue
        return


class Beside:
    """Somebody works on a thread of his own, while this one follows and is held at its reads."""

    def __init__(self, work: Callable[[], None], stand: Stand) -> None:
        self._thread, self._stand = threading.Thread(target=work), stand

    def __enter__(self) -> None:
        self._stand.here.held = True
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stand.here.held = False
        self._thread.join()


SCENES: dict[str, Scene] = {"bedrock": bedrock, "langchain": langchain}
