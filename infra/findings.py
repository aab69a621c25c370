"""What a probe of the doctor answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from infra.settings import Settings

Clients = Callable[..., Any]  # of a service by name, in another region when told so


@dataclass(frozen=True)
class Finding:
    """One answer: ``ok``, ``look`` (deploys, but read it) or ``stop`` (will not deploy or not work), and what to do.

    ``commands`` are the way out to copy, in order, names filled in.
    """

    level: str
    subject: str
    sentence: str
    way_out: str = ""
    commands: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = f"{self.level:<5}{self.subject:<14}{self.sentence}" + (f" → {self.way_out}" if self.way_out else "")
        return "\n".join([said, *(f"         {one}" for one in self.commands)])


Probe = Callable[[Clients, Settings], Iterator[Finding]]
