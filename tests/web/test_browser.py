"""The pages in a real browser under their real headers: policy, width, keyboard, accessibility."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.gallery import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTRAST = {"type": "rule", "values": ["color-contrast"]}  # the one rule that the scheme can change
AXE = files("axe_playwright_python").joinpath("axe.min.js") if find_spec("axe_playwright_python") else None
WIDE_TEXT = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }"


@pytest.fixture(scope="module")
def probe(browser: Browser) -> Iterator[Page]:
    """A tab in which the test itself may run scripts; the page's own policy still holds for the page."""
    assert AXE is not None, "the browser tests need axe-playwright-python, for the axe script that it ships"
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", viewport={"width": 320, "height": 700})
    context.add_init_script(AXE.read_text())
    tab = context.new_page()
    tab.set_default_timeout(30_000)  # a busy machine is not a wrong page
    yield tab
    context.close()


@pytest.fixture(scope="module")
def guarded(browser: Browser) -> Iterator[Page]:
    """A tab with scripts on and the policy in force, to hear its reports."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_no_page_breaks_its_policy(guarded, served):
    reports: list[str] = []
    guarded.on("console", lambda message: reports.append(message.text))
    guarded.on("pageerror", lambda error: reports.append(str(error)))
    for name in PAGES:
        answer = guarded.goto(f"{served.base}/{name}")
        assert answer.status == 200
        assert guarded.locator("body").evaluate("body => getComputedStyle(body).margin") == "0px", (
            "the stylesheet is in force"
        )
    assert reports == []


def test_the_policy_bites(guarded, served):
    guarded.goto(f"{served.base}/detail")
    written = "try { document.createElement('p').innerHTML = '<b>x</b>'; return true } catch { return false }"
    assert not guarded.evaluate(f"() => {{ {written} }}")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_320_pixels_and_axe_finds_nothing_in_light_or_dark(probe, served, name):
    probe.emulate_media(color_scheme="light")
    probe.goto(f"{served.base}/{name}")
    _open_all(probe)
    assert _overhang(probe) == 0
    assert _violations(probe, RULES) == []
    probe.emulate_media(color_scheme="dark")
    assert _violations(probe, CONTRAST) == []
    probe.add_style_tag(content=WIDE_TEXT)
    assert _overhang(probe) == 0, "with the text spacing of WCAG 1.4.12"


def test_a_planted_grey_text_is_found(probe, served):
    probe.emulate_media(color_scheme="light")
    probe.goto(f"{served.base}/planted")
    assert _violations(probe, CONTRAST) == ["color-contrast: .planted"]
    probe.emulate_media(color_scheme="dark")
    assert _violations(probe, RULES) == []


def test_tab_reaches_reject_then_edit_then_accept(probe, served):
    probe.goto(f"{served.base}/detail")
    probe.evaluate("() => document.querySelector('#decide-1').scrollIntoView()")
    probe.focus("#own-1")
    order = [_tab(probe) for _ in range(4)]
    assert order == ["Reject", "Edit the arguments", "typed-1", "Accept: refund 1,240.00 EUR for order 1182"]


def test_tab_goes_through_the_absence_in_the_order_of_reading(probe, served):
    probe.goto(f"{served.base}/people-planned")
    probe.focus("#delegate")
    said = [_tab(probe) for _ in range(3)]
    assert said == ["Save the absence", "Look at it again", "Leave it as it is"]


def test_problems_lead_to_their_fields(probe, served):
    probe.goto(f"{served.base}/detail-errors")
    probe.click("text=That is not the amount. >> nth=0")
    assert probe.url.endswith("#typed-1")
    assert probe.input_value("#typed-1") == "12"
    assert probe.get_attribute("#typed-1", "aria-invalid") == "true"
    assert probe.is_checked("input[name=reason-1][value=own]")


def _open_all(page: Page) -> None:
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true })")


def _overhang(page: Page) -> int:
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def _tab(page: Page) -> str:
    page.keyboard.press("Tab")
    said = "one => one.localName === 'input' ? one.name : one.textContent.trim()"
    return str(page.locator(":focus").evaluate(said))


def _violations(page: Page, rules: dict[str, Any]) -> list[str]:
    run = f"() => axe.run(document, {{ runOnly: {json.dumps(rules)}, resultTypes: ['violations'] }})"
    found: list[dict[str, Any]] = page.evaluate(run)["violations"]
    return [f"{one['id']}: {node['target'][0]}" for one in found for node in one["nodes"]]
