"""Which session is answered: of the agent that is deployed as it was, for as long as the registry said when it began."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Mode
from placet.frameworks.bedrock.reading import read
from placet.model.pauses import Agent
from placet.service.bedrock.ledger import LONGEST_CHAIN, opened, repeated
from placet.service.bedrock.turns import run_of
from placet.service.ports import Turn
from tests.bedrock.desk import ONE, TARGET, Desk, desk


def redeployed(made: Desk, **changes: Any) -> None:
    """The registry says something else by now."""
    made.agent = replace(made.agent, bedrock=replace(made.target, **changes))


@pytest.mark.parametrize("changes", [{"alias_id": "ANOTHERONE"}, {"agent_id": "ANOTHERONE"}, {"region": "eu-west-1"}])
@pytest.mark.parametrize("mode", [Mode.RESULT, Mode.CONFIRM])
def test_the_registry_says_who_is_invoked_and_a_session_of_another_agent_is_left(
    mode: Mode, changes: dict[str, str]
) -> None:
    asked: list[tuple[Agent, str]] = []

    class Noted:
        """Notes whom a turn was sent to."""

        def __init__(self, made: Desk) -> None:
            self._real, self._agent = made._runtime, made.agent

        def definition(self, agent: Agent) -> str:
            return ""

        def turn(self, agent: Agent, session: str, *rest: Any) -> Turn:
            asked.append((agent, session))
            return self._real.turn(self._agent, session, *rest)

    with desk(mode) as made:
        made._runtime = Noted(made)  # type: ignore[assignment]
        head = made.asks()
        redeployed(made, **changes)
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert asked[-1] == (made.agent, f"{made.run}-r1")
        assert (made.paid(), made.acted) == ([("ORD-7", 50000)], []), "the executor ran it, once"
        assert made.status().status == "finished"


def test_what_is_stored_chooses_no_agent() -> None:
    with desk() as made:
        head = made.asks()
        made.rewrites(head, lambda native: native.update(agent_id="FORGED1234", alias_id="FORGED1234", region="xx-1"))
        made.ends(made.head(head.pause), 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        sent = made.runtime.log[-1].request
        assert (sent.agent, sent.alias) == ("AGENT12345", "TSTALIASID")


@pytest.mark.parametrize("today", [5_400, 300])
def test_a_session_lives_as_long_as_the_registry_said_at_its_beginning_or_says_today(today: int) -> None:
    with desk() as made:
        head = made.asks()
        redeployed(made, session_ttl_s=today)
        made.clock.move(min(TARGET.session_ttl_s, today) - 59)
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert made.session == f"{made.run}-r1", "the session was answered although it may be over"
        found = run_of(made.ports, made.agent, made.run)
        assert found is not None
        assert found.ttl_s == today, "the new one begins under today's registry"


def test_a_run_of_a_release_that_kept_no_time_goes_by_todays_registry() -> None:
    with desk() as made:
        head = made.asks()
        del made.table.items[made.keys.session_run(made.agent.name, made.run)]["ttl_s"]
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        assert made.session == made.run


class Long:
    """A runtime whose agent proposes one small refund after the other, then a large one; in a new session the very first again."""

    def __init__(self, many: int) -> None:
        self.many, self.turns = many, 0

    def definition(self, agent: Agent) -> str:
        return ""

    def turn(self, agent: Agent, session: str, text: str, state: dict[str, Any], definition: str) -> Turn:
        self.turns += 1
        if session.endswith("-r1"):
            return Turn("", control("ORD-1", 100, self.turns)) if "invocationId" not in state else Turn("All is done.")
        return Turn("", control(f"ORD-{self.turns}", 100 if self.turns < self.many else 50000, self.turns))


def control(order: str, cents: int, turn: int) -> dict[str, Any]:
    """One refund that returns control."""
    values = {"orderId": ("string", order), "amountCents": ("integer", str(cents))}
    given = [{"name": name, "type": declared, "value": value} for name, (declared, value) in values.items()]
    call = {"actionGroup": "Refunds", "function": "issueRefund", "actionInvocationType": "RESULT", "parameters": given}
    return {"invocationId": f"i-{turn}", "invocationInputs": [{"functionInvocationInput": call}]}


@pytest.mark.parametrize("many", [25, LONGEST_CHAIN - 1])
def test_a_call_that_was_settled_at_the_beginning_of_a_long_chain_does_not_run_again(many: int) -> None:
    with desk() as made:
        made._runtime = Long(many)  # type: ignore[assignment]
        made.say("refund them all")
        for _ in range(many):
            head = made.heads()[-1]
            if head.open_calls:
                break
            made.clock.move(1)
            made.resumes(head.pause)
        head = made.seen(made.heads()[-1].pause)
        assert (len(made.heads()), head.open_calls) == (many, 1)
        made.late()
        made.ends(head, 1, "accept")
        made.resumes(head.pause)
        paid = [order for order, _ in made.paid()]
        assert sorted(paid) == sorted({*paid}), "an order was paid twice"
        assert made.status().completion == "All is done."


def test_a_pause_of_another_run_answers_nothing_whoever_names_it_as_the_one_before() -> None:
    with desk() as made:
        theirs = made.asks(ONE)
        made.ends(theirs, 1, "accept")
        made.resumes(theirs.pause)
        made.say("refund ORD-8 60000", run="conversation-2")
        mine = opened(made.ports, made.heads()[-1].pause)
        named = replace(mine, body=replace(mine.body, ref=mine.body.ref | {"parent": theirs.pause}))
        native = made.native(theirs) | {"session": "conversation-2-r1", "parent": mine.head.pause}
        again = read("conversation-2", native)
        assert repeated(made.ports, named, again, {}) == {}
        own = opened(made.ports, theirs.pause)
        assert repeated(made.ports, own, again, {}) == {1: f"{theirs.pause}-1"}, "of its own run it answers"
