"""No form of reference makes a check open a connection or a file."""

from __future__ import annotations

import re
import socket
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import placet
from tests.unit.schemas.refusing import NO_SCHEMA, URIS, refused

ADDRESSES = [
    *(f"{scheme}://127.0.0.1:9/x.json" for scheme in ("http", "https", "ftp", "HTTP")),
    *(
        "file:///etc/hostname",
        "data:application/json,{}",
        "//127.0.0.1/x",
        "x.json",
        "/x.json",
        "../x.json",
        "jar:x!/y",
    ),
]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def note(name: str) -> Any:
        return lambda *_, **__: found.append(name) or (_ for _ in ()).throw(OSError("closed"))

    for owner, name in ((socket.socket, "connect"), (socket, "create_connection"), (urllib.request, "urlopen")):
        monkeypatch.setattr(owner, name, note(name))
    monkeypatch.setattr("builtins.open", note("open"))
    return found


@pytest.mark.parametrize("uri", ["", *URIS.values(), "http://127.0.0.1:9/dialect"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_reference_out_of_the_schema(opened: list[str], uri: str, address: str) -> None:
    named = {"$schema": uri} if uri else {}
    for rule in ({"$ref": address}, {"$id": address, "$ref": "y.json"}, {"not": {"$ref": f"{address}#/a"}}):
        code, problems = refused({"a": 1}, {**named, "properties": {"a": rule}})
        assert code in ((NO_SCHEMA, "") if "$id" in rule else (NO_SCHEMA,)), problems
    for rule in (
        {"$dynamicRef": address},
        {"$recursiveRef": address},
        {"$schema": address},
        {"$id": address, "id": address},
    ):
        refused({"a": {"b": 1}}, {**named, "properties": {"a": rule}})
    refused({"a": 1}, {**named, "$id": address, "$vocabulary": {address: True}, "allOf": [{"$ref": "#/nowhere"}]})
    assert opened == []


def test_the_sentence_says_that_nothing_is_fetched() -> None:
    ((_, (one,)),) = [refused({"a": 1}, {"$ref": "http://127.0.0.1:9/x"})]
    assert one == {
        "at": "$ref",
        "problem": 'leads to "http://127.0.0.1:9/x", which is not in this schema, and nothing is fetched',
    }


def test_nobody_makes_a_validator_with_a_registry_that_retrieves() -> None:
    sources = {path: path.read_text() for path in Path(placet.__file__).parent.rglob("*.py")}
    makers = {str(path) for path, text in sources.items() if re.search(r"import .*jsonschema|from jsonschema", text)}
    assert {Path(name).parent.name for name in makers} == {"schemas"}
    for name in makers:
        text = Path(name).read_text()
        assert "Registry(retrieve" not in text
        assert text.count("format_checker=") == text.count("registry=NOTHING")  # each validator that is made
