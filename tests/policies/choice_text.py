# refused: rule money/currency: values is a set, written frozenset({"EUR", "USD"}), and is 'EUR'

from placet.policy import (
    ActionClass,
    Level,
    OneOf,
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
            rules=(OneOf("money/currency", "Currency.", "currency", "EUR"),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
)
