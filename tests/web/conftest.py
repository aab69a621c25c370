"""One server for all browser tests, and a tab that looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The pages, served."""
    server = Served()
    yield server
    server.close()


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One tab without scripts: nothing may need them."""
    context = browser.new_context(
        java_script_enabled=False, reduced_motion="reduce", viewport={"width": 1280, "height": 900}
    )
    tab = context.new_page()
    tab.set_default_timeout(30_000)  # a busy machine is not a wrong page
    yield tab
    context.close()
