"""Start MiniStack with the corrections that the product needs (run in its own virtual environment)."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import os
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local.emulator.doors import App

VERSION = "1.5.33"


def refuse_other_versions(installed: str) -> None:
    """The corrections reach into one release's inside; with any other they could silently do nothing."""
    if installed != VERSION:
        sys.exit(f"MiniStack {installed} is installed, but the local mode's corrections are made for {VERSION} only.")


def main() -> None:
    refuse_other_versions(importlib.metadata.version("ministack"))
    # Lambda workers inherit this environment: with it they would import the checkout instead of their layers.
    os.environ.pop("PYTHONPATH", None)
    from local.emulator import (
        address,
        answers,
        buses,
        changes,
        corrections,
        exchanges,
        filters,
        guard,
        keys,
        layers,
        rights,
        streams,
    )

    guard.end_with_parent()
    corrections.apply()
    rights.apply()
    answers.apply()
    buses.apply()
    filters.apply()
    streams.apply()
    layers.apply()
    changes.apply()
    exchanges.apply(exchanges.Places.taken_from(os.environ))
    keys.apply()
    address.apply()
    asyncio.run(_serve())


async def _serve() -> None:
    """MiniStack's own server, on two loopback ports: AWS, and the deployed API under a name that every client resolves.

    Browsers ask either address of `localhost` first: on one that was left out, another user of the machine could be asked.
    """
    serve = importlib.import_module("hypercorn.asyncio").serve
    config = importlib.import_module("hypercorn.config").Config()
    gateway, api = int(os.environ["GATEWAY_PORT"]), int(os.environ["PLACET_API_PORT"])
    config.bind = [f"{host}:{port}" for host in addresses() for port in (gateway, api)]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    await serve(_guarded(gateway, api), config)


def addresses() -> list[str]:
    """Those of `localhost` that this machine has, as they stand in an address."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return ["127.0.0.1"]
    return ["127.0.0.1", "[::1]"]


def _guarded(gateway: int, api: int) -> App:
    """MiniStack behind the doors of its two ports."""
    from ministack.app import app
    from ministack.core.iam_actions import unsigned_operations

    from local.emulator import address, keys, ways
    from local.emulator.doors import Door, over_asgi

    unsigned = ways.of_aws(lambda: unsigned_operations("cognito-idp"))
    doors = (
        Door(gateway, keys.of_emulator, unsigned),
        Door(api, keys.of_emulator, ways.of_api(address.authorization)),
    )
    return over_asgi(address.marked(app, api), {door.port: door for door in doors}, keys.told)


if __name__ == "__main__":
    main()
