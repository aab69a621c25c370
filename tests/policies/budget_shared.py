# refused: tool repay: rule money/day shares its sum with that of pay, and has another limit, of or per

from placet.policy import (
    ActionClass,
    Budget,
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
            rules=(Budget("money/day", "Day.", 1000, argument="amount"),),
            sentence="Pay {amount} for {order_id}",
        ),
        Tool("repay", "money", rules=(Budget("money/day", "Day.", 500, argument="amount"),)),
    ],
    unknown_class="money",
)
