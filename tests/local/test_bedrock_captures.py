"""The runtime against turns that were captured before: the same events, the same errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from local.bedrock import BedrockRuntime, BedrockServer, Mode, refund_agent
from tests.local.bedrock_talk import Talk, Turn, refund

CAPTURED = json.loads((Path(__file__).parent / "data" / "bedrock_events.json").read_text())
MODES = {"confirm": Mode.CONFIRM, "result": Mode.RESULT, "confirm_and_result": Mode.CONFIRM_AND_RESULT}


class Again:
    """Plays the captured turns; the runtime takes the captured invocation ids."""

    def __init__(self, mode: Mode) -> None:
        self.ids: list[str] = []
        agents = [refund_agent(mode, alias="TSTALIASID")]
        self.runtime = BedrockRuntime(agents, new_id=lambda: self.ids.pop(0).removesuffix("-uc-result"))

    def paused(self, name: str, talk: Talk, session: str, text: str) -> str:
        """Pause as captured; give the invocation id."""
        invocation = CAPTURED[name]["events"][0]["returnControl"]["invocationId"]
        self.ids.append(invocation)
        check(name, talk.say(session, text))
        return str(invocation)


def check(name: str, turn: Turn) -> None:
    """The same status and error; the same control to the last field; text where there was text."""
    was: dict[str, Any] = CAPTURED[name]
    if "error" in was:
        assert (turn.error, turn.status) == (was["error"]["Code"], was["http"])
        return
    assert (turn.error, turn.status, turn.session) == ("", 200, was["sessionId"])
    (event,) = was["events"]
    if "returnControl" in event:
        assert turn.control == event["returnControl"]
    else:
        assert turn.text


def test_confirmations_go_as_captured() -> None:
    again = Again(Mode.CONFIRM)
    with BedrockServer(again.runtime) as server:
        talk = Talk(server.url)
        one = again.paused("01_return_control_user_confirmation", talk, "s1", "refund ORD-7 5000")
        check("02_text_turn_while_pending", talk.say("s1", "are you there?"))
        check("03_unknown_invocation_id", talk.answer("s1", "00000000-dead-beef", refund("CONFIRM")))
        check("04_confirm", talk.answer("s1", one, refund("CONFIRM")))
        check("05_second_answer_same_invocation_id", talk.answer("s1", one, refund("DENY")))
        two = again.paused("07_two_inputs_in_one_return_control", talk, "s3", "refund ORD-1 100 ORD-2 200")
        check("08_only_one_of_two_answered", talk.answer("s3", two, refund("CONFIRM")))
        turn = talk.answer("s3", two, refund("CONFIRM"), refund("DENY", "too much"))
        check("09_both_answered_mixed", turn)
        assert turn.text == "ORD-1: done; ORD-2: not done (too much)"
    captured = [arguments for _, arguments in CAPTURED["executed_by_confirm_mode"][:2]]
    assert [one.arguments for one in again.runtime.executed] == captured


def test_answers_that_are_wrong_go_as_captured() -> None:
    runtime = BedrockRuntime([refund_agent(Mode.CONFIRM)])
    with BedrockServer(runtime) as server:
        talk = Talk(server.url)
        bad = talk.say("s5", "refund ORD-6 1").invocation
        name = "11_bad_confirmation_state_is_not_checked_by_boto3"
        check(name, talk.answer("s5", bad, refund("MAYBE")))
        failed = talk.say("s6", "refund ORD-6 2").invocation
        check(
            "12_response_state_failure",
            talk.answer("s6", failed, refund("CONFIRM", "db down", responseState="FAILURE")),
        )
        check("13_unknown_agent", Talk(server.url, "NOPE000000").say("s7", "hi"))
    assert not runtime.executed


@pytest.mark.parametrize("mode", ["result", "confirm_and_result"])
def test_returned_control_goes_as_captured(mode: str) -> None:
    again = Again(MODES[mode])
    with BedrockServer(again.runtime) as server:
        talk, session = Talk(server.url), f"m-{mode}"
        invocation = again.paused(f"30_{mode}_return_control", talk, session, "refund ORD-7 5000")
        check(f"31_{mode}_without_body", talk.answer(session, invocation, refund("CONFIRM")))
        name = f"32_{mode}_edited_and_executed_by_gateway"
        body = '{"status": "refunded", "amountCents": 3000, "note": "reviewer changed 5000 to 3000"}'
        turn = talk.answer(session, invocation, refund("CONFIRM", body))
        check(name, turn)
        assert turn.text.encode().decode() == CAPTURED[name]["events"][0]["chunk"]["bytes"]["__bytes_utf8"]
    assert not again.runtime.executed


def test_a_late_answer_goes_as_captured() -> None:
    runtime = BedrockRuntime([refund_agent(Mode.CONFIRM, idle_ttl_s=60)])
    with BedrockServer(runtime) as server:
        talk = Talk(server.url)
        late = talk.say("e1", "refund ORD-7 5000").invocation
        runtime.forward(61)
        check("20_confirm_after_session_expired", talk.answer("e1", late, refund("CONFIRM")))
        assert talk.say("e1-r1", "The refund was made once.").text == "Noted: The refund was made once."
    assert not runtime.executed
