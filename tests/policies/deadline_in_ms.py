# refused: class money: 0 < deadline_s <= hard_maximum_s <= 25920000, in seconds; they are 3600000 and 86400
from decimal import Decimal

from placet.policy import (
    ActionClass,
    Level,
    Policy,
    Threshold,
    Tool,
)

MONEY = ActionClass(
    name="money", levels=(Level(groups=("finance",)),), deadline_s=3_600_000, hard_maximum_s=86_400, freshness_s=3_600
)

POLICY = Policy.of(
    version="1",
    classes=[MONEY],
    tools=[
        Tool(
            "pay",
            "money",
            rules=(Threshold("money/over", "Over 100.", "amount", Decimal(100)),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
    groups=frozenset({"finance"}),
)
