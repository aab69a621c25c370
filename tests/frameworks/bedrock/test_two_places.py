"""A verified action reads one name in path and body as the gateway did."""

from __future__ import annotations

import pytest

from placet.client.bedrock import verified_action
from placet.model.states import PermitState
from tests.frameworks.bedrock.scene import Scene, context, invoked, operation


@pytest.mark.parametrize(
    ("inside", "named"), [("ORD-7", ["orderId"]), ("ORD-8", ["parameters.orderId", "requestBody.orderId"])]
)
def test_a_name_in_path_and_body_is_taken_apart_as_the_gateway_did(scene: Scene, inside: str, named: list[str]) -> None:
    call = operation(("orderId", "string", "ORD-7"), ("orderId", "string", inside), ("amount", "number", "50.00"))
    pause, ran = scene.accepted(call), []

    @verified_action(scene.gateway)
    def refund(**given):
        ran.append(given)
        return "refunded"

    refund(invoked(call, scene.attributes(pause)), context())
    assert [sorted(given) for given in ran] == [["amount", *named]]
    assert ran[0][named[-1]] == inside
    assert scene.permit(pause) is PermitState.DONE
