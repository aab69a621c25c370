# refused: class money: the level with after_s=691200 never comes: it counts in working hours, so it takes
from decimal import Decimal

from placet.policy import (
    ActionClass,
    Level,
    Policy,
    Threshold,
    Tool,
    WorkingHours,
)

MONEY = ActionClass(
    name="money",
    levels=(Level(groups=("finance",)), Level(groups=("heads",), after_s=691_200)),
    deadline_s=864_000,
    hard_maximum_s=1_209_600,
    freshness_s=3_600,
    hours=WorkingHours("Europe/Berlin"),
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
        )
    ],
    unknown_class="money",
)
