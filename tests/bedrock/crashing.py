"""A process that dies at one moment: before or after the n-th call of a port."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from placet.service.ports import Ports

WRAPPED = ("table", "runtime", "executors", "ids")


class Died(BaseException):
    """The process is gone; nothing in it runs any more."""


class Moment:
    """Counts the calls of all ports, and ends the process at one of them.

    Attributes:
        calls: what was called so far, `port.method`.
    """

    def __init__(self, at: int = 0, *, after: bool = False) -> None:
        self.calls: list[str] = []
        self._at = at
        self._after = after

    def ports(self, ports: Ports) -> Ports:
        """The same ports, each call counted."""
        return replace(ports, **{name: _Port(getattr(ports, name), name, self) for name in WRAPPED})

    def pass_through(self, name: str, call: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """One call, unless this is the moment."""
        self.calls.append(name)
        dies = len(self.calls) == self._at
        if dies and not self._after:
            raise Died
        result = call(*given, **named)
        if dies:
            raise Died
        return result


class _Port:
    def __init__(self, inner: Any, name: str, moment: Moment) -> None:
        self._inner, self._name, self._moment = inner, name, moment

    def __getattr__(self, method: str) -> Any:
        call = getattr(self._inner, method)
        return lambda *given, **named: self._moment.pass_through(f"{self._name}.{method}", call, given, named)
