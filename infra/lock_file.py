"""What placet.lock.json may hold. People write in it, to take out what they have settled: nothing in it is believed unread.

An installation is one account and region, for the names of the stacks are fixed; its prefix stands among what is known of it:

    {"installations": {"123456789012/eu-central-1": {"login_domain_prefix": "placet", "epoch": 1, …}}}

A lock of an older release holds what stands there for one installation, and does not say which: it is read as nobody's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NoReturn

from infra import bounds
from infra.policy_version import KEY as VERSIONS

INSTALLATIONS = "installations"
NAMED = re.compile(r"\d{12}/[a-z]{2,8}(?:-[a-z0-9]+){1,4}-\d{1,2}", re.ASCII)
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


@dataclass(frozen=True)
class Known:
    """What is known to be deployed, and where: "account/region", or empty of a lock that does not say, and without one."""

    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""

    @property
    def whose(self) -> str:
        return f" of {self.where}" if self.where else ""


@dataclass(frozen=True)
class Lock:
    """All that a lock says: by installation, or of one that it does not name."""

    named: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unnamed: Mapping[str, Any] = field(default_factory=dict)

    def of(self, installation: str = "") -> Known:
        """What is known of an installation; of the only one when nobody says which, and of none where there are several."""
        if self.unnamed:
            return Known(self.unnamed)
        if installation:
            return Known(self.named.get(installation, {}), installation)
        ((where, values),) = self.named.items() if len(self.named) == 1 else [("", {})]
        return Known(values, where)

    def with_(self, installation: str, values: Mapping[str, Any]) -> Lock:
        """The lock once an installation is written down: what named none is taken for this one."""
        return Lock({**self.named, installation: values})

    @property
    def text(self) -> str:
        """As it stands in the file, with entries in one order, so that two that were added are merged by git."""
        return json.dumps({INSTALLATIONS: dict(sorted(self.named.items()))}, indent=2) + "\n"


def read_lock(text: str) -> Lock:
    """What the text of a lock holds. Raises ValueError with what is wrong with it, in a sentence's second half."""
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error}") from None
    except RecursionError:
        raise ValueError("is no JSON that anything wrote here: it is nested without an end") from None
    if not isinstance(found, dict):
        raise ValueError("is no object")
    if INSTALLATIONS not in found:
        return Lock(unnamed=_entry(found))
    if beside := sorted(found.keys() - {INSTALLATIONS}):
        raise ValueError(f"has {beside[0]!r} beside {INSTALLATIONS}, and it belongs into one of them")
    named = found[INSTALLATIONS]
    if not isinstance(named, dict) or not all(NAMED.fullmatch(one) and isinstance(named[one], dict) for one in named):
        raise ValueError(f"has {INSTALLATIONS} that are not all objects named like 123456789012/eu-central-1")
    return Lock({name: _entry(entry) for name, entry in named.items()})


def _entry(found: dict[str, Any]) -> dict[str, Any]:
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
