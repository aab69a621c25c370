"""Exact stays exact: fixed arguments, an edit's text, the text fields of a body, a reason, the report of an attempt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from placet.http import bodies, turns
from placet.http.bodies import agents, operators, reviewers
from placet.model.canonical import canonical, digest, parse
from placet.model.errors import Conflict, Invalid
from placet.model.pauses import call_id
from placet.model.states import CallState, PermitState, Verdict
from placet.service import operate
from placet.service.execute import claim, outcome
from placet.service.sweep import sweep
from tests.gateway import REFUND, SUPPORT, Gateway, approved, native

TOOL = "delete_records"  # it has no schema, so that only the policy holds its arguments


def edited(before: str, after: str) -> CallState:
    """The one arguments edited into the other, where the policy fixes `f`."""
    gateway = Gateway()
    tool = replace(gateway.policy.tools[TOOL], fixed=frozenset({"f"}))
    gateway.policy = replace(gateway.policy, tools={**gateway.policy.tools, TOOL: tool})
    raw = native((TOOL, {}))
    raw["interrupts"][0]["value"]["args"] = parse(before)
    head = gateway.show(gateway.hand_in(raw).head)
    assert head.calls[0].digest == digest(parse(before))
    return gateway.decide(head, 1, Verdict.EDIT, arguments=after, new_digest=digest(parse(after))).state


def fixed_at(before: str | None, after: str | None) -> None:
    """An edit beside a fixed argument that is written first as the one, then as the other text; None is absent."""
    texts = [f'{{"x":{n}{"" if value is None else f""","f":{value}"""}}}' for n, value in enumerate((before, after))]
    edited(*texts)


OTHER_VALUES = [
    ("1", "true"),
    ("0", "false"),
    ("1.0", '"1.0"'),
    ('"7e1"', "7e1"),
    ("null", None),
    ('{"a":[1,0]}', '{"a":[true,false]}'),
    ("1240.00", '"1240.00"'),
    ("true", "1"),
    (None, "null"),
    (None, '""'),
    ("1.0", "1.00"),
    ("1", "1.0"),
    ("-0", "0"),
    ("[]", "{}"),
    ("[[]]", "[]"),
    ('{"a":null}', "{}"),
    ('"\\u00e9"', '"e\\u0301"'),
]


@pytest.mark.parametrize(("before", "after"), OTHER_VALUES)
def test_a_fixed_argument_stays_exactly_what_it_was(before: str | None, after: str | None) -> None:
    for one, other in ((before, after), (after, before)):
        with pytest.raises(Invalid) as caught:
            fixed_at(one, other)
        assert (caught.value.code, caught.value.members["argument"]) == ("argument_fixed", "f")


@pytest.mark.parametrize(("before", "after"), [('{"a":1,"b":2}', '{"b":2,"a":1}'), ('"\\u0061"', '"a"'), (None, None)])
def test_the_same_value_in_other_words_may_stand_beside_an_edit(before: str | None, after: str | None) -> None:
    fixed_at(before, after)


NUMBERS = st.one_of(st.integers(-3, 3).map(str), st.decimals(-2, 2, places=1).map(str), st.sampled_from(["1e0", "-0"]))
SCALARS = st.one_of(NUMBERS, st.sampled_from(["true", "false", "null", '""', '"1"', '"1.0"', '"true"', '"null"']))
VALUES = st.one_of(
    st.none(),
    st.recursive(
        SCALARS,
        lambda inside: st.one_of(
            st.lists(inside, max_size=2).map(lambda items: f"[{','.join(items)}]"),
            st.dictionaries(st.sampled_from("ab"), inside, max_size=2).map(
                lambda found: "{" + ",".join(f'"{name}":{value}' for name, value in found.items()) + "}"
            ),
        ),
        max_leaves=4,
    ),
)


@given(VALUES, VALUES)
@settings(max_examples=200, deadline=None)
def test_whatever_differs_in_canonical_form_or_presence_is_another_value(before: str | None, after: str | None) -> None:
    written = [None if text is None else canonical(parse(text)) for text in (before, after)]
    if written[0] == written[1]:
        fixed_at(before, after)
        return
    with pytest.raises(Invalid) as caught:
        fixed_at(before, after)
    assert caught.value.code == "argument_fixed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "json_invalid"),
        ('{"x":', "json_invalid"),
        ('{"x":NaN}', "json_number"),
        ('{"x":1,"x":2}', "json_duplicate_key"),
        ('{"x":"\\ud800"}', "json_surrogate"),
        ('{"x":' + "[" * 64 + "]" * 64 + "}", "json_too_deep"),
        ("[]", "arguments_break_schema"),
        ("null", "arguments_break_schema"),
    ],
)
def test_an_edit_that_is_no_json_is_a_wrong_field_and_not_a_wrong_body(gateway: Gateway, text: str, code: str) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(Invalid) as caught:
        gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest="0" * 64)
    assert (caught.value.code, caught.value.malformed) == (code, False)
    assert gateway.head(head.pause).calls[0].state is CallState.PENDING


# --- text is text ------------------------------------------------------------------------------------------------------


def bodies_of(module: Any) -> list[type[bodies.Body]]:
    kinds = (one for one in vars(module).values() if isinstance(one, type) and issubclass(one, bodies.Body))
    return [kind for kind in kinds if kind is not bodies.Body and kind.__module__ == module.__name__]


def fields() -> list[tuple[type[bodies.Body], str]]:
    kinds = [kind for room in (agents, operators, reviewers, turns) for kind in bodies_of(room)]
    return [(kind, name) for kind in kinds for name in kind.model_fields]


def sample(kind: type[bodies.Body]) -> dict[str, Any]:
    """A body of this kind that is taken."""
    values = {
        "framework": "langchain", "run": "r", "native": {}, "title": "t", "text": "x", "worker": "w", "digest": "0" * 64,
        "reason": "because", "permit": "done", "evidence": "seen", "state": "resumed", "decision": "accept", "revision": 1,
        "fence": 1, "until_ms": 1, "call": "a-1", "question": 1,
    }  # fmt: skip
    return {name: values[name] for name, field in kind.model_fields.items() if field.is_required()}


@pytest.mark.parametrize(("kind", "name"), fields(), ids=lambda one: getattr(one, "__name__", one))
def test_a_fraction_is_neither_a_text_nor_a_count_in_any_field_of_any_body(kind: type[bodies.Body], name: str) -> None:
    bodies.checked(kind, sample(kind))
    with pytest.raises(Invalid) as caught:
        bodies.checked(kind, sample(kind) | {name: parse("1.50")})
    assert caught.value.code == "field_invalid"
    assert caught.value.members["problems"][0]["at"] == name


def test_every_kind_of_body_is_among_them() -> None:
    kinds = {kind for kind, _ in fields()}
    assert {"CaptureBody", "DecisionBody", "OutcomeBody", "InvokeBody"} <= {kind.__name__ for kind in kinds}
    assert all(issubclass(kind, BaseModel) and kind.model_config["strict"] for kind in kinds)


@pytest.mark.parametrize(
    ("kind", "name"), [one for one in fields() if "int" in str(one[0].model_fields[one[1]].annotation)]
)
@pytest.mark.parametrize("value", [2**53 + 1, 10**60, -1, True, "1"])
def test_a_number_is_whole_and_at_most_two_to_the_53(kind: type[bodies.Body], name: str, value: Any) -> None:
    with pytest.raises(Invalid):
        bodies.checked(kind, sample(kind) | {name: value})


# --- a reason is seen --------------------------------------------------------------------------------------------------

UNSEEN = [
    "",
    " ",
    "\u00a0",
    "\u200b",
    "\u3164",
    "\u2800",
    "\ufeff \u2060",
    "\u115f\u1160",
    "\U000e0041",
    "\u202e",
    "\x00\n",
]


@pytest.mark.parametrize("reason", UNSEEN)
def test_a_reason_that_nobody_can_see_is_no_reason(gateway: Gateway, reason: str) -> None:
    head = gateway.shown(REFUND)
    with pytest.raises(Invalid) as caught:
        gateway.decide(head, 1, Verdict.REJECT, reason=reason)
    assert caught.value.code == "reason_missing"
    with pytest.raises(Invalid, match="how you know"):
        operate.reconcile(gateway.ports, "op", call_id(head.pause, 1), PermitState.DONE, reason)
    for kind in (agents.CancelBody, operators.FreezeBody):
        with pytest.raises(Invalid):
            bodies.checked(kind, {"reason": reason})


@pytest.mark.parametrize("reason", ["\u200bno", "n\u00e3o", "\u274c", "."])
def test_a_reason_with_something_to_see_is_one(gateway: Gateway, reason: str) -> None:
    assert gateway.decide(gateway.shown(REFUND), 1, Verdict.REJECT, reason=reason).state is CallState.REJECTED


# --- an outcome told twice ---------------------------------------------------------------------------------------------


def claimed(gateway: Gateway) -> str:
    head, call = approved(gateway)
    claim(gateway.ports, SUPPORT, call, head.calls[0].digest, "w")
    return call


@pytest.mark.parametrize("permit", [PermitState.DONE, PermitState.FAILED, PermitState.UNKNOWN])
@pytest.mark.parametrize(("first", "second"), [("paid 1", "paid 2"), ("paid", ""), ("paid", "paid ")])
def test_a_second_result_of_one_attempt_is_told_apart(
    gateway: Gateway, permit: PermitState, first: str, second: str
) -> None:
    call = claimed(gateway)
    assert outcome(gateway.ports, SUPPORT, call, "w", permit, first) is False
    assert outcome(gateway.ports, SUPPORT, call, "w", permit, first) is True
    with pytest.raises(Conflict) as caught:
        outcome(gateway.ports, SUPPORT, call, "w", permit, second)
    told = caught.value
    assert (told.code, told.members) == ("outcome_differs", {"permit": permit.value, "result": first})
    assert outcome(gateway.ports, SUPPORT, call, "w", permit, first) is True


def test_an_unknown_that_the_sweep_wrote_is_no_result_of_the_attempt(gateway: Gateway) -> None:
    call = claimed(gateway)
    gateway.clock.move(2 * 86_400)
    sweep(gateway.ports)
    assert gateway.head(call.partition("-")[0]).calls[0].permit is PermitState.UNKNOWN
    assert outcome(gateway.ports, SUPPORT, call, "w", PermitState.UNKNOWN, "the shop did not answer") is True
    assert outcome(gateway.ports, SUPPORT, call, "w", PermitState.DONE, "paid") is False


def test_what_an_operator_settled_is_not_the_attempt_s_word(gateway: Gateway) -> None:
    call = claimed(gateway)
    outcome(gateway.ports, SUPPORT, call, "w", PermitState.UNKNOWN, "?")
    operate.reconcile(gateway.ports, "op", call, PermitState.DONE, "seen in the ledger")
    assert outcome(gateway.ports, SUPPORT, call, "w", PermitState.DONE, "paid") is True
    with pytest.raises(Conflict, match="done"):
        outcome(gateway.ports, SUPPORT, call, "w", PermitState.FAILED, "")
