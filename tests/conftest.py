"""One browser for every test that looks at pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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
