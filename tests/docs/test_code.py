"""The code in the documentation parses, and runs where it can."""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

import pytest

from infra.settings import TARGETS, Settings
from tests.docs.reading import PAGES, ROOT, blocks, rows
from tests.gateway import Gateway

DEPLOY = ROOT / "docs/deploy.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_parses(page: Path) -> None:
    for text in blocks(page, "python"):
        ast.parse(text)
    for text in blocks(page, "json"):
        json.loads(text)
    for text in blocks(page, "toml"):
        tomllib.loads(text)


def test_the_first_steps_in_the_readme_are_those_that_are_run() -> None:
    """tests/frameworks/langchain/test_docs.py runs the first block of docs/langchain.md; README.md shows the same one."""
    (shown,) = blocks(ROOT / "README.md", "python")
    assert shown == blocks(ROOT / "docs/langchain.md", "python")[0]


def test_groups_on_the_page_are_those_of_the_policy() -> None:
    groups = {group for one in Gateway().policy.classes.values() for level in one.levels for group in level.groups}
    assert groups == {"finance", "approvers"}


def test_every_setting_is_explained() -> None:
    explained = {name.strip("`") for name, *_ in rows(DEPLOY, "setting", "meaning", "default")}
    assert explained == set(Settings.model_fields)
    (entries,) = blocks(DEPLOY, "toml")
    agents = Settings.of({**tomllib.loads(entries), "mail_from": "a@example.com", "login_domain_prefix": "a"}).agents
    assert {one.kind: set(one.target) for one in agents} == TARGETS
