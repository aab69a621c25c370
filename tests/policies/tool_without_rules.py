# refused: tool pay: either free, or denied, or at least one rule

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
    tools=[Tool("pay", "money")],
    unknown_class="money",
)
