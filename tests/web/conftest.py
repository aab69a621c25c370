"""One browser and one server for all browser tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.served import Served

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


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The pages, served."""
    server = Served()
    yield server
    server.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it; nothing is downloaded."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    if chromium is None:
        pytest.skip("the browser tests need Chromium: apt-get install -y chromium")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=QUIET)
        yield started
        started.close()
