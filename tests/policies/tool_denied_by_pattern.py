# refused: tool delete_*: '*' stands for nothing, so this says nothing of any tool: name each by itself
from placet.policy import ActionClass, Level, Policy, Tool

MONEY = ActionClass(
    name="money", levels=(Level(groups=("finance",)),), deadline_s=3_600, hard_maximum_s=86_400, freshness_s=3_600
)

POLICY = Policy.of(version="1", classes=[MONEY], tools=[Tool("delete_*", "money", denied=True)], unknown_class="money")
