"""An event bus that refuses to go while it has rules, and a rule while it has targets, as AWS's do.

MiniStack 1.5.33 deletes everything with it, so that a removal which stops in an account would go through here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from local.emulator.replacing import replace

HAS_RULES, HAS_TARGETS = "EventBus can't be deleted since it has rules.", "Rule can't be deleted since it has targets."
BUS = "AWS::Events::EventBus"
Handler = Callable[[dict[str, Any]], Any]


def apply() -> None:
    import ministack.services.cloudformation.provisioners as provisioners
    import ministack.services.eventbridge as buses

    replace(buses, "_delete_event_bus", keeping_rules(buses._delete_event_bus, buses))
    replace(buses, "_delete_rule", keeping_targets(buses._delete_rule, buses))
    handlers = provisioners._RESOURCE_HANDLERS[BUS]
    handlers["delete"] = failing(handlers["delete"], buses)


def rules_of(buses: Any, bus: str) -> list[str]:
    """Names of the rules on a bus."""
    return [one["Name"] for one in list(buses._rules.values()) if one.get("EventBusName") == bus]


def keeping_rules(delete: Handler, buses: Any) -> Handler:
    """The request, refused while somebody has a rule there."""

    def run(asked: dict[str, Any]) -> Any:
        if rules_of(buses, str(asked.get("Name"))):
            return buses.error_response_json("ValidationException", HAS_RULES, 400)
        return delete(asked)

    return run


def keeping_targets(delete: Handler, buses: Any) -> Handler:
    """The request, refused while the rule has somebody to tell."""

    def run(asked: dict[str, Any]) -> Any:
        key = buses._rule_key(asked.get("Name"), asked.get("EventBusName", "default"))
        if buses._targets.get(key):
            return buses.error_response_json("ValidationException", HAS_TARGETS, 400)
        return delete(asked)

    return run


def failing(delete: Callable[[str, Any], None], buses: Any) -> Callable[[str, Any], None]:
    """The same for a stack, whose deletion then is DELETE_FAILED."""

    def run(bus: str, properties: Any) -> None:
        if rules_of(buses, bus):
            raise ValueError(HAS_RULES)
        delete(bus, properties)

    return run
