"""Looking at some afterwards: a sample asks nobody, it marks the record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from placet.model.canonical import canonical
from placet.policy.checks import check_texts, check_whole
from placet.policy.facts import Facts


@dataclass(frozen=True)
class Sample:
    """One in `one_in` calls is marked for somebody to look at later. Never stops a call.

    The same call of the same run is always, or never, in the sample. Which ones are is no secret: whoever writes the arguments
    could search for some that are not, so a sample finds mistakes and no attacker.
    """

    id: str
    sentence: str
    one_in: int

    def __post_init__(self) -> None:
        place = f"rule {self.id}"
        check_texts(place, self, ("id",), ("sentence",))
        check_whole(f"{place}: one_in", self.one_in)
        if self.one_in < 1:
            raise ValueError(f"{place}: one_in is at least 1, which marks every call, and is {self.one_in}")

    def fires(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Never."""
        return False

    def marks(self, arguments: dict[str, Any], facts: Facts) -> bool:
        """Whether this call is in the sample."""
        of = canonical([self.id, facts.agent, facts.run, facts.tool, arguments])
        return int.from_bytes(hashlib.sha256(of.encode("utf-8", "surrogatepass")).digest()) % self.one_in == 0
