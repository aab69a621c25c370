# refused: <lambda> is a function, and a rule is an object with id, sentence and fires (docs/policy.md)

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
            rules=(lambda arguments, facts: True,),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
    groups=frozenset({"finance"}),
)
