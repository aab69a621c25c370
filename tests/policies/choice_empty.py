# refused: rule money/currency: values is empty, so it never fires

from placet.policy import (
    ActionClass,
    Level,
    NotOneOf,
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
            rules=(NotOneOf("money/currency", "Currency.", "currency", frozenset()),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
