"""A package of time zones as the functions have it, made of this machine's data: the names are the package's, not the machine's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import TZPATH

import pytest

from placet.policy import zones

NAMES = ("Europe/Berlin", "UTC")


@contextmanager
def packaged_zones(folder: Path, version: str = "2026.6") -> Iterator[None]:
    """Has the package installed in a version meanwhile; an empty version: not installed."""
    data = {name: _of_the_machine(name) for name in NAMES}
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name.partition(".")[0] == "tzdata"]:
            patch.delitem(sys.modules, name)
        if version:
            _make(folder, version, data)
            patch.syspath_prepend(str(folder))
        else:
            patch.setitem(sys.modules, "tzdata", None)
        _forget()
        yield
        for name in [name for name in sys.modules if name.partition(".")[0] == "tzdata"]:
            del sys.modules[name]
    _forget()


def _make(folder: Path, version: str, data: dict[str, bytes]) -> None:
    package = folder / "tzdata"
    for name, content in data.items():
        at = package / "zoneinfo" / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(content)
    (package / "__init__.py").write_text("")
    (package / "zones").write_text("".join(f"{name}\n" for name in data))
    about = folder / f"tzdata-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tzdata\nVersion: {version}\n")


def _of_the_machine(name: str) -> bytes:
    package = find_spec("tzdata")
    inside = [f"{place}/zoneinfo" for place in package.submodule_search_locations or ()] if package else []
    return next(found for place in (*TZPATH, *inside) if (found := Path(place) / name).is_file()).read_bytes()


def _forget() -> None:
    importlib.invalidate_caches()
    zones.packaged.cache_clear()
    zones.zone_of.cache_clear()
