"""How somebody is called whose name comes from the company's sign-in, where they may have chosen it themselves.

Beside the name always stands who they are, so that nobody reads as another reviewer; and a name that says more than a name
("Jonas Weber for Maria Keller", "Maria Keller (finance)") is not shown at all, so that nobody reads as standing in.
"""

from __future__ import annotations

import re
import unicodedata

from placet.model.characters import is_blank

LONGEST = 200  # characters of a name and of an address
_OUR_WORDS = frozenset({"for", "in place of", "on behalf of", "instead of"})
_SIGNS = re.compile(r"""[()\[\]{}<>@:;,"|/\\&+=\u00ab\u00bb\u2010-\u201f\u2190-\u21ff]""")
_ADDRESS = re.compile(r"[^\s()<>\[\],:;\"\\]+@[^\s()<>\[\],:;\"\\]+")


def shown_name(name: str, email: str, sub: str) -> str:
    """The name with the address beside it, the address alone where the name says more; the `sub` for an address that is none."""
    who = email if len(email) <= LONGEST and _ADDRESS.fullmatch(email) and _is_plain(email) else sub
    return f"{name} ({who})" if _is_a_name(name) else who


def _is_a_name(name: str) -> bool:
    """Whether a text is a name and nothing beside it: visible, of one script, without our words and the signs around them."""
    text = unicodedata.normalize("NFKC", name).casefold()
    if is_blank(name) or len(name) > LONGEST or _SIGNS.search(text) or not _is_plain(name):
        return False
    words = " ".join(re.findall(r"[^\W_]+", text))
    return not any(f" {one} " in f" {words} " for one in _OUR_WORDS)


def _is_plain(text: str) -> bool:
    from placet.model.visible import is_clean  # what shows letters as they are is not read where nobody is named

    return is_clean(text)
