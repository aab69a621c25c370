"""The rehearsal's stage: what has been played, what was counted, and a deploy with everything that is looked at after one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.proofs.rehearsing.account import DONE, STACKS, Account
from tests.proofs.rehearsing.waiting import Waiting, until

Step = Callable[["Play"], str]


@dataclass
class Play:
    """One rehearsal under way.

    Attributes:
        steps: name and sentence of each that was passed.
        places: after each deploy, how many pauses were where.
        invisible, lost: a sentence for each pause that nobody sees after a deploy, or at the end.
        left_over: names of what the removal left behind.
        snapshot, at_the_point: what the restore is played from, and the pauses that were there by then.
    """

    account: Account
    waiting: Waiting
    say: Callable[[str], None]
    steps: list[tuple[str, str]] = field(default_factory=list)
    places: list[tuple[str, Counter[str]]] = field(default_factory=list)
    snapshot: str = ""
    at_the_point: set[str] = field(default_factory=set)
    deploys: int = 0
    rollbacks: int = 0
    waited: set[str] = field(default_factory=set)
    invisible: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)

    def step(self, name: str, step: Step) -> None:
        """Play one; AssertionError names it when it fails."""
        try:
            sentence = step(self)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
        self.steps.append((name, sentence))
        self.say(f"rehearsal: {len(self.steps):>2} {name}: {sentence}")

    def deploy(self, name: str, assembly: Path) -> str:
        """Deploy an assembly by the command line, as it is, and look where everything that waits is now."""
        self.account.cdk_deploy_unchanged(assembly).taken("cdk deploy")
        statuses = self.account.statuses()
        assert set(statuses.values()) <= DONE, statuses
        self.as_synthesized(assembly)
        self.deploys += 1
        return self.look(name)

    def as_synthesized(self, assembly: Path) -> None:
        """What CloudFormation says is deployed is what stands in the assembly."""
        for name in STACKS:
            written = json.loads((assembly / f"{name}.template.json").read_text())
            assert self.account.template(name) == written, f"{name} is not deployed as it was synthesized"

    def look(self, after: str) -> str:
        """Where each pause is after this deploy; whoever is to be seen nowhere is counted."""
        places, unseen = self.waiting.invisible()
        self.invisible += [f"after {after} {one}" for one in unseen]
        found = Counter(place for place in places.values() if place)
        self.waited |= {pause for pause, place in places.items() if place != "ended"}
        self.places.append((after, found))
        return counted(found)

    def listed(self, reason: str) -> None:
        """Wait until something is on the stuck list for this; AssertionError when nothing is in time."""
        found = until(lambda: f"stuck: {reason}" in self.waiting.places().values(), self.waiting.patience_s, every=3)
        assert found, f"nothing is listed as {reason}: {sorted(self.waiting.places().values())}"

    def operate(self, *words: str) -> str:
        """A command of `placet` under the operators' role; its last line."""
        key = self.account.operator_credentials()
        keys = {
            "AWS_ACCESS_KEY_ID": key.id,
            "AWS_SECRET_ACCESS_KEY": key.secret,
            "AWS_SESSION_TOKEN": key.token or "",
        }
        said = self.account.python("placet.cli", *words, **keys).taken(f"placet {words[0]}")
        return said.strip().splitlines()[-1]

    def close(self) -> str:
        """At the end everything has been decided, or is listed."""
        places, unseen = self.waiting.invisible()
        open_ones = [
            one for one, place in places.items() if place and place != "ended" and not place.startswith("stuck")
        ]
        self.lost = [*unseen, *(f"{self.waiting.told(one)} is still {places[one]}" for one in open_ones)]
        return f"{sum(place == 'ended' for place in places.values())} of {len(places)} pauses have ended"


def counted(places: Counter[str]) -> str:
    """How many are where, in words."""
    return ", ".join(f"{count} {place}" for place, count in sorted(places.items())) or "nothing waits"
