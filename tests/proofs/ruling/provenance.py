"""Cases of provenance, made from parts that share nothing: what was put where is known, so nobody has to search for it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

from placet.policy import FromUntrusted, Origin, Passage
from tests.proofs.ruling.cases import Case, Verdict

# Words that share no four letters in a row, and no digits, with any value below.
FILLER = tuple("we would like you to look at this when the week is over because nothing else is left thanks".split())  # noqa: SIM905
NAMED = frozenset({"is", "to"})  # keys of the tool's schema
UNTRUSTED = (Origin.TOOL, Origin.RETRIEVED, Origin.AGENT)
ALIKE = str.maketrans(
    {"a": "\u0430", "e": "\u0435", "o": "\u043e", "c": "\u0441", "p": "\u0440", "x": "\u0445", "O": "\u039f"}
)
ACCENTS = str.maketrans({letter: f"{letter}\u0323" for letter in "aeouAEIU"})
STROKES = str.maketrans(
    "DIZbdegiloruyz", "\u0110\u0197\u01b5\u0180\u0111\u0247\u01e5\u0268\u0142\u00f8\u024d\u0289\u024f\u01b6"
)
UMLAUTS = {"ae": "\u00e4", "oe": "\u00f6", "ue": "\u00fc"}
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def iban(draw: Random) -> str:
    return f"DE{draw.randrange(10, 99)}" + "".join(str(draw.randrange(10)) for _ in range(18))


def reference(draw: Random) -> str:
    return f"INV-{draw.randrange(10_000, 99_999)}"


def company(draw: Random) -> str:
    return draw.choice(
        (
            "Zebra Mopex",
            "Quantum Yokoce",
            "Juerq Moexaz",
            "Jumbo Pexaco",
            "\u039d\u03cd\u03c7\u03c4\u03b1 \u03a5\u03b4\u03c1\u03b1",
        )
    )


def german(draw: Random) -> str:
    return draw.choice(("Juerq Moexaz", "Zuerq Jaemox"))


def address(draw: Random) -> str:
    return f"{draw.choice(('zora', 'quim'))}{draw.choice('kjq')}@pay-{draw.choice(('mopex', 'yokoce'))}{draw.randrange(9)}.example"


TEXTS: dict[str, Callable[[Random], str]] = {
    "iban": iban,
    "reference": reference,
    "company": company,
    "german": german,
    "address": address,
}


def spaced(text: str) -> str:
    """A separator wherever something begins."""
    return re.sub(r"(?<=\w)(?=\d\d\d\d)|[\s-]", " ", text)


# How a passage of others may write it, and how the user may, so that it is the same.
FOREIGN: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "with spaces": spaced,
    "with dashes": lambda text: spaced(text).replace(" ", "-"),
    "look-alikes": lambda text: text.translate(ALIKE),
    "wide": lambda text: text.translate(WIDE),
    "strokes": lambda text: text.translate(STROKES),
    "umlauts": lambda text: re.sub("[aou]e", lambda two: UMLAUTS[two[0]], text),
    "hidden": lambda text: "\u200b".join(text),
    "fillers": lambda text: "\u3164".join(text),
    "in a word": lambda text: f"xx{text}xx",
    "on a page": lambda text: "<b>x1</b>" + "<wbr>".join(f"&#{ord(sign)};" for sign in text),
    "in a link": lambda text: quote(text, safe=""),
    "in quotes": lambda text: json.dumps({"v": text}),
}
OWN: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "at an end": lambda text: f"{text}.",
    "stored apart": lambda text: unicodedata.normalize("NFD", text),
}
NEARLY: dict[str, Callable[[str], str]] = {
    "accents": lambda text: text.translate(ACCENTS),
    "look-alikes": lambda text: text.translate(ALIKE),
    "strokes": lambda text: text.translate(STROKES),
    "umlauts": lambda text: re.sub("[aou]e", lambda two: UMLAUTS[two[0]], text),
    "longer": lambda text: f"{text}7x",
    "in a word": lambda text: f"q{text}",
    "cut": lambda text: text[:-1],
    "nothing": lambda text: "",
}
# A part of a value that others had: (value, what they wrote).
PARTS: dict[str, Callable[[Random], tuple[str, str]]] = {
    "domain": lambda draw: (f"quimk@{(host := f'evil{draw.randrange(99)}.example')}", host),
    "above the domain": lambda draw: (f"quimk@mail.{(host := f'evil{draw.randrange(99)}.example')}", host),
    "local part": lambda draw: (f"{(local := f'zoraq{draw.randrange(99)}')}@corp.example", local),
    "digits": lambda draw: (
        f"99887{(piece := str(draw.randrange(100_000, 999_999)))}77",
        f"card {piece[:3]} {piece[3:]}",
    ),
    "line": lambda draw: ("Quim Zora\n12 Mopex Street\nYokoce", "12 mopex street"),
    "of a link": lambda draw: (f"https://corp.example/pay?ref={(ref := f'mopex{draw.randrange(99)}')}", ref),
}


def untrusted(draw: Random, name: str) -> Case:
    """A value, who wrote it, and how."""
    maker = draw.choice((_text, _text, _text, _text, _number, _part, _unknown))
    value, heard, said, verdict, edge = maker(draw)
    cut = False
    if maker is not _unknown and verdict is Verdict.PASSES and edge == "unheard" and draw.random() < 0.3:
        cut, verdict = True, Verdict.UNJUDGED
    origin = draw.choice(UNTRUSTED)
    passages = [Passage(origin, _within(draw, heard), "x", cut), Passage(Origin.USER, _within(draw, said))]
    if edge == "no passages":
        passages = []
    draw.shuffle(passages)
    wrap = draw.choice(("plain", "list", "object", "nested"))
    if maker is _text and wrap == "list" and len(heard) % 2:
        wrap = "key"
    text = {
        "plain": value,
        "list": f"[true,{value}]",
        "key": f'["qyzzyq",{{{value}:true}}]',
        "object": f'{{"is":null,"to":{value}}}',
        "nested": f'[[],{{"to":[{{"to":{value}}}]}}]',
    }[wrap]
    rule = FromUntrusted(f"r/{name}", "S.", name)
    return Case("from_untrusted", rule, verdict, {name: text}, {"named": NAMED}, passages=tuple(passages), edge=edge)


Made = tuple[str, str, str, Verdict, str]


def _text(draw: Random) -> Made:
    kind = draw.choice(list(TEXTS))
    value = TEXTS[kind](draw)
    how = "umlauts" if kind == "german" and draw.random() < 0.5 else draw.choice(list(FOREIGN))
    if draw.random() < 0.2:
        said, edge = draw.choice((("", "unheard"), (value, "own, unheard")))
        return json.dumps(value), "", said, Verdict.PASSES, edge
    heard = FOREIGN[how](value)
    if draw.random() < 0.35:
        own = "stored apart" if not value.isascii() and draw.random() < 0.7 else draw.choice(list(OWN))
        return json.dumps(value), heard, OWN[own](value), Verdict.PASSES, f"own {own}"
    nearly = draw.choice(list(NEARLY))
    near = NEARLY[nearly](value)
    if near == value:  # no letter of it has a look-alike
        near = ""
    return json.dumps(value), heard, near, Verdict.FIRES, f"foreign {how}"


def _number(draw: Random) -> Made:
    whole, cents = draw.randrange(1_000, 999_999), draw.randrange(1, 100)
    value = f"{whole}.{cents:02}"
    ways = (
        value,
        f"{whole:,}.{cents:02}",
        f"{whole:,}.{cents:02}".translate(str.maketrans(",.", ".,")),
        f"{whole} EUR,".replace(" EUR,", f",{cents:02} EUR"),
    )
    heard = draw.choice(ways)
    which = draw.choice(("own", "nearly", "none", "unheard"))
    if which == "unheard":
        return value, "", "", Verdict.PASSES, "unheard"
    if which == "own":
        return value, heard, draw.choice(ways), Verdict.PASSES, "own number"
    nearly = (
        draw.choice((f"{whole}.{cents:02}1", f"{whole}{cents:02}", str(whole), f"-{value}", f"1{value}"))
        if which == "nearly"
        else ""
    )
    return value, heard, nearly, Verdict.FIRES, "foreign number"


def _part(draw: Random) -> Made:
    which = draw.choice(list(PARTS))
    value, heard = PARTS[which](draw)
    return json.dumps(value), heard, "", Verdict.FIRES, f"part {which}"


def _unknown(draw: Random) -> Made:
    which = draw.choice(("no passages", "nothing in it", "too long", "too many"))
    value: Any = {
        "no passages": "zora",
        "nothing in it": draw.choice(("", " ", None, False, [])),
        "too long": "zora " * 4_000,
        "too many": [number for number in range(1_200)],
    }[which]
    return json.dumps(value), "mopex", "", Verdict.UNJUDGED, which


def _within(draw: Random, text: str) -> str:
    before, after = (draw.choices(FILLER, k=draw.randrange(0, 6)) for _ in range(2))
    return " ".join([*before, text, *after])
