"""Edits of arguments that the policy fixes: what is executed is what was proposed, to the byte."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from placet.model.canonical import canonical, digest, parse
from placet.model.pauses import call_id
from placet.model.states import CallState
from placet.records.heads import Head
from tests.gateway import SUPPORT, native
from tests.proofs.forging.house import House
from tests.proofs.forging.tally import Tally

KIND = "a fixed argument, edited"
TOOL = "delete_records"
SAME = [('{"a":1,"b":[]}', '{"b":[],"a":1}'), ('"\\u0061"', '"a"'), ("", "")]
ALIKE = [
    ("1", "true"), ("0", "false"), ("1.0", '"1.0"'), ('"7e1"', "7e1"), ("null", ""), ('{"a":[1,0]}', '{"a":[true,false]}'),
    ("1240.00", '"1240.00"'), ("1.0", "1.00"), ("1", "1.0"), ("-0", "0"), ("[]", "{}"), ("[[]]", "[]"), ('""', ""), ("1e2", "100"),
    ('{"a":null}', "{}"), ('"\\u00e9"', '"e\\u0301"'), ("9007199254740993", "9007199254740992.0"), ('"a"', '"A"'), ('"1"', "1"),
]  # fmt: skip
LEAVES = [
    "1",
    "0",
    "-0",
    "1.0",
    "1.00",
    "1e0",
    '"1"',
    '"1.0"',
    '""',
    "true",
    "false",
    "null",
    "[]",
    "{}",
    '"\\u0061"',
    '"a"',
]


def tried(house: House, tally: Tally, dice: random.Random, many: int) -> None:
    """Pairs that some comparison takes for one value, both ways round, then drawn ones; absent is the empty text."""
    tool = replace(house.policy.tools[TOOL], fixed=frozenset({"f"}))
    before, house.policy = house.policy, replace(house.policy, tools={**house.policy.tools, TOOL: tool})
    pairs = [*SAME, *ALIKE, *((other, one) for one, other in ALIKE)]
    while len(pairs) < many:
        pairs.append((_value(dice), _value(dice)))
    for number, (one, other) in enumerate(pairs):
        _one(house, tally, one, other, by_page=number % 2 == 1)
    house.policy = before


def _value(dice: random.Random, depth: int = 2) -> str:
    if not depth or dice.random() < 0.5:
        return dice.choice(["", *LEAVES] if depth == 2 else LEAVES)
    inside = [_value(dice, depth - 1) or "null" for _ in range(dice.randrange(3))]
    if dice.random() < 0.5:
        return f"[{','.join(inside)}]"
    return "{" + ",".join(f'"{name}":{value}' for name, value in zip("ab", inside, strict=False)) + "}"


def _one(house: House, tally: Tally, one: str, other: str, *, by_page: bool) -> None:
    house.clock.at_ms += 1
    same = bool(one) == bool(other) and (not one or canonical(parse(one)) == canonical(parse(other)))
    head = _proposed(house, _arguments(1, one))
    edited = _arguments(2, other)
    status = _edit(house, head, edited, by_page=by_page)
    taken = house.head(head.pause).calls[0].state is CallState.EDITED
    released = _released(house, head) if taken else ""
    house.forgets(head.pause)
    what = f"{one or 'absent'} into {other or 'absent'}, {'page' if by_page else 'JSON'}: {status}"
    if same:
        tally.taken(KIND, taken, what)
        return
    tally.tried(KIND)
    tally.executed_unproposed += bool(released)
    tally.must(not taken, f"{KIND}: {what}; released {released}")
    tally.must(taken or status == 422, f"{KIND}: {what}, 422 was wanted")


def _arguments(number: int, fixed: str) -> str:
    return f'{{"x":{number}{f""","f":{fixed}""" if fixed else ""}}}'


def _proposed(house: House, arguments: str) -> Head:
    made = native((TOOL, {}), checkpoint=f"e{house.clock.at_ms}")
    body = json.dumps({"framework": "langchain", "run": "edits", "native": made}).replace(
        '"args": {}', f'"args": {arguments}'
    )
    status, told = house.agent(SUPPORT, "POST /v1/pauses", body)
    assert status == 201, told
    head = house.show(house.head(told["pause"]))
    assert head.calls[0].digest == digest(parse(arguments))
    return head


def _edit(house: House, head: Head, text: str, *, by_page: bool) -> int:
    path, call = {"id": call_id(head.pause, 1)}, head.calls[0]
    sent = {"decision": "edit", "digest": call.digest, "arguments": text, "new_digest": digest(parse(text))}
    if not by_page:
        return house.token("jonas", "POST /v1/reviews/{id}/decision", {**sent, "revision": 1}, path)[0]
    cookie, csrf = house.signed_in("jonas")
    form = {**sent, "csrf": csrf, "revision": "1", "typed": TOOL, "reason": "less"}
    lines = [f"__Host-placet={cookie}"]
    return int(house.page("POST /reviews/{id}/decide", lines, form, pathParameters=path)["statusCode"])


def _released(house: House, head: Head) -> str:
    """The arguments that the permit of an edit releases."""
    digest_now = house.head(head.pause).calls[0].digest
    body = {"digest": digest_now, "worker": "w"}
    _, permit = house.agent(SUPPORT, "POST /v1/calls/{id}/claim", body, {"id": call_id(head.pause, 1)})
    return str(permit.get("arguments", ""))
