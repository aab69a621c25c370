# refused: Tool is given name twice: once by its place and once by its name
from decimal import Decimal

from placet.policy import (
    ActionClass,
    Level,
    Policy,
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
            name="pay",
            rules=(Threshold("money/over", "Over 100.", "amount", Decimal(100)),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
    groups=frozenset({"finance"}),
)
