"""A `failed` line says what went wrong and where, and never what was in the request: no exception's text, chained or not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from placet import wiring
from placet.http.routing import direct, serve

MARKER = "SECRET-ARG-7f3a"


class Panic(BaseException):
    """As compiled code raises one."""


def fail(how: str) -> None:
    try:
        raise KeyError(MARKER)
    except KeyError as cause:
        if how == "chained":
            raise ValueError(f"While checking {MARKER}") from cause
        if how == "in the same breath":
            raise ValueError(f"While checking {MARKER}")  # noqa: B904 - that is the case
        if how == "panic":
            raise Panic(MARKER) from None
        raise


SEAMS: list[tuple[str, Callable[[Callable[[], Any]], int]]] = [
    ("http", lambda work: serve({"routeKey": "GET /x"}, {"GET /x": lambda request: work()}, wiring.log)["statusCode"]),
    ("direct", lambda work: direct(work, wiring.log)["status"]),
]


@pytest.mark.parametrize("seam", [seam for _, seam in SEAMS], ids=[name for name, _ in SEAMS])
@pytest.mark.parametrize("how", ["plain", "chained", "in the same breath", "panic"])
def test_a_failure_is_answered_and_its_line_holds_no_text_of_the_exception(
    seam: Callable[..., int], how: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(wiring.logger, "error", lambda name, extra: lines.append((name, extra)))
    assert seam(lambda: fail(how)) == 500
    ((name, facts),) = lines
    assert name == "failed"
    assert facts["error"].startswith({"plain": "KeyError", "panic": "Panic"}.get(how, "ValueError from KeyError"))
    assert "functions/test_failed_lines.py:" in facts["at"].split(" > ")[-1]
    assert MARKER not in json.dumps(facts)
    out, err = capfd.readouterr()
    assert MARKER not in out + err


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("seam", [seam for _, seam in SEAMS], ids=[name for name, _ in SEAMS])
def test_the_end_of_the_process_is_no_failure(seam: Callable[..., int], ending: type[BaseException]) -> None:
    def work() -> None:
        raise ending

    with pytest.raises(ending):
        seam(work)
