"""`make demo`: approvals from pause to execution on the whole local stack, and the proof that only what was approved ran.

Accept, edit, reject, two calls in one turn, a deadline that passes, a small refund that needs nobody, an agent process that is
killed while it waits, an agent that is a Lambda function, a Bedrock agent, in time and after its session is gone, two people who
have to agree, one who stands in for another, a reminder, and a call that more people are asked about because nobody answers. Exits
with 0 only when every tool ran exactly with the approved arguments, once, nothing else ran, and the records say that each of these
happened.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.agents.bedrock_scenes import EXPIRY_PATIENCE_S, SCENES, UNDECIDED, RefundDesk
from local.agents.billing import propose
from local.agents.desk import Desk
from local.agents.executions import executed
from local.agents.people_scenes import Office
from local.agents.processes import SupportProcesses, gateway_as
from local.agents.proof import Proof, Told, prove
from local.agents.refund_desk import AGENT
from placet.client import Gateway


@dataclass
class Play:
    """The stage: a running stack, somebody at the desk, and what was told so far."""

    stack: Any
    desk: Desk
    support: SupportProcesses
    bedrock: RefundDesk
    office: Office
    told: list[Told]

    def pause(self, scenario: str, pause: str, note: str = "") -> None:
        """Keep a pause for the proof."""
        self.told.append(Told(scenario, pause, note))


def tell(line: str) -> None:
    """A line of progress, at once even into a pipe."""
    print(line, flush=True)


def play(stack: Any, say: Callable[[str], None] = tell) -> Proof:
    """Play everything on a running stack. `say` gets one line per scene."""
    began = time.time()
    desk = Desk(stack.api_url, stack.access_token("maria"))
    support = SupportProcesses(stack.agent_environment("support-agent"))
    one = Play(stack, desk, support, RefundDesk(stack, desk), Office(stack), [])
    say(
        "remind, widen: asked first and left alone; their schedules remind after one minute and ask more people after two"
    )
    unanswered = [one.office.ask("stop_payment", f"payment:{name}", payment=name) for name in ("P-3101", "P-3102")]
    say("late: asked first, because nobody decides and its deadline has to pass")
    late = one.support.start("late")
    one.pause("late", late["pause"])
    undecided = one.bedrock.ask(UNDECIDED)
    for scene in (quorum, delegate, accept, edit, reject, two, kill, small, lambda_agent, bedrock):
        say(f"{scene.__name__}: {(scene.__doc__ or '').splitlines()[0]}")
        scene(one)
    say("late: waiting for the deadline; then the run goes on with nobody's decision")
    one.support.go_on(late["thread"], EXPIRY_PATIENCE_S)
    one.told += one.bedrock.finish(undecided, EXPIRY_PATIENCE_S)
    say("remind: waiting until its people were reminded; then Maria accepts")
    one.office.remind(unanswered[0])
    say("widen: waiting until the operators are asked as well; then Olga accepts, who could not before")
    one.office.widen(unanswered[1])
    gateways = [gateway_as(stack, name) for name in ("support-agent", "billing-agent", AGENT)]
    done = [item for item in executed(stack.client("dynamodb")) if float(item["at"]) >= began]
    return prove(one.told + one.office.told, gateways, done, one.office.counts())


def quorum(one: Play) -> None:
    """Two people have to accept a payment: Maria's yes alone runs nothing, then Jonas agrees."""
    one.office.quorum()


def delegate(one: Play) -> None:
    """Jonas is away; Olga, whom he named, accepts a refund in his place."""
    one.office.delegate()


def accept(one: Play) -> None:
    """Maria accepts a refund of 240.00."""
    asked = one.support.start("accept")
    one.desk.accept(asked["pause"], asked["calls"][0])
    one.support.go_on(asked["thread"])
    one.pause("accept", asked["pause"])


def edit(one: Play) -> None:
    """Maria changes 240.00 to 200.00."""
    asked = one.support.start("edit")
    changed = '{"order_id":"1190","amount":200.00}'
    one.desk.edit(asked["pause"], asked["calls"][0], changed, "The delivery fee stays with us.")
    one.support.go_on(asked["thread"])
    one.pause("edit", asked["pause"])


def reject(one: Play) -> None:
    """Maria rejects a deletion with a reason."""
    asked = one.support.start("reject")
    one.desk.reject(asked["pause"], asked["calls"][0], "We have to keep these for ten years.")
    one.support.go_on(asked["thread"])
    one.pause("reject", asked["pause"])


def two(one: Play) -> None:
    """Two calls in one turn: the refund is accepted, the email rejected."""
    asked = one.support.start("two")
    refund, email = asked["calls"]
    one.desk.accept(asked["pause"], refund)
    one.desk.reject(asked["pause"], email, "Write only once the money is out.")
    one.support.go_on(asked["thread"])
    one.pause("two", asked["pause"])


def kill(one: Play) -> None:
    """The agent's process is killed while it waits; another one, which knows only the gateway, goes on."""
    asked = one.support.start_and_kill("kill")
    one.desk.accept(asked["pause"], asked["calls"][0])
    finished = one.support.go_on(asked["thread"])
    if finished["pid"] == asked["pid"]:
        raise AssertionError("the process that was killed seems to have gone on")
    one.pause("kill", asked["pause"], f"process {asked['pid']} killed, {finished['pid']} went on")


def small(one: Play) -> None:
    """A refund of 40.00 needs nobody."""
    finished = one.support.start("small")
    if finished["event"] != "finished":
        raise AssertionError(f"a small refund waits for somebody: {finished}")
    one.pause("small", *finished["pauses"])


def lambda_agent(one: Play) -> None:
    """The agent is a Lambda function, resumed by invocation."""
    gateway, refund = gateway_as(one.stack, "billing-agent"), {"order_id": "1230", "amount": 150.0}
    asked = propose(gateway, f"invoice-{uuid.uuid4().hex[:8]}", "issue_refund", refund, "order:1230")
    one.desk.accept(asked.pause, asked.calls[0].call)
    _until_ended(gateway, asked.pause)
    one.pause("lambda", asked.pause)


def bedrock(one: Play) -> None:
    """The agent is one of Bedrock's: each way in which it asks, decided in time and too late for its session."""
    asked = one.bedrock.ask(SCENES)
    one.bedrock.decide(asked)
    one.told += one.bedrock.finish(asked)


def _until_ended(gateway: Gateway, pause: str, patience_s: float = 300.0) -> None:
    until = time.monotonic() + patience_s
    while gateway.pause(pause).state != "ended":
        if time.monotonic() > until:
            raise AssertionError(f"pause {pause} was decided and did not end within {patience_s:.0f} s")
        time.sleep(0.5)


def demo(settings: Any) -> bool:
    """Start a stack, play, print the table. True when everything was as it must be."""
    from local.stack import LocalStack

    with LocalStack(settings.with_demo_rules(), say=tell) as stack:
        proof = play(stack)
    print(proof.table())
    print(proof.line(), flush=True)
    return proof.holds


def main() -> int:
    from local.settings import LocalSettings

    return 0 if demo(LocalSettings.from_environment().on_free_ports()) else 1


if __name__ == "__main__":
    sys.exit(main())
