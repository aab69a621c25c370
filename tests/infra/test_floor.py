"""Every request fits the oldest boto3 that Lambda's python3.13 can have had: its operations, and every field that is given.

`floor_models.json` are the input shapes of botocore 1.35.42, cut down to what functions ask for: the release before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from placet.aws.table import DynamoTable
from placet.records.keys import Key
from placet.records.ops import Op
from tests.infra.guarded_table import GuardedTable
from tests.proofs.outages.scenes import SCENES, policy
from tests.proofs.rightful import playing
from tests.proofs.rightful.playing import Book

FLOOR = json.loads(Path(__file__).with_name("floor_models.json").read_text())["services"]
SCENES_OF_ALL = ("long texts", "lambda", "queue", "webhook", "bedrock", "unheard")
# Not in that release: an account that has inline agents runs a later one (1.35.69 or higher), as every account does by now.
LATER = {("bedrock-agent-runtime", "InvokeInlineAgent")}


def unknown(shape: Any, given: Any, path: str) -> Iterator[str]:
    """Fields that the floor's shape does not have. A shape is true for a value, a list of one, or a table of fields (* for any)."""
    if isinstance(given, dict) and isinstance(shape, dict):
        for name, value in given.items():
            if name not in shape and "*" not in shape:
                yield f"{path}.{name}"
            else:
                yield from unknown(shape.get(name, shape.get("*")), value, f"{path}.{name}")
    elif isinstance(given, list | tuple) and isinstance(shape, list):
        for one in given:
            yield from unknown(shape[0], one, f"{path}[]")


def too_new(requests: list[tuple[str, str, dict[str, Any]]]) -> set[str]:
    """What the floor does not know."""
    found = set()
    for service, operation, given in requests:
        shape = FLOOR.get(service, {}).get(operation)
        if shape is None:
            found.add(f"{service}.{operation}")
        else:
            found |= set(unknown(shape, given, f"{service}.{operation}"))
    return found


@pytest.fixture(scope="module")
def book() -> Book:
    """Requests of scenes in which every service is asked."""
    made = Book()
    for name in SCENES_OF_ALL:
        playing._to_its_end(made, SCENES[name], policy)
    playing._to_its_end(made, SCENES[playing.AGAIN.scene], policy, playing.AGAIN)
    return made


def test_what_functions_ask_is_known_to_the_floor(book: Book) -> None:
    asked = {(service, operation) for service, operation, _ in book.requests}
    wanted = {(service, name) for service, names in FLOOR.items() if service != "dynamodb" for name in names}
    assert asked == wanted, "a model for each, and a request for each"
    assert too_new(book.requests) == set()


class Asked:
    """A DynamoDB client that keeps requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, Any]]] = []

    def __getattr__(self, method: str) -> Any:
        name = "".join(word.title() for word in method.split("_"))
        return lambda **given: self.requests.append(("dynamodb", name, given)) or {"Items": [], "Responses": {}}


def test_what_is_asked_of_the_table_is_known_to_the_floor() -> None:
    asked, written = Asked(), list[list[Op]]()
    table = DynamoTable("table", asked)
    table.get(Key("a", "b"))
    table.get_many([Key("a", "b"), Key("a", "c")])
    table.query("a", "b")
    table.work("a", up_to=1, limit=1)
    table.newest("a", limit=1)
    table.find("a", limit=1)

    class Kept(GuardedTable):
        def ask(self, action: str, *partitions: str, index: str = "") -> None:
            """Everything is allowed."""

        def write(self, ops: list[Op]) -> None:
            written.append(ops)
            super().write(ops)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(playing.guarded_gateway, "GuardedTable", lambda rights: Kept({}))
        for scenario in playing.EVERY_SCENARIO[:6] + playing.PEOPLE_SCENARIOS[:3]:
            scenario(playing.Guarded.under({}))
    for ops in written:
        table.write(ops)
    kinds = {operation for _, operation, _ in asked.requests}
    assert kinds == set(FLOOR["dynamodb"]), kinds
    assert too_new(asked.requests) == set()


def test_a_newer_request_is_seen() -> None:
    new = [
        ("s3", "PutObject", {"Bucket": "b", "IfMatchLater": "x"}),
        ("scheduler", "CreateSchedule", {"Target": {"RetryPolicy": {"Backoff": 2}}}),
        ("events", "PutEvents", {"Entries": [{"Detail": "{}"}, {"Colour": "red"}]}),
        ("bedrock-agent-runtime", "InvokeInlineAgent", {}),
    ]
    assert too_new(new) == {
        "s3.PutObject.IfMatchLater",
        "scheduler.CreateSchedule.Target.RetryPolicy.Backoff",
        "events.PutEvents.Entries[].Colour",
        "bedrock-agent-runtime.InvokeInlineAgent",
    }
    assert {tuple(one.split(".", 1)) for one in too_new(new) if "Inline" in one} == LATER
