"""How the real handlers find the ports of the invocation that runs, though many run in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any
from unittest import mock

from placet import wiring
from placet.local import memory
from placet.service.ports import Ports

_here: ContextVar[Ports] = ContextVar("ports of the function that runs")


def ports_here(*names: str) -> Ports:
    """In place of `wiring.ports`."""
    return _here.get()


@contextmanager
def running(ports: Ports) -> Iterator[None]:
    """One invocation."""
    token = _here.set(ports)
    try:
        yield
    finally:
        _here.reset(token)


@contextmanager
def called_with(ports: Ports) -> Iterator[mock.Mock]:
    """A handler is called by hand; gives its log."""
    with running(ports), mock.patch.object(wiring, "log") as log:
        yield log


@contextmanager
def wired() -> Iterator[None]:
    """The handlers find the ports of the invocation that runs, and the table copies its items quickly."""
    quick = SimpleNamespace(deepcopy=copied)
    with (
        mock.patch.object(wiring, "ports", ports_here),
        mock.patch.object(wiring, "log"),
        mock.patch.object(memory, "copy", quick),
    ):
        yield


def copied(value: Any) -> Any:
    """A copy of an item: `copy.deepcopy` for values that are nothing but JSON, in a fifth of the time."""
    if isinstance(value, dict):
        return {name: copied(one) for name, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value
