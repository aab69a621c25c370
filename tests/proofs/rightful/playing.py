"""Every function at work: what each of them asks AWS for.

Scenes with nothing wrong go through real handlers and AWS's own clients, from a pause's beginning to its end, so they show what is
asked of services beside the table. Scenarios go where a scene does not, verb by verb. Each route is played once, on a gateway whose
handlers get no port but those that they ask for. The last two have their table and bucket in this process, which write down for
which function they were asked (`Recording`).
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from infra.settings import VERBS
from local.ports import MemoryVerbs
from placet.aws.delivery import outlets
from placet.aws.invoking import LambdaVerbs
from placet.policy import Argument, Effect, Undo
from placet.policy.rules import Policy
from tests.functions.calling import every_route
from tests.gateway import REFUND
from tests.infra import guarded_gateway
from tests.infra.bedrock_scenarios import BEDROCK_SCENARIOS
from tests.infra.guarded_gateway import Guarded
from tests.infra.guarded_table import GuardedTable
from tests.infra.people_scenarios import PEOPLE_SCENARIOS
from tests.infra.playing import played, wire
from tests.infra.scenarios import SCENARIOS
from tests.proofs.outages import playing, telling
from tests.proofs.outages import town as towns
from tests.proofs.outages.people import Ask, Script, Told, person
from tests.proofs.outages.registry import ENVIRONMENT
from tests.proofs.outages.scenes import OPERATOR, SCENES, Begin, captures, decides, picks_up, policy
from tests.proofs.outages.troubles import Cell
from tests.proofs.rightful.calls import Call, Recorder, batch, calls_of, table_calls
from tests.undoing import CANCEL

EVERY_SCENARIO = (*SCENARIOS, *PEOPLE_SCENARIOS, *BEDROCK_SCENARIOS)
# Beside the town's topic a sink that is signed for, so that tell reads a secret.
SINKS = [
    *json.loads(ENVIRONMENT["PLACET_SINKS"]),
    {"name": "hook", "kind": "webhook", "url": "https://hooks.example/told", "secret": "sink-secret"},
]


# The agent whose calls are taken back has an executor for it.
AGENTS = [
    one | ({"executor": "placet-desk-executor"} if one["name"] == "support" else {})
    for one in json.loads(ENVIRONMENT["PLACET_AGENTS"])
]
OLGA = {"iam": {**OPERATOR["iam"], "userArn": OPERATOR["iam"]["userArn"].replace("/x", "/olga@example.com")}}
UNDO_S = 60
# A mail that is sent again has its timer set again.
AGAIN = Cell("picked up", "notify", "sesv2", 0, "fails")


class Book:
    """Every call that was made, and each request beside the table's as it was made: service, operation, what was given."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self.calls: set[Call] = set()
        self.recorder = Recorder()

    def add(self, calls: Iterator[Call]) -> None:
        """Write calls down; who seeds a table or looks at it is no function."""
        self.calls |= {call for call in calls if call.verb}


def play(book: Book) -> None:
    """Each scene from its beginning to its end, each scenario and each route, with every request in the book."""
    for begin in SCENES.values():
        _to_its_end(book, begin, policy)
    _to_its_end(book, SCENES[AGAIN.scene], policy, AGAIN)
    for script in (_taken_back_by_an_operator, _taken_back_by_a_reviewer):
        _to_its_end(book, lambda town, script=script: town.people.does(script(town)), undoing)
    with mock.patch.object(guarded_gateway, "GuardedTable", side_effect=lambda _rights: Recording(book)):
        for scenario in EVERY_SCENARIO:
            gateway = Guarded.under({})
            _note_functions(gateway, book)
            scenario(gateway)
        for called in every_route():
            with pytest.MonkeyPatch.context() as patch:
                gateway = Guarded.under({})
                _note_functions(gateway, book)
                wire(gateway, patch)
                played(gateway, called)


def _to_its_end(book: Book, begin: Begin, rules: Callable[[], Policy], cell: Cell | None = None) -> None:
    with _recorded(book), towns.town(rules, cell) as town:
        begin(town)
        if not town.clock.play(lambda: playing._is_over(town), playing.LONGEST_S):
            raise AssertionError(
                f"a scene does not come to its end: {playing._open(town)} {town.errors[:3]} {town.people.codes}"
            )


def undoing() -> Policy:
    """The scenes' rules, whose decisions may be taken back for a while, and refunds after they ran."""
    plain = policy()
    classes = {name: replace(found, undo_s=UNDO_S) for name, found in plain.classes.items()}
    refund = replace(
        plain.tools["issue_refund"], effect=Effect.HARD, undo=Undo(CANCEL.name, {"order_id": Argument("order_id")})
    )
    return replace(plain, classes=classes, tools={**plain.tools, "issue_refund": refund, CANCEL.name: CANCEL})


