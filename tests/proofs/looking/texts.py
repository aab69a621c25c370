"""Texts that tried to cover, widen, reorder or hide, each with the characters that a page has to frame.

The first list is what was once shown wrongly; then follow kinds of it at several lengths, honest texts of many languages, and
the naughty strings of others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class Hostile:
    """One text.

    Attributes:
        suspects: characters that may stand on a page in a frame only; of hidden ones, nowhere.
        hidden: those of them that have no shape.
        turns: whether it holds letters from right to left among others.
    """

    name: str
    text: str
    suspects: str = ""
    hidden: str = ""
    turns: bool = False

    @property
    def marked(self) -> bool:
        """Whether whoever accepts it must have seen frames."""
        return bool(self.suspects or self.hidden)


ALEPH, BEH, THREE = "\u05d0\u05d1\u05d2", "\u0628\u0629\u062a", "\u0661\u0662\u0663"
ORDER = {
    "an amount behind a Hebrew word": f"pay {ALEPH} 100 / 20 {ALEPH}",
    "a host behind a Hebrew one": f"https://bank.com/{ALEPH}/evil.com",
    "Hebrew first": f"{ALEPH}.evil.com/pay 1182",
    "Arabic and a path": f"rm -rf {BEH}/home/1",
    "Arabic digits": f"{THREE}/{BEH} 12",
    "Arabic digits alone": f"{THREE} {THREE}",
    "Arabic digits in Latin": f"pay {THREE} EUR",
    "Hebrew in brackets": f"if ({ALEPH}) then (5 > 3)",
    "Hebrew and a sign": f"{ALEPH} - 100 + 5",
    "Hebrew and Arabic and one digit": f"{ALEPH} {BEH} 1",
    "Hebrew with points": "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd 12",
    "a long one": f"{ALEPH} 1 " * 40,
}
OWN_ORDER = {  # letters from right to left only: no frame turns them
    "Hebrew around a mark": "\u05d0\u05d1\u0323\u0323\u0323\u0323\u05d2\u05d3",
    "Hebrew in lines": f"{ALEPH}\n{ALEPH}",
}
ALIKE = {
    "Armenian": ("g\u0585ogle.com", "\u0585"),
    "wide letters": ("\uff50\uff41\uff59\uff50\uff41\uff4c.com", "\uff50\uff41\uff59\uff4c"),
    "mathematical": ("\U0001d429\U0001d41a\U0001d432.com", "\U0001d429\U0001d41a\U0001d432"),
    "numeral": ("paypa\u217c.com", "\u217c"),
    "dotless": ("b\u0131ll\u0131ng@x.com", "\u0131"),
    "script g": ("\u0261oogle.com", "\u0261"),
    "division slash": ("https://bank.com\u2215x.evil.com", "\u2215"),
    "fraction slash": ("https://bank.com\u2044x.evil.com", "\u2044"),
    "dot leader": ("evil\u2024com", "\u2024"),
    "ratio": ("https\u2236//evil", "\u2236"),
    "low quote": ("1\u201a000", "\u201a"),
    "Devanagari digits": ("\u0967\u0966\u0966", "\u0967\u0966"),
    "mathematical digits": ("\U0001d7ed\U0001d7ec\U0001d7ec", "\U0001d7ed\U0001d7ec"),
    "circled": ("pay \u2460", "\u2460"),
    "minus": ("\u2212500", "\u2212"),
    "Cyrillic": ("\u0440\u0430ypal.com", "\u0440\u0430"),
    "a whole label": ("\u0430\u0440\u0440\u04cf\u0435.com", "\u0430\u0440\u04cf\u0435"),
    "overlay": ("a =\u0338 b", "\u0338"),
    "thirty marks": ("b" + "\u0301" * 30, "\u0301"),
    "thirty marks on a foreign letter": ("\u0431" + "\u0301" * 30, ""),
    "enclosing marks": ("\u20dd\u20de\u20e0" * 30 + "x", "\u20dd\u20de\u20e0"),
    "marks on every letter": (
        "".join(letter + "\u0335\u0348\u0322\u0301" for letter in "delete"),
        "\u0335\u0348\u0322\u0301",
    ),
    "one in every word": ("b\u0430 " * 200, "\u0430"),  # wherever it is cut, no word is that letter alone
}
HIDDEN = {
    "zero width": ("enter\u200bprise", "\u200b"),
    "override": ("amount \u202e000,1\u202c", "\u202e\u202c"),
    "isolates": ("a \u2066b\u2069 \u2067c\u2069", "\u2066\u2067\u2069"),
    "tags": ("ok" + "".join(chr(0xE0000 + ord(letter)) for letter in "pay"), "\U000e0070"),
    "selectors": ("x" + "".join(chr(0xE0100 + ord(letter)) for letter in "pay"), "\U000e0170"),
    "filler": ("a\u3164b\u2800c\uffa0", "\u3164\u2800\uffa0"),
    "alternating wide spaces": ("ls -l" + "\u2003\u3000" * 240 + "; rm -rf /", "\u2003\u3000"),
    "one no-break space": ("rm -rf\u00a0/x", "\u00a0"),
    "control": ("\x1b[2J\x07", "\x1b\x07"),
    "private use": ("\ue000pay", "\ue000"),
    "one in every word": ("a\u200b " * 200, "\u200b"),
}
LONG = {
    "a condition of 1,900 characters": "last_login < '2024-01-01' AND plan <> 'enterprise' OR " * 36,
    "a word of 200": "x" * 200,
    "a word of 590": "W" * 590,
    "a word of 3,000": "contacts" * 375,
    "a path": "/var/lib" * 60,
    "an address": "https://example.com/" + "a1b2" * 80,
    "no blanks in Chinese": "\u6f22\u5b57" * 150,
    "lines": "line of text\n" * 60,
    "blank lines": "ls" + "\n\n" * 2 + "rm -rf /",
    "wide glyphs": "\ufdfd\U00012031" * 20,
    "tall scripts": "\u0f40\u0fb5\u0f72" * 60,
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 60,
    "hyphens": "a-" * 200,
    "dots": "." * 400,
    "quotes": "\"'" * 200,
    "markup": "<b>" * 60 + "</textarea></title>-->",
    "columns": "a\tb\t" * 60,
    "soft hyphens": "a\u00ad" * 60,
    "digits": "1" * 300,
    "underscores": "_" * 300,
}


def texts() -> list[Hostile]:
    """All of them."""
    return [*ours(), *honest(), *naughty()]


def ours() -> list[Hostile]:
    """What was once shown wrongly, and its kinds."""
    found = [
        Hostile(f"order: {name}", text, "".join(sorted({c for c in text if "\u0590" <= c <= "\u06ff"})), turns=True)
        for name, text in ORDER.items()
    ]
    found += [Hostile(f"order: {name}", text, turns=True) for name, text in OWN_ORDER.items()]
    found += [Hostile(f"alike: {name}", text, suspects) for name, (text, suspects) in ALIKE.items()]
    found += [Hostile(f"hidden: {name}", text, hidden=hidden) for name, (text, hidden) in HIDDEN.items()]
    found += [Hostile(f"long: {name}", text) for name, text in LONG.items()]
    return [*found, *_mixed()]


def honest() -> list[Hostile]:
    """Ordinary texts: nothing of them is framed, and those of right-to-left scripts keep their own order."""
    return [
        Hostile(f"honest: {name}", text) for name, text in json.loads((DATA / "honest_texts.json").read_text()).items()
    ]


def naughty() -> Iterator[Hostile]:
    """Every fourth of the big list of naughty strings; only their shape is judged."""
    for number, text in enumerate(json.loads((DATA / "blns.json").read_text())[::4]):
        if isinstance(text, str) and text:
            yield Hostile(f"naughty: {number}", text, turns=any("\u0590" <= c <= "\u06ff" for c in text))


def _mixed() -> Iterator[Hostile]:
    """Each kind of letter from right to left at several lengths, beside a digit and beside Latin."""
    for kind, word in (("R", ALEPH), ("AL", BEH), ("AN", THREE)):
        for beside in ("1", "a", "\u4e00"):
            for times in (1, 7, 60):
                text = f"{word} {beside} " * times
                yield Hostile(f"order: {kind} beside {beside}, {times} times", text, word, turns=True)
