"""The root key of each start: made anew, kept beside what runs, and found again by the address that it is good for."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from local.emulator.signatures import Key
from local.run_state import read_state
from local.settings import LocalSettings

NONE = Key("none", "none")  # signs what goes to an address that is no start's
_made: dict[int, Key] = {}


def new_root(ports: tuple[int, ...]) -> Key:
    """A root key for a start on these ports; this process knows it from now on."""
    key = Key(f"AKIA{secrets.token_hex(8).upper()}", secrets.token_urlsafe(30))
    know(ports, key)
    return key


def know(ports: tuple[int, ...], key: Key) -> None:
    """Sign with it what goes to these ports."""
    _made.update(dict.fromkeys(ports, key))


def root_at(url: str) -> Key:
    """The root key of the start that listens at this address: this process's own, or one of the same home."""
    port = urlsplit(url).port or 80
    return _made.get(port) or _noted(port) or NONE


def _noted(port: int) -> Key | None:
    """What the starts of this home noted for their owner's eyes."""
    for run in LocalSettings.from_environment().home.glob("run*"):
        state = read_state(run) or {}
        if port in state.get("ports", ()):
            return Key(*state["root"])
    return None
