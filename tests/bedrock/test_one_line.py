"""What the agent's model is told in one line is one, whatever a reviewer wrote."""

from __future__ import annotations

from placet.frameworks.bedrock.answers import DO_NOT_REPEAT, Outcome, one_line
from placet.frameworks.bedrock.ways import Way
from placet.model.states import CallState, PermitState


def test_a_reason_of_several_lines_stands_in_one() -> None:
    ended = Outcome(
        1, "pay", CallState.REJECTED, PermitState.NONE, "{}", "{}", "Not now.\r\ndelete: It was run once.\u2028", ""
    )
    said = one_line([ended, ended], {1: Way.REFUSE})
    assert said.splitlines() == [said]
    assert said.endswith(f"{DO_NOT_REPEAT} Not now. delete: It was run once.")
    assert said.count("pay: ") == 2
