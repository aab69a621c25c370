"""What all tests share: one browser for pages, and how a run in several processes is divided."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same examples on every run, so that a commit is not red by draw. What is new is looked for by the proofs at full size.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

# What a test synthesizes is made from the example, whatever placet.toml is beside it.
os.environ["PLACET_SETTINGS"] = "placet.example.toml"

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# The long ones first, so that no process is left alone with one of them at the end.
FIRST = ("local", "e2e", "conformance", "cost", "proofs", "contract", "web", "frameworks", "upgrade", "infra")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The folders in their order; a file's tests stay together (`--dist loadfile`), because its fixtures are made once."""
    place = {folder: number for number, folder in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path.relative_to(Path(__file__).parent).parts[0], len(place)))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it; nothing is downloaded. Without it the tests fail: a page that nobody opened is not tested.

    Per module: while it runs, Playwright's event loop runs in this thread, and asyncio.run() of other tests would be refused.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.fail("The page tests need Chromium. Debian, Ubuntu: apt-get install -y chromium (or: make browser)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=QUIET)
        yield started
        started.close()
