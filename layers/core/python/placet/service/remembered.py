"""What is remembered of an execution, for rules that ask whether something was there before.

Only what was done is: were it enough to propose a call, whoever writes what the agent reads would make his account known by having
it proposed. What passed only because its class observes is not, since nobody agreed to it. It is written after the outcome, plain:
one that is lost asks a person once more.
"""

from __future__ import annotations

from placet.model.states import PermitState
from placet.policy.evaluate import questions_of
from placet.policy.facts import OrderSeen, Spending
from placet.records.counters import seen_item
from placet.records.heads import Head
from placet.records.ops import Put
from placet.service.facts import key_of, stored_facts
from placet.service.loading import arguments_of, body_of, call_of
from placet.service.ports import Ports


def remember_done(ports: Ports, head: Head, number: int) -> None:
    """The answers that this execution is to what rules of its tool ask; of its decided arguments, by the policy of today.

    The order of two calls of a pause is known once both were done, whichever reports last.
    """
    done = {number, *(call.number for call in head.calls if call.permit is PermitState.DONE)}
    for one in sorted({number, number + 1} & done):
        _remember(ports, head, one, follows=one == 1 or one - 1 in done)


def _remember(ports: Ports, head: Head, number: int, *, follows: bool) -> None:
    """As `remember_done`, of one call; `follows` says whether the call in front of it was done, or was of another pause."""
    call = call_of(head, number)
    if not call.asks or call.observed:
        return
    body = body_of(ports, head)
    arguments = arguments_of(ports, head, body, call)
    now = ports.clock.now_ms()
    asked = questions_of(ports.policy, call.tool, arguments, stored_facts(head, body, number))
    passing = Spending if follows else (Spending, OrderSeen)
    for key in {key_of(ports.keys, one, now) for one in asked if not isinstance(one, passing)}:
        ports.table.write([Put(seen_item(key, now))])
