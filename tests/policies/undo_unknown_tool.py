# refused: tool pay: undo names the tool 'refund', which the policy does not define
from decimal import Decimal

from placet.policy import (
    ActionClass,
    Effect,
    Level,
    Outcome,
    Policy,
    Threshold,
    Tool,
    Undo,
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
            effect=Effect.CAN,
            undo=Undo("refund", {"id": Outcome("id")}),
        )
    ],
    unknown_class="money",
)
