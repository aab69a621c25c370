"""Whether what was typed of a reviewer can be used as it stands: mail is sent to the address, and pages show the name."""

from __future__ import annotations

import re

from placet.model.characters import is_blank
from placet.model.visible import one_line

LONGEST_ADDRESS = 254  # RFC 5321, 4.5.3.1.3, without its angle brackets
LONGEST_SUB = 128  # of a user pool
LONGEST_NAME = 200
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
# What SES sends to: an unquoted local part of ASCII, and a domain in the letters of the DNS (Punycode for others).
_ADDRESS = re.compile(rf"(?=.{{1,64}}@){_ATOM}(?:\.{_ATOM})*@(?:{_LABEL}\.)+{_LABEL}")
_SUB = re.compile(r"[^\s#]+")


def is_address(text: str) -> bool:
    """Whether a text is one bare mail address: no list, display name, scheme or space, which would be mailed to somebody else."""
    return len(text) <= LONGEST_ADDRESS and _ADDRESS.fullmatch(text) is not None


def wrong_address(text: str) -> str:
    """What is wrong with an address; empty when it can be used."""
    return "" if is_address(text) else f"{_shown(text)} is no mail address: one alone is wanted, like name@example.com."


def wrong_sub(text: str) -> str:
    """What is wrong with a `sub`; empty when it can be used."""
    if len(text) <= LONGEST_SUB and _SUB.fullmatch(text) and one_line(text) == text and not is_blank(text):
        return ""
    return f"{_shown(text)} is no sub: that has 1 to {LONGEST_SUB} characters that are seen, without spaces and '#'."


def wrong_name(text: str) -> str:
    """What is wrong with a name; empty when it can be used."""
    if is_blank(text):
        return "A name is missing: people are shown to each other by it."
    if len(text) > LONGEST_NAME or one_line(text) != text:
        return f"{_shown(text)} is no name: that is one line of at most {LONGEST_NAME} characters that are seen."
    return ""


def _shown(text: str) -> str:
    """As it was typed, on one line and not at any length."""
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
