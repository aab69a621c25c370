"""Start MiniStack with the corrections that the product needs (run in its own virtual environment)."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import os
import sys

VERSION = "1.5.33"


def refuse_other_versions(installed: str) -> None:
    """The corrections reach into one release's inside; with any other they could silently do nothing."""
    if installed != VERSION:
        sys.exit(f"MiniStack {installed} is installed, but the local mode's corrections are made for {VERSION} only.")


def main() -> None:
    refuse_other_versions(importlib.metadata.version("ministack"))
    # Lambda workers inherit this environment: with it they would import the checkout instead of their layers.
    os.environ.pop("PYTHONPATH", None)
    from placet.local.emulator import address, corrections, filters, guard, layers, rights, streams

    guard.end_with_parent()
    corrections.apply()
    rights.apply()
    filters.apply()
    streams.apply()
    layers.apply()
    address.apply(api_port=int(os.environ["PLACET_API_PORT"]))
    asyncio.run(_serve())


async def _serve() -> None:
    """MiniStack's own server, on two loopback ports: AWS, and the deployed API under a name that every client resolves."""
    from ministack.app import app

    serve = importlib.import_module("hypercorn.asyncio").serve
    config = importlib.import_module("hypercorn.config").Config()
    config.bind = [f"127.0.0.1:{os.environ['GATEWAY_PORT']}", f"127.0.0.1:{os.environ['PLACET_API_PORT']}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"
    await serve(app, config)


if __name__ == "__main__":
    main()
