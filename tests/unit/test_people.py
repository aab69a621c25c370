"""Two spellings of one person are one person, wherever people are compared: at the write, on the page, for a mail."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.http.bodies import CaptureBody, checked
from placet.http.turns import InvokeBody
from placet.local.memory import MemoryTable
from placet.model.errors import Invalid, NotAllowed
from placet.model.pauses import Agent, Reviewer
from placet.model.people import is_comparable, is_one_person, is_same_person, names_in, spellings
from placet.model.states import Verdict
from placet.records.ops import Op, Update
from placet.service import members, review
from tests.gateway import REFUND, SUPPORT, Gateway
from tests.unit.written import FLOWS


def wide(text: str) -> str:
    """In full-width letters, as some keyboards write them."""
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


SUB = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"
MARIA = frozenset({SUB, "maria@example.com"})
SPELLINGS = [
    "maria@example.com",
    SUB,
    SUB.upper(),
    f"urn:uuid:{SUB}",
    f"Maria Keller ({SUB})",
    "MARIA@example.com",
    "Maria@Example.com",
    "maria@EXAMPLE.com",
    "maria@example.com ",
    "\u3000\tmaria@example.com\n",
    "maria @ example.com",
    "ma ria@example.com",
    "Maria Keller <maria@example.com>",
    '"Keller, Maria" <maria@example.com>',
    "<maria@example.com>",
    "maria@example.com Maria Keller",
    "maria@example.com (Maria (finance))",
    "Maria (maria@example.com)",
    "maria(work)@example.com",
    "maria@(work)example.com",
    "Maria Keller (maria(work)@example.com)",
    "mailto:maria(work)%40example.com",
    "mailto:%6Daria%40example.com",
    '"maria"@example.com',
    '"m\\aria"@example.com',
    "'maria@example.com'",
    "mailto:maria@example.com",
    "MAILTO:maria@example.com?subject=refund",
    "mailto:maria%40example.com",
    wide("maria@example.com"),
    wide("Maria") + "@example.com",
    "\U0001d426aria@example.com",
    "maria@example\u3002com",
    "maria@example.com.",
    "ma\u200bria@example.com",
    "maria@exam\u00adple.com",
    "\ufeffmaria@example.com\u2060",
    "maria\U000e0020@example.com",
    "jonas@example.com; maria@example.com",
    "for maria@example.com, asked by jonas@example.com",
    "<mailto:maria@example.com|maria@example.com>",
    "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/maria@example.com",
    "AWSReservedSSO_Admin_abc/Maria@Example.com",
    "i:0#.f|membership|maria@example.com",
    "live.com#maria@example.com",
    "maria_example.com#EXT#@contoso.onmicrosoft.com",
    "tenant/maria_example.com#EXT#@contoso.onmicrosoft.com",
    "emailAddress=maria@example.com,CN=Maria,O=X",
    "CN=Maria/emailAddress=maria@example.com/O=X",
    "oidc|maria@example.com",
    "https://example.com/people?email=maria%40example.com",
    "maria@example.com/jonas",
    "maria@example.com|slack",
    "maria@example.com#work",
    "maria@example.com&tenant=1",
    "['maria@example.com']",
    '{"email":"maria@example.com"}',
    "maria\\@example.com",
    "%256Daria@example.com",
    "mailto:maria%2540example.com",
]
OTHERS = [
    "",
    " ",
    "\u3164",
    "maria",
    "Maria Keller",
    "aria@example.com",
    "maria@example.com.evil.example",
    "maria@example.org",
    "maria@sub.example.com",
    "maria+refunds@example.com",
    "m.aria@example.com",
    "m\u0430ria@example.com",
    "jonas@example.com",
    "role/jonas@example.com",
    "maria/jonas@example.com",
    "jonas_example.com#EXT#@contoso.onmicrosoft.com",
    "o'maria@example.com",
    SUB[:-1] + "e",
    f"a{SUB}",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_of_a_person_is_that_person(text: str) -> None:
    assert is_same_person(text, MARIA)
    assert is_comparable(text)
    assert text in spellings(MARIA, text)


@pytest.mark.parametrize("text", OTHERS)
def test_tags_dots_look_alikes_and_other_people_are_somebody_else(text: str) -> None:
    assert not is_same_person(text, MARIA)
    assert spellings(MARIA, text) == MARIA


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("maria@xn--bcher-kva.example", "maria@BÜCHER.example"),
        ("maria@XN--BCHER-KVA.example", "maria@bu\u0308cher.example"),
        ("maria@xn--strae-oqa.example", "maria@strasse.example"),
        ("maria@xn--fsqu00a.example", "maria@\u4f8b\u5b50.example"),
    ],
)
def test_a_domain_in_punycode_is_the_domain(one: str, other: str) -> None:
    assert is_same_person(one, {other})
    assert is_same_person(other, {one})


@pytest.mark.parametrize(
    "text", ["maria", "the night shift", "@", "maria@", "@example.com", "order:1182", SUB[:-1], ""]
)
def test_neither_address_nor_sub_cannot_be_compared(text: str) -> None:
    assert not is_comparable(text)


@given(st.text(max_size=256))
def test_any_text_has_names_and_is_itself(text: str) -> None:
    assert is_same_person(text, {text}) == bool(names_in(text))
    assert is_same_person(text.upper(), {text.upper().casefold()}) or not names_in(text)


ODD = [
    "\ufdfa" * 256,
    "(" * 128 + ")" * 128,
    "a@" * 128,
    '"' * 256,
    '"\\' * 128,
    "a" * 255 + "@",
    "%40" * 85,
    "a@xn--" + "9" * 250,
    "_" * 120 + "#ext#@a",
    "|" * 120 + "@" + "|" * 120,
]


@pytest.mark.parametrize("text", ODD, ids=lambda text: text[:5])
def test_an_odd_text_is_read_at_once(text: str) -> None:
    began = time.process_time()
    names_in(text)
    assert time.process_time() - began < 0.25


# --- where it counts ---------------------------------------------------------------------------------------------------


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
