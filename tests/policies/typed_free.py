# refused: tool pay: type_to_accept is never asked: the tool is free
from placet.policy import (
    ActionClass,
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
            free=True,
            type_to_accept="amount",
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