def _ran(town: towns.Town) -> Generator[Ask | float, Told, str]:
    """A refund that was accepted, held, and run; the call's id."""
    pause = yield from captures(town, "support", REFUND)
    town.people.does(decides(town, pause))
    yield from picks_up(town, "support", pause)
    return f"{pause}-1"


def _taken_back_by_an_operator(town: towns.Town) -> Script:
    """Maria, who asked for neither, lets it be taken back: its executor does."""
    call = yield from _ran(town)
    told = yield Ask("operate", "POST /v1/operations/calls/{id}/undo", OLGA, {}, call)
    assert "undo" in told.told, told
    yield from decides(town, str(told.told["undo"]))


def _taken_back_by_a_reviewer(town: towns.Town) -> Script:
    """It waits for somebody else than her, and ends."""
    call = yield from _ran(town)
    yield Ask("decide", "POST /v1/reviews/{id}/propose-undo", person("maria"), {}, call)


@contextmanager
def _recorded(book: Book) -> Iterator[None]:
    """The town's clients ask through AWS's own models, and its bus tells one sink more."""
    who: list[Any] = []

    def note(service: str, operation: str, given: dict[str, Any]) -> None:
        book.requests.append((service, operation, given))
        book.add(calls_of(verb_now(who[-1]), service, operation, given))

    plain = towns.Client

    class Client(plain):  # type: ignore[misc, valid-type]
        def _asked(self, method: str, given: dict[str, Any]) -> Any:
            answered = super()._asked
            if self._service == "dynamodb":
                book.add(table_calls(verb_now(self._town), method, given))
                return answered(method, given)
            who.append(self._town)
            try:
                return book.recorder.request(self._service, method, given, lambda: answered(method, given), note)
            finally:
                who.pop()

    with ExitStack() as patched:
        put = telling.Telling.put

        def put_and_sign(self: Any, entries: Any) -> None:
            put(self, entries)
            for entry in entries:
                detail = json.loads(entry["Detail"])
                if detail["event"] == "visible":
                    self._town.calls("tell", {"sink": "hook", "event": detail})

        patched.enter_context(mock.patch.object(towns, "Client", Client))
        patched.enter_context(mock.patch.object(telling.Telling, "put", put_and_sign))
        patched.enter_context(
            mock.patch.dict(ENVIRONMENT, PLACET_SINKS=json.dumps(SINKS), PLACET_AGENTS=json.dumps(AGENTS))
        )
        patched.enter_context(mock.patch.object(outlets, "Posting", return_value=SimpleNamespace(post=lambda *_: 200)))
        yield


def verb_now(town: Any) -> str:
    """The function that runs; empty outside of all."""
    return town._verbs[-1] if town._verbs else ""


class Recording(GuardedTable):
    """A guarded table that allows everything and writes it down."""

    def __init__(self, book: Book) -> None:
        super().__init__({})
        self._book = book

    def ask(self, action: str, *partitions: str, index: str = "") -> None:
        if action.startswith("s3:"):
            self._book.add(iter([Call(self._verb, action, "bucket")]))
            return
        for partition in partitions:
            on = f"index/{index}:{partition}" if index else f"partition:{partition}"
            self._book.add(iter([Call(self._verb, f"dynamodb:{action}", on)]))
        self._book.add(batch(self._verb, f"dynamodb:{action}", partitions))


def _note_functions(gateway: Guarded, book: Book) -> None:
    """Whom a verb has another function do something for: the real port asks, and that of the scenarios answers."""
    plain = gateway.verbs

    def note(service: str, operation: str, given: dict[str, Any]) -> None:
        book.add(calls_of(gateway.table._verb, service, operation, given))

    def invoke(**given: Any) -> Any:
        verb, payload = given["FunctionName"].rpartition(":")[2], json.loads(given["Payload"])

        def answer() -> dict[str, Any]:
            plain.called.append((verb, payload))
            if given.get("InvocationType") == "Event":
                return {}
            told = gateway.verbs.do(verb, payload)
            return {"Payload": io.BytesIO(json.dumps(told if isinstance(told, dict) else None).encode())}

        return book.recorder.request("lambda", "invoke", given, answer, note)

    arns = {verb: f"arn:aws:lambda:eu-central-1:111122223333:function:{verb}" for verb in VERBS}
    asking = LambdaVerbs(arns, SimpleNamespace(invoke=invoke))
    gateway.verbs = Through(plain, asking)


class Through(MemoryVerbs):
    """Keeps what was asked for as the scenarios read it, asked through the real port."""

    def __init__(self, plain: MemoryVerbs, asking: LambdaVerbs) -> None:
        super().__init__(plain.called, plain.do)
        self._asking = asking

    def call(self, verb: str, payload: dict[str, Any]) -> None:
        self._asking.call(verb, payload)

    def ask(self, verb: str, payload: dict[str, Any]) -> dict[str, Any]:
        return self._asking.ask(verb, payload)
