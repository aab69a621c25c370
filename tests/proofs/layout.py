"""What a reviewer sees: hostile texts in every place of every page, in Chromium, at the widths of phones and desks.

No page scrolls sideways, nothing an agent wrote is cut off or painted over its neighbours, the order on screen is the order in
the text, and what hides or passes for something else stands in a frame.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from placet.web import assets
from tests.conftest import QUIET as ARGUMENTS
from tests.proofs import Proof, Size
from tests.proofs.looking.measuring import SCRIPT, Seen
from tests.proofs.looking.pages import NAMES, inbox_of, pages_of
from tests.proofs.looking.texts import Hostile, ours, texts

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

WIDTHS = {320: 568, 390: 844, 768: 1024, 1280: 900}
LEAST = 200
QUICK = (
    "order: a host behind a Hebrew one",
    "alike: thirty marks",
    "hidden: alternating wide spaces",
    "long: a condition of 1,900 characters",
    "long: a word of 590",
)
ORIGIN = "http://placet.example"
EVERY = Hostile("all", "", turns=True)


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Every text on every page at every width; the quick size takes a handful at two widths."""
    chosen = [text for text in ours() if text.name in QUICK] if size.quick else texts()
    return play(say, chosen, [390, 1280] if size.quick else list(WIDTHS), least=len(QUICK) if size.quick else LEAST)


def play(
    say: Callable[[str], None], chosen: list[Hostile], widths: list[int], least: int, window: Window | None = None
) -> Proof:
    """The proof over these texts, in an open window or in one of its own."""
    if window is None:
        with opened() as own:
            return play(say, chosen, widths, least, own)
    seen, looked = Seen(), 0
    for number, text in enumerate(chosen, 1):
        for name, html in pages_of(text.text).items():
            looked += look(window, seen, html, f"{name}, {text.name}", text, widths)
        if number % 20 == 0:
            say(f"layout: {number} of {len(chosen)} texts, {looked} looks")
    looked += look(window, seen, inbox_of(text.text for text in chosen), "inbox, all texts", EVERY, widths)
    return judged(seen, looked, len(chosen), widths, least)


def judged(seen: Seen, looked: int, count: int, widths: list[int], least: int) -> Proof:
    """The figures, and what makes the proof fail."""
    kinds = {"sideways": seen.sideways, "covered": seen.covered, "order_differs": seen.order, "unmarked": seen.unmarked}
    violations = [f"{kind} {len(found)} times, first {found[0]}" for kind, found in kinds.items() if found]
    wanted = count * len(NAMES) * len(widths) + len(widths)
    if count < least or looked != wanted:
        violations.append(f"only {count} texts and {looked} of {wanted} looks")
    figures = {"texts": count, "pages": len(NAMES), "widths": len(widths), "looks": looked}
    figures |= {kind: len(found) for kind, found in kinds.items()}
    table = "\n".join(f"{kind:<14} {one}" for kind, found in kinds.items() for one in found[:20])
    return Proof(
        "layout", table or "nothing was cut off, covered, turned around or left without a frame", figures, violations
    )


def look(window: Window, seen: Seen, html: str, where: str, text: Hostile, widths: list[int]) -> int:
    """Open one page and measure it at each width."""
    tab = window.tab
    tab.set_content(html.replace("<details", "<details open"))
    for width in widths:
        tab.set_viewport_size({"width": width, "height": WIDTHS[width]})
        facts = {"suspects": text.suspects, "hidden": text.hidden, "turns": text.turns}
        seen.add(f"{where}, {width} px", tab.evaluate(SCRIPT, facts))
    return len(widths)


@dataclass
class Window:
    """A tab that gets its pages without a server: nothing listens anywhere."""

    tab: Page


def serve(route: Route) -> None:
    """The stylesheet, the icon, or an empty page."""
    found = assets.find(route.request.url.rpartition("/")[2])
    route.fulfill(body=found[0] if found else b"", content_type=found[1] if found else "text/html")


@contextmanager
def opened() -> Iterator[Window]:
    """A window of Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "the proof looks through Chromium: make browser"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        window = Window(browser.new_context(reduced_motion="reduce").new_page())
        window.tab.set_default_timeout(20_000)
        window.tab.route("**/*", serve)
        window.tab.goto(ORIGIN)
        yield window
        browser.close()
