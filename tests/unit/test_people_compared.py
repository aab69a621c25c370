"""Whoever asks for a call, or answers for its agent, is known in every spelling: where somebody decides, and in a body."""

from __future__ import annotations

import pytest

from local.memory import MemoryTable
from placet.http.bodies import checked
from placet.http.bodies.agents import CaptureBody
from placet.http.turns import InvokeBody
from placet.model.errors import Invalid, NotAllowed
from placet.model.pauses import Agent, Reviewer
from placet.model.people import is_one_person
from placet.model.states import Verdict
from placet.records.ops import Op, Update
from placet.service import members, review
from tests.gateway import REFUND, SUPPORT, Gateway
from tests.unit.flows import FLOWS
from tests.unit.test_people import SPELLINGS, SUB, wide


def spelled(who: str) -> list[str]:
    return [
        who.upper(),
        f" {who} ",
        f"Somebody <{who}>",
        f"mailto:{who}",
        wide(who),
        f"{who[0]}\u200b{who[1:]}",
    ]


NAMES = ["maria", "MARIA", "maria@example.com", *spelled("maria@example.com")]


@pytest.mark.parametrize("asked", NAMES)
@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.REJECT])
def test_nobody_decides_what_they_asked_for_under_any_spelling(gateway: Gateway, asked: str, verdict: Verdict) -> None:
    head = gateway.shown(REFUND, requester=asked)
    with pytest.raises(NotAllowed) as caught:
        gateway.decide(head, 1, verdict)
    assert caught.value.code == "requester_may_not_decide"
    shown = review.detail(gateway.ports, gateway.maria, head.pause)
    assert (shown.calls[0].may_decide, shown.calls[0].why_not[:15]) == (False, "The agent says ")
    assert shown.requester == asked
    assert "maria@example.com" not in [note.to_email for note in gateway.mail.sent]
    gateway.decide(head, 1, verdict, gateway.jonas)


@pytest.mark.parametrize("owner", NAMES)
def test_nobody_decides_for_their_own_agent_under_any_spelling(gateway: Gateway, owner: str) -> None:
    head = gateway.shown(REFUND, agent=Agent(SUPPORT.name, SUPPORT.role, owner, "pick_up"))
    with pytest.raises(NotAllowed) as caught:
        gateway.decide(head, 1, Verdict.ACCEPT)
    assert caught.value.code == "owner_may_not_decide"
    assert review.detail(gateway.ports, gateway.maria, head.pause).calls[0].why_not.startswith("You answer for")
    assert "maria@example.com" not in [note.to_email for note in gateway.mail.sent]
    gateway.decide(head, 1, Verdict.ACCEPT, gateway.jonas)


@pytest.mark.parametrize("requester", ["olga@example.com", "Olga.K@Example.com", "olga"])
@pytest.mark.parametrize("first", ["olga@example.com", "olga.k@example.com"])
def test_every_membership_s_address_is_the_person_s(gateway: Gateway, requester: str, first: str) -> None:
    second = "olga.k@example.com" if first == "olga@example.com" else "olga@example.com"
    for address, group in ((first, "approvers"), (second, "finance")):
        members.add(gateway.ports, Reviewer("olga", "Olga", address), group)
    head = gateway.shown(REFUND, requester=requester)
    with pytest.raises(NotAllowed):
        gateway.decide(head, 1, Verdict.ACCEPT, members.reviewer(gateway.ports, "olga"))


@pytest.mark.parametrize("kept", ["Maria Keller <maria@example.com>", wide("MARIA@example.com")])
def test_a_membership_with_a_spelled_out_address_is_compared_too(gateway: Gateway, kept: str) -> None:
    members.add(gateway.ports, Reviewer("m2", "Maria", kept), "finance")
    head = gateway.shown(REFUND, requester="maria@example.com")
    with pytest.raises(NotAllowed):
        gateway.decide(head, 1, Verdict.ACCEPT, members.reviewer(gateway.ports, "m2"))


class Watched(MemoryTable):
    """A table that keeps the paths that updates touch."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[tuple[str, ...]] = set()

    def write(self, ops: list[Op]) -> None:
        self.touched |= {path for op in ops if isinstance(op, Update) for path in (*op.set, *op.add, *op.remove)}
        super().write(ops)


def test_nothing_ever_changes_who_asked_or_who_answers_for_the_agent() -> None:
    """That is why their spelling may be read before the write that compares it."""
    table = Watched()
    for flow in FLOWS.values():
        flow(Gateway(table=table))
        table.items.clear()
    assert {path[0] for path in table.touched} >= {"calls", "state", "open_calls", "fence", "wpk"}
    assert not {path for path in table.touched if path[0] in ("requester", "owner")}


@pytest.mark.parametrize(("asked", "found"), [("the night shift", ("requester",)), ("jo@example.com", ()), ("", ())])
def test_who_cannot_be_compared_is_told(gateway: Gateway, asked: str, found: tuple[str, ...]) -> None:
    head = gateway.shown(REFUND, requester=asked)
    assert review.detail(gateway.ports, gateway.maria, head.pause).not_compared == found


def test_an_owner_of_an_earlier_registry_who_cannot_be_compared_is_told(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, agent=Agent(SUPPORT.name, SUPPORT.role, "ops", "pick_up"))
    assert review.detail(gateway.ports, gateway.maria, head.pause).not_compared == ("owner",)


@pytest.mark.parametrize(
    "text",
    [
        *(one for one in SPELLINGS if "jonas" not in one),
        "Maria Keller",
        "",
        f"{SUB}@example.com",
        "maria maria@example.com",
    ],
)
def test_a_requester_in_any_spelling_is_one_person(text: str) -> None:
    assert is_one_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "maria@example.com jonas@example.com",
        "maria@example.com,jonas@example.com",
        "Maria <maria@example.com>; Jonas <jonas@example.com>",
        "support@example.com (on behalf of maria@example.com)",
        "maria(jonas@example.com)@example.com",
        "mailto:maria@example.com?cc=jonas@example.com",
        "maria%40example.com jonas%40example.com",
        "maria%2540example.com jonas@example.com",
        wide("maria@example.com,jonas@example.com"),
        f"{SUB} maria@example.com",
        f"{SUB}|maria@example.com",
        f"{SUB} {SUB[:-1]}e",
    ],
)
def test_a_list_of_people_is_no_requester_and_the_body_says_so(text: str) -> None:
    assert not is_one_person(text)
    capture = {"framework": "langchain", "run": "r", "native": {}, "requester": text}
    for kind, body in ((CaptureBody, capture), (InvokeBody, {"run": "r", "text": "t", "requester": text})):
        with pytest.raises(Invalid) as refused:
            checked(kind, body)
        assert refused.value.code == "field_invalid"
        (problem,) = refused.value.members["problems"]
        assert problem == {"at": "requester", "problem": "A requester is one person: one address, or one sub"}
