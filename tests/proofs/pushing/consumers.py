"""Agents behind a queue and a webhook: most do as docs/targets.md says, some forget, die or take their time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placet.client import Gateway, GatewayRefused, Pause, Permits, RunIsBusy
from placet.client.deliveries import Delivery, from_sqs, from_webhook, work
from tests.proofs.pushing.plans import SECRET, Plans, Run
from tests.proofs.pushing.server import Request

SLOW_ROUNDS = 12  # longer than it takes until a delivery is sent again


class Died(Exception):
    """A consumer is gone."""


@dataclass
class Consumers:
    """Every process of every agent. `talking` has the gateway as each agent sees it; `held` is what slow ones work on."""

    plans: Plans
    talking: dict[str, Gateway]
    held: dict[str, tuple[Pause, int]] = field(default_factory=dict)

    def read(self, raw: Any) -> Delivery:
        """What came, believed or not."""
        return from_webhook(raw.headers, raw.body, SECRET) if isinstance(raw, Request) else from_sqs(raw)

    def handle(self, raw: Any) -> bool:
        """Do something with what came; whether its message may be forgotten."""
        delivery = self.read(raw)
        run = self.plans.runs[delivery.pause]
        if run.ended:
            self.plans.fired["agent: came again after the end"] += 1
            return not work(self._gateway(run), delivery, self._goes_on)
        manner = self.plans.manner(delivery.pause)
        if manner == "forgets":
            return True
        if manner == "slow":
            return self._takes_long(run, delivery)
        if manner.startswith("dies"):
            return self._dies(run, delivery, manner == "dies after")
        try:
            work(self._gateway(run), delivery, self._goes_on)
        except RunIsBusy:
            self.plans.fired["agent: somebody else works"] += 1
            return False
        except GatewayRefused as error:
            self.plans.expect(error.code == "permit_claimed", f"{delivery.pause} was refused: {error}")
            return False
        return True

    def a_round_later(self) -> None:
        """Slow ones keep their leases, and end one day."""
        for pause, (taken, left) in list(self.held.items()):
            run = self.plans.runs[pause]
            if left and self._kept(run, taken):
                self.held[pause] = taken, left - 1
                continue
            del self.held[pause]
            run.inside -= 1
            if not left:
                self._goes_on(taken)

    def _kept(self, run: Run, taken: Pause) -> bool:
        try:
            self._gateway(run).renew(taken.pause, taken.fence)
        except GatewayRefused as error:
            self.plans.expect(False, f"{taken.pause} was taken away from who works on it: {error.code}")
            return False
        return True

    def _goes_on(self, pause: Pause) -> None:
        """The run: carry out what was approved, then report that it went on."""
        run = self.plans.runs[pause.pause]
        run.twice |= run.inside > 0
        run.inside += 1
        try:
            for call in pause.calls:
                self._executes(run, call)
            self._gateway(run).resumed(pause.pause, pause.fence)
            run.ended += 1
        finally:
            run.inside -= 1

    def _executes(self, run: Run, call: Any) -> None:
        try:
            Permits(self._gateway(run)).execute(call, lambda arguments: self._acts(run))
        except GatewayRefused as error:
            if error.code != "permit_settled":
                raise

    @staticmethod
    def _acts(run: Run) -> None:
        run.effects += 1

    def _takes_long(self, run: Run, delivery: Delivery) -> bool:
        """Longer than its message stays away: others get it meanwhile."""
        taken = self._gateway(run).take(delivery.pause).pauses
        if not taken:
            return False
        run.twice |= run.inside > 0
        run.inside += 1
        self.held[delivery.pause] = taken[0], SLOW_ROUNDS
        return False

    def _dies(self, run: Run, delivery: Delivery, after_acting: bool) -> bool:
        """Under its lease, before the call or between the call and the report."""
        taken = self._gateway(run).take(delivery.pause).pauses
        for call in taken[0].calls if taken and after_acting else ():
            try:
                Permits(self._gateway(run)).claim(call)
            except GatewayRefused:
                continue
            self._acts(run)
        return False

    def _gateway(self, run: Run) -> Gateway:
        return self.talking[run.agent.name]
