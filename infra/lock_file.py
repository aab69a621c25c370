"""What placet.lock.json may hold. People write in it, to take out what they have settled: nothing in it is believed unread."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from infra import bounds
from infra.policy_version import KEY as VERSIONS

_INBOX = re.compile(r"(?:https?://[A-Za-z0-9._:/-]+)?")  # it stands in invitations
_DIGEST = re.compile(r"[0-9a-f]{64}")
_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "login_domain_prefix": ("text", lambda value: isinstance(value, str) and bool(value)),
    "require_mfa": ("true or false", lambda value: isinstance(value, bool)),
    "public_base_url": ("text", lambda value: isinstance(value, str)),
    "epoch": (f"a whole number from 1 to {bounds.EXACT:,}", lambda value: not bounds.amiss("epoch", value)),
    "restored_table": ("text", lambda value: isinstance(value, str)),
    "inbox": ("the address of the inbox", lambda value: isinstance(value, str) and bool(_INBOX.fullmatch(value))),
    VERSIONS: (
        "digests of 64 hexadecimal digits by version",
        lambda value: (
            isinstance(value, dict) and all(isinstance(one, str) and _DIGEST.fullmatch(one) for one in value.values())
        ),
    ),
}
NAMES = frozenset(_KINDS)


def read_lock(text: str) -> dict[str, Any]:
    """What the text of a lock holds. Raises ValueError with what is wrong with it, in a sentence's second half."""
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error}") from None
    except RecursionError:
        raise ValueError("is no JSON that anything wrote here: it is nested without an end") from None
    if not isinstance(found, dict):
        raise ValueError("is no object")
    for name, value in found.items():
        if name not in _KINDS:
            near = get_close_matches(name, _KINDS, n=1)
            raise ValueError(
                f"has {name!r}, which is none of {', '.join(_KINDS)}{f'; {near[0]} was meant' if near else ''}"
            )
        must, fits = _KINDS[name]
        if not fits(value):
            raise ValueError(f"has {json.dumps(value)[:60]} as {name}, which is {must}")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"has {', '.join(doubled)} twice")
    return dict(pairs)


def _whole(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(f"has a number of {len(digits)} digits")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"has {word}, which is no number of JSON")
