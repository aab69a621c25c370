"""Maria under every spelling of her name: as requester and as owner, on the page and in JSON, she accepts nothing of her own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

from placet.model.pauses import Reviewer
from placet.model.states import CallState
from placet.service import members
from tests.gateway import REFUND, SUPPORT, native
from tests.proofs.forging.house import House
from tests.proofs.forging.tally import Tally

KIND = "a person's own name, spelled"
SUB = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"
ADDRESSES = ("maria.keller@example.com", "m.keller@b\u00fccher.example")
ANOTHER = "jonas@example.org"
OTHERS = ("elif@example.com", "maria.keller@example.org", "the night shift")
HIDDEN = ("\u200b", "\u00ad", "\ufeff", "\u2060", "\u180e", "\U000e0061", "\u3164")


def wide(text: str) -> str:
    """In full-width letters."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


def _hidden(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(HIDDEN) + text[place:]


def _quoted(text: str, dice: random.Random) -> str:
    local, _, domain = text.rpartition("@")
    return f'"{local}"@{domain}'


def _punycode(text: str, dice: random.Random) -> str:
    local, _, domain = text.rpartition("@")
    return f"{local}@{domain.encode('idna').decode()}" if domain else text


# How a name is spelled, and how a spelled name is written down; one of each and a hidden sign may come together.
Way = Callable[[str, random.Random], str]
SPELLED: list[Way] = [
    lambda text, dice: text,
    lambda text, dice: text.upper(),
    lambda text, dice: text.title(),
    lambda text, dice: "".join(sign.upper() if dice.random() < 0.5 else sign for sign in text),
    lambda text, dice: wide(text),
    lambda text, dice: text.replace("e", "\U0001d41e", 1),
    _hidden,
]
OF_ADDRESSES: list[Way] = [
    lambda text, dice: text.replace("@", " @ "),
    lambda text, dice: text.replace("@", "(finance)@"),
    lambda text, dice: text + ".",
    lambda text, dice: text.replace(".", "\u3002") if "@b" in text else text,
    _quoted,
    _punycode,
]
WRITTEN: list[Way] = [
    lambda text, dice: f"  {text}\t",
    lambda text, dice: f"Maria Keller <{text}>",
    lambda text, dice: f'"Keller, Maria" <{text}>',
    lambda text, dice: f"Maria Keller ({text})",
    lambda text, dice: f"{text} (Maria Keller)",
    lambda text, dice: f"'{text}'",
    lambda text, dice: f"{ANOTHER}; {text}",
    lambda text, dice: f"mailto:{text}?subject=refund",
    lambda text, dice: f"mailto:{text.replace('@', '%40')}",
    lambda text, dice: f"user {text}, by chat",
]


def spellings(dice: random.Random, many: int) -> list[tuple[str, bool]]:
    """Texts, and whether each is Maria: every way alone, then drawn ones together, and as many of somebody else."""
    whole = [(way(name, dice), True) for name in (SUB, *ADDRESSES) for way in (*SPELLED, *WRITTEN)]
    whole += [(way(name, dice), True) for name in ADDRESSES for way in OF_ADDRESSES]
    while len(whole) < many:
        name = dice.choice((SUB, *ADDRESSES))
        text = dice.choice(SPELLED)(name, dice)
        if "@" in text and dice.random() < 0.5:
            text = dice.choice(OF_ADDRESSES)(text, dice)
        whole.append((dice.choice(WRITTEN)(text, dice), True))
    others = [*OTHERS, ADDRESSES[0].replace("@", "+tag@"), ADDRESSES[0].replace("maria", "m\u0430ria")]
    return whole + [(way(name, dice), False) for name in others for way in (SPELLED[0], *WRITTEN[:3])]


def tried(house: House, tally: Tally, dice: random.Random, many: int, times: int) -> None:
    """Each spelling as requester and as owner, accepted by Maria on the page and in JSON; in turns when `times` is below four."""
    _seated(house)
    ways = itertools.cycle(itertools.product(("requester", "owner"), (False, True)))
    for text, is_maria in spellings(dice, many):
        for _ in range(times):
            role, by_page = next(ways)
            _one(house, tally, text, is_maria, role, by_page)
    house.agents_of = (SUPPORT, *house.agents_of[1:])


def _one(house: House, tally: Tally, text: str, is_maria: bool, role: str, by_page: bool) -> None:
    house.clock.at_ms += 1
    house.agents_of = (replace(SUPPORT, owner=text if role == "owner" else "owner@example.com"), *house.agents_of[1:])
    body = {"framework": "langchain", "run": "names", "native": native(REFUND, checkpoint=f"n{house.clock.at_ms}")}
    status, told = house.agent(SUPPORT, "POST /v1/pauses", body | ({"requester": text} if role == "requester" else {}))
    if status == 422 and role == "requester" and text.startswith(ANOTHER):  # a requester is one person
        tally.tried(KIND)
        tally.must(told["problems"][0]["at"] == "requester", f"{KIND}: {text!r}: {told}")
        return
    if status != 201:
        tally.must(False, f"{KIND}: {role} {text!r} was not taken: {status} {told}")
        return
    head = house.show(house.head(told["pause"]))
    answer = house.accept(head, SUB, by_page=by_page)
    accepted = house.head(head.pause).calls[0].state is CallState.ACCEPTED
    house.forgets(head.pause)
    how = f"{role} {text!r}, {'page' if by_page else 'JSON'}: {answer}"
    if not is_maria:
        tally.taken(KIND, accepted, how)
        return
    tally.tried(KIND)
    tally.accepted_by_self += accepted
    tally.must(not accepted, f"{KIND}: accepted by herself: {how}")
    tally.must(accepted or answer == 403, f"{KIND}: {how}, 403 was wanted")


def _seated(house: House) -> None:
    """Maria has two memberships, each entered with another address."""
    for address, group in zip(ADDRESSES, ("approvers", "finance"), strict=True):
        members.add(house.ports, Reviewer(SUB, "Maria Keller", address), group)
