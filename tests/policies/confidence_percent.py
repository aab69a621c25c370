# refused: rule money/unsure: least is over 0 and at most 1, and is 80
from decimal import Decimal

from placet.policy import (
    ActionClass,
    ConfidenceBelow,
    Level,
    Policy,
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
            rules=(ConfidenceBelow("money/unsure", "Unsure.", Decimal(80)),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
