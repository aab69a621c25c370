# refused: rule money/audit: one_in must be a whole number, and is 0.05
from decimal import Decimal

from placet.policy import (
    ActionClass,
    Level,
    Policy,
    Sample,
    Threshold,
    Tool,
)

MONEY = ActionClass(
    name="money", levels=(Level(groups=("finance",)),), deadline_s=3_600, hard_maximum_s=86_400, freshness_s=3_600
)

POLICY = Policy.of(
    version="1",
    classes=[MONEY],
    tools=[
        Tool(
            "pay",
            "money",
            rules=(Threshold("money/over", "Over 100.", "amount", Decimal(100)), Sample("money/audit", "Audit.", 0.05)),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
