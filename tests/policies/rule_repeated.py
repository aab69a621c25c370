# refused: tool pay: rules: rule money/again says nothing: money/foreign fires whenever it does

from placet.policy import (
    ActionClass,
    FromUntrusted,
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
            rules=(
                FromUntrusted("money/foreign", "Not the user's.", "order_id"),
                FromUntrusted("money/again", "Same.", "order_id"),
            ),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
