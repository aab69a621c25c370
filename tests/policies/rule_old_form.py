# refused: tool pay: rule own/old: fires takes the arguments and the facts, written "def fires(self, arguments: dict[str, Any]
from dataclasses import dataclass
from typing import Any

from placet.policy import (
    ActionClass,
    Level,
    Policy,
    Tool,
)

MONEY = ActionClass(
    name="money", levels=(Level(groups=("finance",)),), deadline_s=3_600, hard_maximum_s=86_400, freshness_s=3_600
)


@dataclass(frozen=True)
class Old:
    id: str = "own/old"
    sentence: str = "An old rule."

    def fires(self, arguments: dict[str, Any]) -> bool:
        return "order_id" in arguments


POLICY = Policy.of(
    version="1",
    classes=[MONEY],
    tools=[Tool("pay", "money", rules=(Old(),))],
    unknown_class="money",
)
