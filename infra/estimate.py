"""What an installation costs by the list prices: by the month whatever happens, and by a thousand approvals.

One place for prices: ``infra/prices.json``, dated, which `make cost` uses too. What an approval takes is what `make cost` counted;
a test holds the counts against docs/data-model.md, where the measured table stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.checks.template import Templates

PRICES: dict[str, Any] = json.loads(Path(__file__).with_name("prices.json").read_text("utf-8"))
# From capture to the report of what ran, one call, one reviewer who decides and another who was mailed.
APPROVAL: Mapping[str, float] = {
    "lambda": 11, "wru": 25, "rru": 32, "transitions": 4, "schedules": 1, "mails": 2, "http": 7, "events": 4,
}  # fmt: skip
SWEEPS = 60 * 24 * 30  # a month
OURS = "Placet"  # the namespace of metrics of our own


@dataclass(frozen=True)
class Estimate:
    """In dollars: a month of nothing, and a thousand approvals, mails not counted; `mails` that they send."""

    month: float
    thousand: float
    mails: int
    as_of: str
    parts: Mapping[str, float]

    def told(self) -> str:
        """One line."""
        parts = ", ".join(f"{name} {usd:.2f}" for name, usd in self.parts.items())
        return (
            f"about ${self.month:.2f} a month ({parts}) and ${self.thousand:.2f} for 1,000 approvals, beside {self.mails:,} mails: "
            f"list prices of {self.as_of}, without storage, logs and taxes (docs/aws.md, What it costs)"
        )


def estimate(templates: Templates) -> Estimate:
    """What these templates cost."""
    monthly, each = PRICES["monthly_usd"], PRICES["micro_usd"]
    alarms = templates.of("AWS::CloudWatch::Alarm").values()
    watched = sum(max(1, sum("MetricStat" in part for part in one.get("Metrics", []))) for one in alarms)
    own = {one["MetricName"] for one in alarms if one.get("Namespace") == OURS}
    parts = {
        "keys": monthly["key"] * len(templates.of("AWS::KMS::Key")),
        "alarms": monthly["alarm"] * watched,
        "metrics": monthly["metric"] * len(own),
        "sweep": each["lambda"] * SWEEPS / 1e6,
    }
    thousand = sum(APPROVAL[column] * price for column, price in each.items()) * 1_000 / 1e6
    return Estimate(sum(parts.values()), thousand, 1_000 * int(APPROVAL["mails"]), PRICES["as_of"], parts)
