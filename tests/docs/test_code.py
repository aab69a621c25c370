"""The code in the documentation parses, and runs where it can."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.settings import TARGETS, Settings
from placet.records.keys import Keys
from placet.service import members
from placet.service.ports import Ports
from tests.docs.reading import PAGES, ROOT, blocks, rows
from tests.docs.tables import make_table
from tests.gateway import Gateway

DEPLOY = ROOT / "docs/deploy.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_parses(page: Path) -> None:
    for text in blocks(page, "python"):
        ast.parse(text)
    for text in blocks(page, "json"):
        json.loads(text)


def test_the_first_steps_in_the_readme_are_those_that_are_run() -> None:
    """tests/frameworks/langchain/test_docs.py runs the first block of docs/langchain.md; README.md shows the same one."""
    (shown,) = blocks(ROOT / "README.md", "python")
    assert shown == blocks(ROOT / "docs/langchain.md", "python")[0]


def test_reviewers_are_entered_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        names: dict[str, Any] = {"table_name": make_table(boto3.client("dynamodb")), "sub": "sub-1"}
        (text,) = blocks(DEPLOY, "python")
        exec(text, names)  # noqa: S102 - our own documentation
        ports: Ports = names["ports"]
        assert members.reviewer(ports, "sub-1").groups == {"finance", "approvers"}
        assert [item["sk"] for item in ports.table.query(Keys("main").group("finance"))] == ["U#sub-1"]


def test_groups_on_the_page_are_those_of_the_policy() -> None:
    groups = {group for one in Gateway().policy.classes.values() for level in one.levels for group in level.groups}
    assert groups == {"finance", "approvers"}


def test_every_setting_is_explained() -> None:
    explained = {name.strip("`") for name, *_ in rows(DEPLOY, "setting", "meaning", "default")}
    assert explained == set(Settings.__dataclass_fields__)
    (targets,) = blocks(DEPLOY, "json")
    assert {one["kind"]: set(one) for one in json.loads(targets)} == TARGETS
