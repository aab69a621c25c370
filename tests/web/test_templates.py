"""The templates themselves: what a page forgets to ask for is safe, and where the default would be wrong it is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import pytest

from placet.web import rendering

TEMPLATES = sorted((Path(rendering.__file__).parent / "templates").iterdir())
MAILS = {"letter.html", "mail.html", "digest.html"}  # a mail stands alone: no page and no policy of a page is around it


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_value_in_an_attribute_is_escaped_for_attributes(path):
    source = path.read_text()
    for attribute in re.findall(r'="[^"]*"', source):
        for value in re.findall(r"\{\{(.*?)\}\}", attribute):
            literal = re.fullmatch(r"\s*'[\w-]+' if [\w.]+( == '\w+')? else '[\w-]+'\s*", value)
            assert literal or re.search(r"\|(attr|title)\s*$", value), f"{path.name}: {attribute}"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_switches_escaping_off(path):
    source = path.read_text()
    assert "|safe" not in source
    assert "autoescape" not in source
    assert "Markup" not in source


@pytest.mark.parametrize("path", [path for path in TEMPLATES if path.name not in MAILS], ids=lambda path: path.name)
def test_no_template_holds_a_style_or_a_script(path):
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|https?://", path.read_text())


def test_a_fact_that_is_missing_is_an_error_and_not_a_gap():
    with pytest.raises(jinja2.UndefinedError):
        rendering.render("lone.html", title="x")
