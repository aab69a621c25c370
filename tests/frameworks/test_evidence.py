"""Evidence as the SDK sends it: within the gateway's limits, and what is missing is counted."""

from __future__ import annotations

import json

import pytest

from placet.client import Gateway, evidence
from placet.client.evidence import fitted, readable, shortened_words
from placet.http.bodies import checked
from placet.http.bodies.agents import CaptureBody
from placet.model import canonical, limits
from placet.model.canonical import parse
from placet.policy.facts import Origin
from tests.frameworks.fake_gateway import FakeGateway


def piece(text: str = "x", origin: str = "tool", **more: object) -> dict[str, object]:
    return {"title": "t", "source": "s", "trusted": False, "text": text, "origin": origin, **more}


def size(pieces: list[dict[str, object]]) -> int:
    return len(json.dumps(pieces, ensure_ascii=False).encode())


def test_the_limits_are_the_gateways():
    assert (evidence.MOST_PIECES, evidence.LONGEST_TITLE) == (limits.MOST_EVIDENCE, limits.LONGEST_TITLE)
    assert (evidence.LONGEST_NAME, evidence.LONGEST_TEXT) == (limits.LONGEST_NAME, limits.LONGEST_TEXT)
    assert evidence.EVIDENCE_BYTES < evidence.BODY_BYTES == canonical.MAX_BODY_BYTES


def test_what_fits_is_sent_as_it_is():
    given = [piece("é" * 100), piece("x", "user")]
    assert fitted(given) == given


@pytest.mark.parametrize("letter", ["x", "é", "\N{GRINNING FACE}", "\n", '"'])
@pytest.mark.parametrize("room", [98_304, 20_000, 3_000, 2_000])
def test_nothing_is_over_the_room_and_every_character_is_counted(letter: str, room: int):
    given = [piece(letter * 15_000, tuple(Origin)[number % 4].value) for number in range(30)]
    sent = fitted(given, room)
    assert size(sent) <= room
    assert len(sent) <= limits.MOST_EVIDENCE
    for origin in Origin:
        had = sum(len(one["text"]) for one in given if one["origin"] == origin)
        told = sum(len(one["text"]) + one.get("cut", 0) for one in sent if one["origin"] == origin)
        assert told == had


def test_what_is_cut_before_stays_counted():
    assert fitted([piece("y" * 20_005, cut=7)]) == [piece("y" * 20_000, cut=12)]


def test_one_piece_too_many_is_named_by_its_origin():
    sent = fitted([piece(f"{number}", "user" if number % 2 else "tool") for number in range(21)])
    assert sorted(one["title"] for one in sent[-2:]) == ["1 piece left out", "2 pieces left out"]
    assert sorted(one["origin"] for one in sent[-2:]) == ["tool", "user"]


def test_a_lone_surrogate_stops_no_call():
    assert readable("a\ud800b") == "a?b"
    assert fitted([piece("\udfff")])[0]["text"] == "?"


def test_words_of_the_model_are_cut_and_say_so():
    assert shortened_words("x" * 20_000) == "x" * 20_000
    said = shortened_words("x" * 20_001)
    assert len(said) <= 20_000
    assert said.endswith("[65 more characters were left out]")


def test_the_gateway_takes_what_the_sdk_sends_of_anything():
    fake = FakeGateway()
    native = {
        "mode": "per_call", "checkpoint_ns": "", "checkpoint_id": "cp",
        "interrupts": [{"id": "0" * 32, "value": {"type": "tool_approval", "tool_call_id": "c", "name": "pay",
                                                  "args": {"note": "n" * 200_000}}}],
    }  # fmt: skip
    sent: list[str] = []
    send = fake.send
    fake.send = lambda method, path, body=None: (sent.append(body or ""), send(method, path, body))[1]  # type: ignore[method-assign]
    gateway = Gateway(transport=fake)
    gateway.capture(
        "langchain", "r", native, evidence=[piece("\n" * 30_000)] * 40, says="s" * 50_000, confidence=0, before="",
        numbers={"rows": 4120, "cost": 0.25},
    )  # fmt: skip
    assert len(sent[0].encode()) <= canonical.MAX_BODY_BYTES
    taken = checked(CaptureBody, parse(sent[0]))
    assert (taken.confidence, taken.before) == (0, "")
    assert {name: str(value) for name, value in taken.numbers.items()} == {"rows": "4120", "cost": "0.25"}
    assert sum(one.cut for one in taken.evidence) + sum(len(one.text) for one in taken.evidence) == 40 * 30_000
