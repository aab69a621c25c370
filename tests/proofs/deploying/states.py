"""Every state that a pause can be in when a deploy comes, and whether it is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from placet.model.states import CallState, PermitState, ResumeState
from placet.records.heads import Head
from tests.proofs.deploying import making
from tests.proofs.deploying.cast import DESK
from tests.proofs.deploying.house import House
from tests.proofs.world.cast import BILLING

EPOCH = 2
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
    State("expired, offered", making.expired, _on("W#out", _call(CallState.EXPIRED))),
    State(
        "accepted too long ago, asked again",
        making.asked_again,
        _on("Q#one.0", lambda house, head: head.calls[0].round == 2),
    ),
    State("freed, with a key", making.freed, _on("W#out", _call(CallState.ACCEPTED, PermitState.FREE))),
    State("restored, shown", lambda house, name: house.shown(name), _on("Q#one.0", _old), epoch=EPOCH - 1),
    State("restored, accepted", making.decided, _on("W#out", _old), epoch=EPOCH - 1),
    State(
        "captured, record lost", making.captured, _on("W#new", lambda house, head: head.pause not in str(house.held))
    ),
    State("captured, wait begun", making.wait_began, _on("W#new", lambda house, head: head.pause in str(house.held))),
    State("shown, not mailed", making.shown, _on("Q#one.0", lambda house, head: bool(head.mails_missed))),
    State("mailed", lambda house, name: house.shown(name), _on("Q#one.0")),
    State("mailed, nobody comes", making.nobody_comes, _on("Q#one.0")),
    State("second level reached", making.level, _on("Q#ladder.1")),
    State("one of two decided", making.one_of_two, _on("Q#one.0", _call(CallState.ACCEPTED))),
    State("two classes", making.several, _on("Q#several")),
    State("two classes, second level reached", making.level_of_several, _on("Q#several..1")),
    State("two classes, one decided", making.one_of_several, _on("Q#other.0", _call(CallState.ACCEPTED))),
    State("voted", making.voted, _on("Q#two.0", lambda house, head: len(head.calls[0].votes) == 1)),
    State("decided, not dispatched", making.decided, _on("W#out", _call(CallState.ACCEPTED))),
    State("offered", making.offered, _on("W#out", _call(CallState.ACCEPTED))),
    State("rejected, offered", making.rejected, _on("W#out", _call(CallState.REJECTED))),
    State("edited, offered", making.edited, _on("W#out", _call(CallState.EDITED))),
    State("passed", making.passed, _on("W#out", _call(CallState.PASSED))),
    State("leased", making.leased, _on("W#out", _is_leased)),
    State("claimed", making.claimed, _on("W#out", _call(CallState.ACCEPTED, PermitState.CLAIMED))),
    State(
        "claimed beside an open call",
        making.claimed_beside_open,
        _on("Q#one.0", _call(CallState.ACCEPTED, PermitState.CLAIMED)),
    ),
    State("done, run not told", making.done, _on("W#out", _call(CallState.ACCEPTED, PermitState.DONE))),
    State(
        "went on, report missing",
        making.went_on,
        _on("W#out", lambda house, head: head.resume_state is ResumeState.DONE),
    ),
    State("unknown", making.unknown, _listed_as("permit_unknown")),
    State("stuck, never shown", making.stuck, _listed_as("wait_failed")),
    State("stuck, not resumed", making.resume_failed, _listed_as("resume_failed")),
    State("cancelled", making.cancelled, lambda house, head: bool(head.cancelled)),
    State("cancelled while claimed", making.cancelled_claimed, _listed_as("cancelled_while_claimed")),
    State("Lambda: decided", lambda house, name: making.decided(house, name, BILLING), _on("W#out#billing")),
    State("Lambda: leased", making.lambda_leased, _on("W#out#billing", _is_leased)),
    State("queue: decided", lambda house, name: making.decided(house, name, DESK), _on("W#out#queue")),
    State("queue: delivered", making.queued, _on("W#out#queue", lambda house, head: bool(head.delivered_ms))),
    State("queue: leased", making.queue_leased, _on("W#out#queue", _is_leased)),
    State("Bedrock: waiting", lambda house, name: house.asked(name), _on("Q#one.0")),
    State("Bedrock: decided", making.bedrock_decided, _on("W#out#refund")),
    State("Bedrock: answering", making.bedrock_answering, _on("W#out#refund", _is_leased)),
)


# While everything is held for a restore.
FROZEN = (
    State("frozen, captured", making.captured, _on("W#new")),
    State("frozen, mailed", lambda house, name: house.shown(name), _on("Q#one.0")),
    State("frozen, two classes", making.several, _on("Q#several")),
    State("frozen, offered", making.offered, _on("W#out", _call(CallState.ACCEPTED))),
    State("frozen, claimed", making.claimed, _on("W#out", _call(CallState.ACCEPTED, PermitState.CLAIMED))),
    State("frozen, Bedrock decided", making.bedrock_decided, _on("W#out#refund")),
)
