# refused: tool pay: free must be True or False, and is 'no'

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
    tools=[Tool("pay", "money", free="no")],
    unknown_class="money",
)
