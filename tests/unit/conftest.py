"""A gateway in one process: real verbs on the in-memory ports, and the example policy that is deployed."""

import pytest

from placet.model.pauses import Reviewer
from tests.gateway import Gateway
from tests.unit import hands, levels


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture
def ingrid(gateway: Gateway) -> Reviewer:
    """Somebody of another group, who may decide nothing of it by herself."""
    return gateway.person("ingrid", "Ingrid Solberg", "gardeners")


@pytest.fixture
def house(gateway: Gateway) -> Gateway:
    """Three levels and two reminders, and people for each level."""
    gateway.person("lea", "Lea Lang", "leads")
    gateway.person("bea", "Bea Baum", "board")
    gateway.with_policy(levels=levels.LEVELS, remind_after_s=(levels.HOUR, 2 * levels.HOUR))
    return gateway


@pytest.fixture
def people(gateway: Gateway) -> dict[str, Reviewer]:
    """Two levels beyond the first, and somebody who belongs to neither."""
    gateway.with_policy(levels=hands.LEVELS, remind_after_s=(1800,))
    return {
        sub: gateway.person(sub, name, group)
        for sub, name, group in (
            ("lea", "Lea Lang", "leads"), ("leo", "Leo Linz", "leads"), ("bea", "Bea Baum", "board"),
            ("gert", "Gert Grün", "gardeners"),
        )
    }  # fmt: skip
