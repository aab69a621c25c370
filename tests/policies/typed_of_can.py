# refused: tool pay: type_to_accept is never asked: only what cannot be undone is typed
from decimal import Decimal

from placet.policy import (
    ActionClass,
    Effect,
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
            rules=(Threshold("money/over", "Over 100.", "amount", Decimal(100)),),
            sentence="Pay {amount} for {order_id}",
            type_to_accept="amount",
            effect=Effect.CAN,
        )
    ],
    unknown_class="money",
)
