"""Check → bugs that it has to find, in a module for each of `infra.checks`."""

from __future__ import annotations

from importlib import import_module

from infra.checks import CHECKS
from tests.infra.planting import Bug

ROOMS = dict.fromkeys(check.__module__.rpartition(".")[2] for check in CHECKS)
BUGS: dict[str, list[Bug]] = {
    name: bugs for room in ROOMS for name, bugs in import_module(f"tests.infra.bugs.{room}").BUGS.items()
}
