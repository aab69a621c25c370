"""Every state that a pause can be in when a deploy comes: how it gets there, and whether it is there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict
from placet.model.pauses import Agent, call_id
from placet.model.states import CallState, PermitState, ResumeState, Verdict
from placet.records.heads import Head
from placet.service.cancel import cancel
from placet.service.execute import claim, outcome
from placet.service.leases import lease
from placet.service.resume import LEASE_MS, resume, take
from placet.service.went_on import resumed
from tests.proofs.deploying.cast import DESK
from tests.proofs.deploying.house import REFUND, House
from tests.proofs.world.agents import Effect
from tests.proofs.world.cast import BILLING, MINUTE, SUPPORT
from tests.proofs.world.touching import Crash

PURGE, CLIMB, ERASE = ("purge", {"table": "a"}), ("climb", {"height": 3}), ("erase", {"table": "b"})
EPOCH = 2
LESS = '{"amount":400}'
Make = Callable[[House, str], str]
Is = Callable[[House, Head], bool]


@dataclass(frozen=True)
class State:
    """One state.

    Attributes:
        make: brings a run of a name into it; the pause's id.
        holds: whether the pause is in it at the moment of the deploy.
        epoch: in which it was written; one before that of the deploy was brought back by a restore.
    """

    name: str
    make: Make
    holds: Is
    epoch: int = EPOCH


def _captured(house: House, name: str) -> str:
    pause = house.capture(name)
    house.forgotten()
    return pause


def _wait_began(house: House, name: str) -> str:
    pause = house.capture(name)
    house.perform(house.messages.pop(0))  # dispatch; the machine's task is still under way
    house.hold()
    return pause


def _shown(house: House, name: str) -> str:
    house.mail.away = True
    pause = house.shown(name)
    house.mail.away = False
    return pause


def _nobody_comes(house: House, name: str) -> str:
    pause = house.shown(name)
    house.fates[pause] = "nothing"
    return pause


def _expired(house: House, name: str) -> str:
    pause = house.shown(name)
    house.clock.move(20 * MINUTE)
    house.drain()
    return pause


def _asked_again(house: House, name: str) -> str:
    """Its approval got too old before anybody used it."""
    pause = _offered(house, name)
    house.clock.move(31 * MINUTE)
    with contextlib.suppress(Conflict):
        _claims(house, pause)
    house.drain()
    return pause


def _level(house: House, name: str) -> str:
    """Widened to the second level, as a widening leaves it."""
    pause = house.shown(name, CLIMB)
    house.table.items[house.keys.head(pause)] |= {"level": 1, "wpk": house.keys.queue("ladder", 1)}
    return pause


def _one_of_two(house: House, name: str) -> str:
    pause = house.shown(name, REFUND, ("refund", {"amount": 600}))
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def _several(house: House, name: str) -> str:
    return house.shown(name, REFUND, PURGE)


def _one_of_several(house: House, name: str) -> str:
    pause = _several(house, name)
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def _voted(house: House, name: str) -> str:
    pause = house.shown(name, ERASE)
    house.decides("maria", pause, 1)
    return pause


def _decided(house: House, name: str, agent: Agent = SUPPORT) -> str:
    pause = house.shown(name, agent=agent)
    house.decides("maria", pause, 1)
    house.forgotten()
    return pause


def _offered(house: House, name: str, keyed: bool = False) -> str:
    pause = house.shown(name, keyed=keyed)
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def _rejected(house: House, name: str) -> str:
    pause = house.shown(name)
    house.decides("jonas", pause, 1, Verdict.REJECT)
    house.drain()
    return pause


def _edited(house: House, name: str) -> str:
    pause = house.shown(name)
    house.decides("jonas", pause, 1, Verdict.EDIT, arguments=LESS, new_digest=digest(parse(LESS)))
    house.drain()
    return pause


def _passed(house: House, name: str) -> str:
    pause = house.capture(name, ("refund", {"amount": 5}))
    house.drain()
    return pause


def _leased(house: House, name: str) -> str:
    pause = _offered(house, name)
    assert take(house.ports("pick_up"), SUPPORT, pause)
    return pause


def _claims(house: House, pause: str, worker: str = "dead") -> str:
    head = house.head(pause)
    claim(house.ports("execute"), SUPPORT, call_id(pause, 1), head.calls[0].digest, worker)
    return pause


def _claimed(house: House, name: str) -> str:
    return _claims(house, _leased(house, name))


def _claimed_beside_open(house: House, name: str) -> str:
    return _claims(house, _one_of_two(house, name))


def _freed(house: House, name: str) -> str:
    """A tool that takes a key; its attempt never reported, and the permit is free again."""
    pause = _claims(house, _offered(house, name, keyed=True))
    house.clock.move(301)
    house.sweep()
    return pause


def _done(house: House, name: str) -> str:
    pause = _acts(house, _leased(house, name))
    outcome(house.ports("execute"), SUPPORT, call_id(pause, 1), "dead", PermitState.DONE, "r")
    return pause


def _acts(house: House, pause: str) -> str:
    _claims(house, pause)
    effect = Effect(call_id(pause, 1), "", house.head(pause).calls[0].digest, "dead")
    house.processes[SUPPORT.name].ledger.append(effect)
    return pause


def _went_on(house: House, name: str) -> str:
    """The run went on while the report on its call is missing."""
    pause = _claims(house, _offered(house, name))
    resumed(house.ports("execute"), SUPPORT, pause)
    house.processes[SUPPORT.name].threads[name, f"cp-{name}"].pending.clear()
    return pause


def _unknown(house: House, name: str) -> str:
    pause = _acts(house, _leased(house, name))
    outcome(house.ports("execute"), SUPPORT, call_id(pause, 1), "dead", PermitState.UNKNOWN, "")
    return pause


def _stuck(house: House, name: str) -> str:
    """Its wait failed before anybody saw it."""
    pause = house.capture(name)
    house.forgotten()
    house.post("list", {"tenant": "main", "pause": pause, "gen": 1, "list": "wait_failed"})
    house.drain()
    return pause


def _resume_failed(house: House, name: str) -> str:
    pause = _decided(house, name, BILLING)
    house.post("list", {"tenant": "main", "pause": pause, "gen": 1, "list": "resume_failed"})
    house.drain()
    return pause


def _cancelled(house: House, name: str) -> str:
    pause = house.shown(name)
    house.processes[SUPPORT.name].cancel(house.processes[SUPPORT.name].threads[name, f"cp-{name}"])
    house.drain()
    return pause


def _cancelled_claimed(house: House, name: str) -> str:
    pause = _claims(house, _offered(house, name))
    cancel(house.ports("execute"), SUPPORT, pause, "the user left")
    house.drain()
    return pause


def _lambda_leased(house: House, name: str) -> str:
    """Its function was being called when the one that called it died."""
    pause = _decided(house, name, BILLING)
    assert lease(house.ports("resume"), house.head(pause), LEASE_MS)
    return pause


def _queued(house: House, name: str) -> str:
    pause = house.shown(name, agent=DESK)
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def _queue_leased(house: House, name: str) -> str:
    pause = _queued(house, name)
    house.queue = [one for one in house.queue if one["pause"] != pause]
    assert take(house.ports("pick_up"), DESK, pause)
    return pause


def _bedrock_decided(house: House, name: str) -> str:
    pause = house.asked(name)
    house.decides("maria", pause, 1)
    house.forgotten()
    return pause


def _bedrock_answering(house: House, name: str) -> str:
    """The executor has run it; the function died while the answer was under way."""
    pause = house.asked(name)
    house.decides("maria", pause, 1)
    house.forgotten()
    house.runtime.deadly = True
    with contextlib.suppress(Crash):
        resume(house.ports("resume"), pause)
    house.runtime.deadly = False
    house.forgotten()
    return pause


def _call(state: CallState, permit: PermitState | None = None, at: int = 0) -> Is:
    def holds(house: House, head: Head) -> bool:
        call = head.calls[at]
        return call.state is state and (permit is None or call.permit is permit)

    return holds


def _on(place: str, *more: Is) -> Is:
    """On a work list whose key holds this text; empty: on none."""

    def holds(house: House, head: Head) -> bool:
        return (f"#{place}" in head.wpk if place else not head.wpk) and all(one(house, head) for one in more)

    return holds


def _is_leased(house: House, head: Head) -> bool:
    return head.is_leased(house.clock.now_ms())


def _old(house: House, head: Head) -> bool:
    return head.epoch < house.epoch


def _listed_as(reason: str) -> Is:
    return lambda house, head: head.stuck == reason


# Those that take time to get into come first.
STATES = (
    State("expired, offered", _expired, _on("W#out", _call(CallState.EXPIRED))),
    State(
        "accepted too long ago, asked again", _asked_again, _on("Q#one.0", lambda house, head: head.calls[0].round == 2)
    ),
    State("freed, with a key", _freed, _on("W#out", _call(CallState.ACCEPTED, PermitState.FREE))),
    State("restored, shown", lambda house, name: house.shown(name), _on("Q#one.0", _old), epoch=EPOCH - 1),
    State("restored, accepted", _decided, _on("W#out", _old), epoch=EPOCH - 1),
    State("captured, record lost", _captured, _on("W#new", lambda house, head: head.pause not in str(house.held))),
    State("captured, wait begun", _wait_began, _on("W#new", lambda house, head: head.pause in str(house.held))),
    State("shown, not mailed", _shown, _on("Q#one.0", lambda house, head: bool(head.mails_missed))),
    State("mailed", lambda house, name: house.shown(name), _on("Q#one.0")),
    State("mailed, nobody comes", _nobody_comes, _on("Q#one.0")),
    State("second level reached", _level, _on("Q#ladder.1")),
    State("one of two decided", _one_of_two, _on("Q#one.0", _call(CallState.ACCEPTED))),
    State("two classes", _several, _on("Q#several")),
    State("two classes, one decided", _one_of_several, _on("Q#other.0", _call(CallState.ACCEPTED))),
    State("voted", _voted, _on("Q#two.0", lambda house, head: len(head.calls[0].votes) == 1)),
    State("decided, not dispatched", _decided, _on("W#out", _call(CallState.ACCEPTED))),
    State("offered", _offered, _on("W#out", _call(CallState.ACCEPTED))),
    State("rejected, offered", _rejected, _on("W#out", _call(CallState.REJECTED))),
    State("edited, offered", _edited, _on("W#out", _call(CallState.EDITED))),
    State("passed", _passed, _on("W#out", _call(CallState.PASSED))),
    State("leased", _leased, _on("W#out", _is_leased)),
    State("claimed", _claimed, _on("W#out", _call(CallState.ACCEPTED, PermitState.CLAIMED))),
    State(
        "claimed beside an open call",
        _claimed_beside_open,
        _on("Q#one.0", _call(CallState.ACCEPTED, PermitState.CLAIMED)),
    ),
    State("done, run not told", _done, _on("W#out", _call(CallState.ACCEPTED, PermitState.DONE))),
    State("went on, report missing", _went_on, _on("W#out", lambda house, head: head.resume_state is ResumeState.DONE)),
    State("unknown", _unknown, _listed_as("permit_unknown")),
    State("stuck, never shown", _stuck, _listed_as("wait_failed")),
    State("stuck, not resumed", _resume_failed, _listed_as("resume_failed")),
    State("cancelled", _cancelled, lambda house, head: bool(head.cancelled)),
    State("cancelled while claimed", _cancelled_claimed, _listed_as("cancelled_while_claimed")),
    State("Lambda: decided", lambda house, name: _decided(house, name, BILLING), _on("W#out#billing")),
    State("Lambda: leased", _lambda_leased, _on("W#out#billing", _is_leased)),
    State("queue: decided", lambda house, name: _decided(house, name, DESK), _on("W#out#queue")),
    State("queue: delivered", _queued, _on("W#out#queue", lambda house, head: bool(head.delivered_ms))),
    State("queue: leased", _queue_leased, _on("W#out#queue", _is_leased)),
    State("Bedrock: waiting", lambda house, name: house.asked(name), _on("Q#one.0")),
    State("Bedrock: decided", _bedrock_decided, _on("W#out#refund")),
    State("Bedrock: answering", _bedrock_answering, _on("W#out#refund", _is_leased)),
)
# While everything is held for a restore.
FROZEN = (
    State("frozen, captured", _captured, _on("W#new")),
    State("frozen, mailed", lambda house, name: house.shown(name), _on("Q#one.0")),
    State("frozen, two classes", _several, _on("Q#several")),
    State("frozen, offered", _offered, _on("W#out", _call(CallState.ACCEPTED))),
    State("frozen, claimed", _claimed, _on("W#out", _call(CallState.ACCEPTED, PermitState.CLAIMED))),
    State("frozen, Bedrock decided", _bedrock_decided, _on("W#out#refund")),
)
