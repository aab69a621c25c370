# refused: rule money/day: of is Of.AGENT, Of.ENTITY or Of.REQUESTER, and is <Of.TOOL

from placet.policy import (
    ActionClass,
    Budget,
    Level,
    Of,
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
            rules=(Budget("money/day", "Day.", 1000, of=Of.TOOL, argument="amount"),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
