"""The proof of slow and absent services at its quick size, and planted bugs that it has to see."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from placet.aws import clients
from placet.aws.clients import Limits
from placet.records import writes
from placet.service.asking import reviewers_of
from placet.service.loading import head_of
from placet.service.notify import notify
from placet.service.ports import Note, wired
from placet.service.stuck import list_stuck
from tests.proofs import Size, slow
from tests.proofs.outages.playing import play
from tests.proofs.outages.scenes import SCENES
from tests.proofs.outages.troubles import KINDS, SERVICES, Cell


def test_the_proof_holds() -> None:
    proof = slow.prove(print, Size(quick=True))
    assert proof.violations == []
    assert proof.figures["services"] == len(SERVICES)
    assert {proof.figures[name] for name in ("invisible", "unsent", "over_time")} == {0}


def test_a_cell_that_never_reaches_its_service_proves_nothing() -> None:
    told = slow.judged([play(Cell("withdrawn", "sign_in", "user pool", 0, "hangs"))], Size()).violations
    assert any("never came to this request" in one for one in told)
    assert {f"{service} was never in trouble" for service in SERVICES} <= set(told)
    assert "only 1 cells" in told


def test_a_service_that_was_never_in_one_kind_of_trouble_is_missed() -> None:
    told = slow.judged([play(Cell("lambda", "notify", "sesv2", 0, "fails"))], Size(quick=True)).violations
    assert {f"sesv2 never {kind}" for kind in KINDS if kind != "fails"} <= set(told)


def test_a_text_that_is_denied_is_told_as_lost_and_comes_back_by_a_repair() -> None:
    """S3 says the same of what is absent; neither is an error of the gateway's."""
    for verb in ("review", "decide"):
        found = play(Cell("long texts", verb, "s3", 0, "refuses"))
        assert found.wrong == []
        assert "body_lost" in found.codes
        assert "bucket_refused" not in found.codes
        assert found.repaired == (verb == "decide"), "who only reads lists nothing"


def _mails_first(ports: Any, pause: str, gen: int, token: str) -> None:
    """As it was once: mail is sent before the pause is in its queue, and its error is notify's."""
    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))
    head = head_of(ports, pause)
    for person in reviewers_of(ports, head).values() if not head.notified_ms else ():
        about = {"agent": head.agent, "requester": "", "entity": "", "effect": "never"}
        moments = {"asked_ms": head.captured_ms, "deadline_ms": head.deadline_ms}
        wired(ports.mail).send(Note(person.name, person.email, pause, "money-out", ("t",), **about, **moments))  # type: ignore[arg-type]
    notify(ports, pause, gen, token)


def _mail_before_queue() -> AbstractContextManager[object]:
    return mock.patch("functions.notify.handler.notify", _mails_first)


@contextlib.contextmanager
def _timer_failure_unlists() -> Iterator[None]:
    """An error of the timer is notify's, and a wait that failed takes the pause from its reviewers."""

    def set_timer(ports: Any, pause: str, at_ms: int) -> bool:
        wired(ports.timers).set(pause, at_ms)
        return True

    def lost_wait(ports: Any, pause: str, reason: str, gen: int | None = None) -> str:
        return "listed" if list_stuck(ports, head_of(ports, pause), reason) else "went_on"

    with (
        mock.patch("placet.service.notify.set_timer", set_timer),
        mock.patch("functions.resume.handler.lost_wait", lost_wait),
    ):
        yield


def _no_time_out() -> AbstractContextManager[object]:
    """Clients as boto3 makes them when it is told nothing."""
    return mock.patch.object(clients, "Config", return_value=SimpleNamespace())


def _sent_whatever_is_left() -> AbstractContextManager[object]:
    return mock.patch.object(clients, "_fits", return_value=None)


def _nobody_mails_again() -> AbstractContextManager[object]:
    return mock.patch("functions.notify.handler.mail_again", return_value=0)


def _executors_asked_twice() -> AbstractContextManager[object]:
    return mock.patch.dict(clients.LIMITS, {"lambda/executors": Limits(3, 200, attempts=2)})  # type: ignore[arg-type]


def _nobody_restarts() -> AbstractContextManager[object]:
    return mock.patch("placet.service.sweep.start_wait", return_value=True)


def _nobody_expires() -> AbstractContextManager[object]:
    """A timer that fails is nobody's: the sweep comes an hour late."""
    return mock.patch("placet.service.sweep.GRACE_MS", 3_600_000)


PLANTED: dict[str, tuple[Callable[[], AbstractContextManager[object]], Cell, str]] = {
    "mail goes before the queue": (_mail_before_queue, Cell("lambda", "notify", "sesv2", 0, "hangs"), "invisible"),
    "a timer that fails unlists": (_timer_failure_unlists, Cell("lambda", "notify", "scheduler", 0, "refuses"), "invisible"),
    "a client without a time-out": (_no_time_out, Cell("lambda", "capture", "kms", 0, "hangs"), "over_time"),
    "nobody looks at the time": (_sent_whatever_is_left, Cell("lambda", "capture", "dynamodb", 0, "slow"), "over_time"),
    "a mail is not sent again": (_nobody_mails_again, Cell("queue", "notify", "sesv2", 0, "fails"), "unsent"),
    "a wait is not started again": (_nobody_restarts, Cell("lambda", "dispatch", "stepfunctions", 0, "fails"), "unsent"),
    "the sweep ends nothing": (_nobody_expires, Cell("expires", "notify", "scheduler", 0, "fails"), "unsent"),
    "an executor is asked twice": (_executors_asked_twice, Cell("bedrock", "resume", "lambda/executors", 0, "late"), "other"),
}  # fmt: skip


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_seen(bug: str) -> None:
    planted, cell, figure = PLANTED[bug]
    assert cell.scene in SCENES
    sound = play(cell)
    assert (sound.wrong, bool(sound.fired)) == ([], True)
    with planted():
        hurt = play(cell)
    assert getattr(hurt, figure), hurt


def test_a_reader_that_drops_what_the_bus_did_not_take_is_seen() -> None:
    """The planted bug: it says that everything was taken."""
    with mock.patch("functions.publish.handler.publish", lambda ports, changes: [True] * len(changes)):
        found = play(Cell("lambda", "publish", "events", 0, "fails"))
    assert any("the bus never heard of captured" in one for one in found.unsent)
