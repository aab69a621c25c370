"""Time zones by their names, from the data that the functions are deployed with. Pure, but for reading that data.

What a machine has beside it is not asked: it knows names that the functions do not (`localtime`, `posix/...`, and any letters
where its file system does not tell them apart), and a policy that is taken with one of those fails wherever it runs.
"""

from __future__ import annotations

from datetime import tzinfo
from functools import lru_cache

PACKAGE = "tzdata"  # a wheel of the layer `deps`


@lru_cache
def zone_of(name: str) -> tzinfo:
    """The time zone of this name, letter by letter. Raises ValueError when there is none."""
    from zoneinfo import ZoneInfo  # here: every function loads the policy, and few policies name a zone

    known = packaged()
    try:
        if not known:  # an agent's own process, for which the synth has judged the policy long ago
            return ZoneInfo(name)
        if name in known:
            from importlib.resources import files

            with files(PACKAGE).joinpath("zoneinfo", *name.split("/")).open("rb") as data:
                return ZoneInfo.from_file(data, key=name)
    except (KeyError, OSError, ValueError):  # no such zone, a folder of zones, a name that no file has
        pass
    raise ValueError(f"there is no time zone {name!r}")


@lru_cache
def packaged() -> frozenset[str]:
    """The names of all zones of the package; empty where it is not installed."""
    from importlib.resources import files

    try:
        return frozenset(files(PACKAGE).joinpath("zones").read_text("ascii").split())
    except (ModuleNotFoundError, OSError):
        return frozenset()
