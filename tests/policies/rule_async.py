# refused: tool pay: rule money/own: fires is async, and nobody waits for it: write def fires

from placet.policy import (
    ActionClass,
    Level,
    Policy,
    Tool,
)

MONEY = ActionClass(
    name="money", levels=(Level(groups=("finance",)),), deadline_s=3_600, hard_maximum_s=86_400, freshness_s=3_600
)


class Own:
    id, sentence = "money/own", "Our own."

    async def fires(self, arguments, facts):
        return True


POLICY = Policy.of(
    version="1",
    classes=[MONEY],
    tools=[
        Tool(
            "pay",
            "money",
            rules=(Own(),),
            sentence="Pay {amount} for {order_id}",
        )
    ],
    unknown_class="money",
    groups=frozenset({"finance"}),
)
