"""Touches: every call of a process to something outside itself, so that it can be made to fail or to be the last one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from placet.service.ports import Ports


class Crash(BaseException):
    """The process is gone. No `except Exception` of the product may catch it."""


@dataclass(frozen=True)
class Touch:
    """One call to something outside.

    Attributes:
        by: the function or process that calls.
        what: `port.method`.
        act: carries it out; may be called twice or never.
    """

    by: str
    what: str
    act: Callable[[], Any]


Hook = Callable[[Touch], Any]

# Neither can fail nor be died of: the clock, the log, values.
_OUTSIDE = ("table", "bodies", "waits", "timers", "mail", "agents", "ids", "verbs")


class Touched:
    """A port whose every method goes through a hook."""

    def __init__(self, by: str, name: str, port: Any, hook: Hook) -> None:
        self._by, self._name, self._port, self._hook = by, name, port, hook

    def __getattr__(self, method: str) -> Callable[..., Any]:
        found = getattr(self._port, method)

        def touch(*given: Any, **named: Any) -> Any:
            act = functools.partial(found, *given, **named)
            return self._hook(Touch(self._by, f"{self._name}.{method}", act))

        return touch


def touched(ports: Ports, by: str, hook: Hook) -> Ports:
    """The same ports, each behind the hook."""
    return replace(ports, **{name: Touched(by, name, getattr(ports, name), hook) for name in _OUTSIDE})
