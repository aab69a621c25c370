"""The refund desk's scenes of the demo: a Bedrock agent behind the gateway, decided in time and after Bedrock forgot its session.

All runs are asked first, then decided, then followed to their ends; nothing waits in between but the gateway.
"""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any

from local.agents.desk import Desk
from local.agents.processes import gateway_as, session_as
from local.agents.proof import Told
from local.agents.refund_desk import AGENT
from local.endpoint import Endpoint
from placet.client.bedrock import Finished, Going, Waiting, follow, invoke
from placet.client.gateway import operations

# On a machine that has other things to do everything takes many times as long; nothing waits longer than it has to.
PATIENCE_S = 300.0
EXPIRY_PATIENCE_S = 400.0
FORGOTTEN_S = 7_200.0
Decision = tuple[str, ...]  # ("accept",), ("edit", arguments, reason) or ("reject", reason)
ACCEPT: Decision = ("accept",)


@dataclass(frozen=True)
class Scene:
    """One run.

    Attributes:
        says: what the user writes, in the language of the scripted agents.
        decides: for each pause that people see, a decision for each call; none for one that nobody decides.
        late: Bedrock has forgotten the session when it is decided.
        passed_on: its edit was an instruction, and a second call ran under the approval.
    """

    name: str
    says: str
    decides: tuple[tuple[Decision, ...], ...] = ()
    late: bool = False
    passed_on: bool = False
    wait_at_most_s: int | None = None


SCENES = (
    Scene("bedrock accept", "refund ORD-1182 24000", ((ACCEPT,),)),
    Scene(
        "bedrock edit",
        "voucher ORD-1190 5000",
        ((("edit", '{"orderId":"ORD-1190","amountCents":3000}', "Half of it is enough."),),),
        passed_on=True,
    ),
    Scene("bedrock reject", "cancel ORD-1201 9900", ((("reject", "It was shipped already."),),)),
    Scene("bedrock two", "voucher ORD-1207 100 ORD-1208 200", ((ACCEPT, ("reject", "One voucher is enough.")),)),
    Scene(
        "bedrock then",
        "voucher ORD-1210 1000 then cancel ORD-1211 2000",
        ((ACCEPT,), (("edit", '{"orderId":"ORD-1211","amountCents":1500}', "The fee stays with us."),)),
    ),
    Scene("late accept", "voucher ORD-1220 4000", ((ACCEPT,),), late=True),
    Scene(
        "late edit",
        "cancel ORD-1221 8000",
        ((("edit", '{"orderId":"ORD-1221","amountCents":7000}', "Not more than 70.00."),),),
        late=True,
    ),
    Scene("late reject", "refund ORD-1222 60000", ((("reject", "It was paid back in March."),),), late=True),
)
SEEDED = (Scene("bedrock", "refund ORD-1230 31000 ORD-1231 12000"),)  # what `make run` shows
UNDECIDED = (
    Scene("bedrock expire", "refund ORD-1213 18000", wait_at_most_s=5),
    Scene("late expire", "voucher ORD-1214 18000", late=True, wait_at_most_s=5),
)


@dataclass
class Conversation:
    """A run that was asked, and its pause of the moment."""

    scene: Scene
    run: str
    pause: str


class RefundDesk:
    """Plays scenes on a running stack.

    Args:
        desk: the reviewer who decides; not needed to ask.
    """

    def __init__(self, stack: Any, desk: Desk | None = None) -> None:
        self._desk = desk
        self._gateway = gateway_as(stack, AGENT)
        self._routes = operations(stack.api_url, "us-east-1", session_as(stack, AGENT))
        self._runtime = Endpoint(stack.settings.bedrock_endpoint)

    def ask(self, scenes: tuple[Scene, ...]) -> list[Conversation]:
        """Start each run; all of them wait for a person then."""
        return [self._asked(scene) for scene in scenes]

    def _asked(self, scene: Scene) -> Conversation:
        run = f"{scene.name.replace(' ', '-')}-{uuid.uuid4().hex[:8]}"
        standing = invoke(
            self._gateway,
            AGENT,
            run,
            scene.says,
            entity=f"order:{scene.says.split()[1]}",
            requester="eve@example.com",
            wait_at_most_s=scene.wait_at_most_s,
        )
        until = time.monotonic() + PATIENCE_S
        while isinstance(standing, Going) and time.monotonic() < until:  # the turn took longer than one request may
            time.sleep(0.5)
            standing = follow(self._gateway, run)
        if not isinstance(standing, Waiting):
            raise AssertionError(f"{scene.name} does not wait for a person: {standing}")
        if scene.late:
            self._forget(run)
        return Conversation(scene, run, standing.pause)

    def _forget(self, run: str) -> None:
        """Let Bedrock forget the session, as it does after its time to live."""
        body = json.dumps({"seconds": FORGOTTEN_S, "session": run}).encode()
        self._runtime.open("/_bedrock/forward", body)

    def decide(self, asked: list[Conversation]) -> None:
        """Decide every pause of every run, in the order in which they come."""
        for place in range(max(len(one.scene.decides) for one in asked)):
            for one in asked:
                if place < len(one.scene.decides):
                    if place:
                        one.pause = self._next_pause(one)
                    self._decide(one.pause, one.scene.decides[place])

    def _decide(self, pause: str, decisions: tuple[Decision, ...]) -> None:
        if self._desk is None:
            raise ValueError("nobody is there to decide")
        for number, (kind, *given) in enumerate(decisions, 1):
            decide = {"accept": self._desk.accept, "edit": self._desk.edit, "reject": self._desk.reject}[kind]
            decide(pause, f"{pause}-{number}", *given)

    def _next_pause(self, one: Conversation) -> str:
        """The pause that follows, once the run got there."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            standing = follow(self._gateway, one.run)
            if isinstance(standing, Waiting) and standing.pause != one.pause:
                return standing.pause
            time.sleep(0.5)
        raise AssertionError(f"{one.run} did not ask again: {standing}")

    def finish(self, asked: list[Conversation], patience_s: float = PATIENCE_S) -> list[Told]:
        """Wait until each agent has answered, and give all pauses of all runs."""
        return [told for one in asked for told in self._finished(one, patience_s)]

    def _finished(self, one: Conversation, patience_s: float) -> list[Told]:
        standing = follow(self._gateway, one.run, patience_s)
        if not isinstance(standing, Finished):
            raise AssertionError(f"{one.run} has not finished within {patience_s:.0f} s: {standing}")
        pauses = self._routes.send("GET", f"/v1/runs/{one.run}").body["pauses"]
        where = "told in a new session" if standing.completion.startswith("Noted:") else "answered in its session"
        if one.scene.late != standing.completion.startswith("Noted:"):
            raise AssertionError(f"{one.run} was {where}")
        told = [Told(one.scene.name, pause, where) for pause in pauses]
        if one.scene.passed_on:
            told[0] = replace(told[0], note="told to propose it again", passed_on=True)
        return told
