"""Corrections to MiniStack 1.5.33; each replaces one function by name and fails at start when the name is gone.

Every correction, here and in the modules beside, has its test in ``tests/local``, run against the emulator: when a newer
MiniStack makes one superfluous, that test is where it shows.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from local.emulator.replacing import replace

Worker = tuple[Any, str]
EXCEPTION_NAME = re.compile(r"^(?:[\w.]*\.)?(\w+)(?::|$)")
ENVIRONMENTS = 4  # per function; each is a Python process of about 50 MB
QUEUE_SECONDS = 25  # how long a caller waits for a free environment before it is throttled


def apply() -> None:
    """Correct the schedule's tick, error names, the number of environments and cookies."""
    import ministack.services.lambda_svc as lambdas
    import ministack.services.scheduler as scheduler

    # MiniStack looks every 10 s; a reminder that is due should come within the second.
    replace(scheduler, "_SCHEDULE_TICK_INTERVAL", 1)
    lambdas._execute_function_warm = with_exception_names(lambdas._execute_function_warm)
    lambdas.acquire_worker = queueing(
        lambdas.acquire_worker, ENVIRONMENTS, Idle(int(os.environ["PLACET_IDLE"])).end_some
    )
    lambdas._execute_function_with_config_scope = with_cookies(lambdas._execute_function_with_config_scope)


def with_exception_names(execute: Callable[..., Any]) -> Callable[..., Any]:
    """MiniStack reports every handler exception as Runtime.HandlerError; AWS, and with it Retry and Catch, name the class."""

    def run(*args: Any, **kwargs: Any) -> Any:
        result = execute(*args, **kwargs)
        body = result.get("body")
        if result.get("error") and isinstance(body, dict) and body.get("errorType") == "Runtime.HandlerError":
            lines = [line for line in (result.get("log") or "").splitlines() if line.strip()]
            named = EXCEPTION_NAME.match(lines[-1]) if lines else None
            if named:
                body["errorType"] = named.group(1)
        return result

    return run


class Idle:
    """Ends the environments that have been idle longest, beyond ``most``; the next call of their function starts one anew.

    MiniStack keeps the first of every function for ever, which after a while are all of them.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def end_some(self) -> None:
        """Without waiting for their end."""
        import ministack.core.lambda_runtime as runtime

        with runtime._lock:
            ended = longest_idle(runtime._workers, self._most)
            for key, workers in list(runtime._workers.items()):
                runtime._workers[key] = [one for one in workers if one not in ended]
        if ended:
            threading.Thread(target=runtime.kill_workers, args=(ended,), daemon=True).start()


def longest_idle(workers: Mapping[str, list[Any]], most: int) -> list[Any]:
    """Those that are idle and not among the ``most`` that were used last."""
    idle = [one for those in workers.values() for one in those if not one.in_use]
    return sorted(idle, key=lambda one: one.last_used)[: max(len(idle) - most, 0)]


def queueing(
    acquire: Callable[..., Worker],
    environments: int,
    started: Callable[[], None] = lambda: None,
    patience: float = QUEUE_SECONDS,
) -> Callable[..., Worker]:
    """At most so many environments per function; further callers wait for one.

    Without it each request that finds all of them busy starts one more Python process: a few requests per second then
    take the whole machine. ``started`` is called when one more was started.
    """

    def run(
        name: str, config: dict[str, Any], code: bytes, qualifier: str = "$LATEST", max_concurrency: int | None = None
    ) -> Worker:
        end = time.monotonic() + patience
        while True:
            worker, how = acquire(name, config, code, qualifier=qualifier, max_concurrency=environments)
            if how == "spawn":
                started()
            if worker is not None or time.monotonic() > end:
                return worker, how
            time.sleep(0.01)

    return run


def with_cookies(execute: Callable[..., Any]) -> Callable[..., Any]:
    """HTTP API events of version 2.0 carry cookies in their own list, and not in the headers."""

    def run(function: dict[str, Any], event: Any, *args: Any, **kwargs: Any) -> Any:
        return execute(function, move_cookies(event), *args, **kwargs)

    return run


def move_cookies(event: Any) -> Any:
    headers = event.get("headers") if isinstance(event, dict) else None
    if isinstance(headers, dict) and event.get("version") == "2.0" and "cookies" not in event and "cookie" in headers:
        lines = [line.strip(" \t") for line in headers.pop("cookie").split(";")]
        event["cookies"] = [line for line in lines if line]
    return event
