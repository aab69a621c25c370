"""How the real handlers find the ports of the invocation that runs, though many run in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from unittest import mock

from placet import wiring
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
    """The handlers find the ports of the invocation that runs."""
    with mock.patch.object(wiring, "ports", ports_here), mock.patch.object(wiring, "log"):
        yield
