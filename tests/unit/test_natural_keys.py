"""Natural keys: no parts make the key of others, and a pause that an earlier release stored is found again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from placet.frameworks import adapter_of
from placet.model.canonical import parse
from placet.model.errors import Conflict
from placet.model.ids import joined, joined_before
from tests.gateway import DELETE, REFUND, Gateway, native

PART = st.text(alphabet='a|[]",\\u007c ', max_size=6)
PARTS = st.tuples(PART, PART, PART)


@given(PARTS, PARTS)
@example(("a", "b|c", "d"), ("a|b", "c", "d"))
@example(("a", "b", "c|d"), ("a", "b|c", "d"))
@example(("a|b", "c", "d"), ("a\\u007cb", "c", "d"))
@example(('["a', "b", "c"), ('["a","b', "c", "d"))
def test_different_parts_have_different_keys(some: tuple[str, ...], others: tuple[str, ...]) -> None:
    assert (joined(*some) == joined(*others)) == (some == others)


@given(PARTS)
def test_a_key_is_as_it_was_where_no_part_but_the_last_holds_the_sign(parts: tuple[str, ...]) -> None:
    plain, holds = "|".join(parts), any("|" in part for part in parts[:-1])
    assert (joined(*parts) == plain) == (not holds)
    assert joined_before(*parts) == (plain if holds else "")
    if holds:
        assert "|" not in joined(*parts)
        assert tuple(json.loads(joined(*parts))) == parts


def paused(*calls: Any, namespace: str, checkpoint: str) -> dict[str, Any]:
    found: dict[str, Any] = parse(json.dumps(native(*calls, checkpoint=checkpoint) | {"checkpoint_ns": namespace}))
    return found


def test_two_places_of_one_run_are_two_pauses_however_their_names_are_cut(gateway: Gateway) -> None:
    some = gateway.hand_in(paused(REFUND, namespace="child:1", checkpoint="2|cp"))
    others = gateway.hand_in(paused(DELETE, namespace="child:1|2", checkpoint="cp"))
    assert (some.replayed, others.replayed) == (False, False)
    assert some.head.pause != others.head.pause
    assert gateway.hand_in(paused(DELETE, namespace="child:1|2", checkpoint="cp")).head.pause == others.head.pause


def before(gateway: Gateway, monkeypatch: pytest.MonkeyPatch, *calls: Any, namespace: str, checkpoint: str) -> str:
    """A pause under the key that an earlier release gave it."""
    with monkeypatch.context() as patch:
        patch.setattr("placet.frameworks.langchain.reading.joined", lambda *parts: "|".join(parts))
        patch.setattr("placet.frameworks.langchain.reading.joined_before", lambda *parts: "")
        return gateway.hand_in(paused(*calls, namespace=namespace, checkpoint=checkpoint)).head.pause


def test_a_pause_that_an_earlier_release_stored_is_found_again(gateway: Gateway, monkeypatch: Any) -> None:
    old = before(gateway, monkeypatch, REFUND, namespace="parent:1|child:2", checkpoint="cp")
    again = gateway.hand_in(paused(REFUND, namespace="parent:1|child:2", checkpoint="cp"))
    assert (again.replayed, again.head.pause) == (True, old)
    with pytest.raises(Conflict) as caught:
        gateway.hand_in(paused(DELETE, namespace="parent:1|child:2", checkpoint="cp"))
    assert caught.value.code == "pause_differs"


def test_an_old_pause_of_another_place_is_not_taken_for_this_one(gateway: Gateway, monkeypatch: Any) -> None:
    old = before(gateway, monkeypatch, REFUND, namespace="parent:1", checkpoint="child:2|cp")
    new = gateway.hand_in(paused(DELETE, namespace="parent:1|child:2", checkpoint="cp"))
    assert (new.replayed, new.head.pause != old) == (False, True)


def test_every_framework_joins_its_parts_so(gateway: Gateway) -> None:
    control = {
        "invocationId": "i|1",
        "invocationInputs": [
            {"functionInvocationInput": {"actionGroup": "A", "function": "f", "actionInvocationType": "RESULT"}}
        ],
    }
    keys = {
        "bedrock": adapter_of("bedrock").read("r", {"session": "s|t", "return_control": control}),
        "langchain": adapter_of("langchain").read("r", paused(REFUND, namespace="a|b", checkpoint="cp")),
    }
    assert keys["bedrock"].natural_key == joined("s|t", "i|1") == '["s\\u007ct","i\\u007c1"]'
    assert keys["langchain"].natural_key == joined("r", "a|b", "cp")
    assert {name: one.earlier_key for name, one in keys.items()} == {"bedrock": "s|t|i|1", "langchain": "r|a|b|cp"}


def test_a_repeated_capture_under_an_old_key_is_looked_up_only_where_the_key_differs(gateway: Gateway) -> None:
    asked: list[str] = []
    real = gateway.ids.pause_id
    gateway.ids.pause_id = lambda *given: asked.append(given[2]) or real(*given)  # type: ignore[method-assign,func-returns-value]
    gateway.capture(REFUND)
    assert asked == ["thread-1||cp-1"]
