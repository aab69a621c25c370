"""A restored table takes the place of the stack's own by two settings: the old one stays, all reads go to the new."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest

from infra.checks import findings
from infra.checks.template import Templates, flat
from infra.checks.template import resources as named
from tests.infra.conftest import synthesize
from tests.infra.test_doors import STREAM


@pytest.fixture(scope="module")
def restored(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    folder = tmp_path_factory.mktemp("restored")
    return Templates.read(synthesize(folder, restored_table="restored", restored_stream=STREAM, epoch=2))


def test_nothing_of_what_is_kept_changes(templates: Templates, restored: Templates) -> None:
    assert restored.data["Resources"] == templates.data["Resources"]
    assert set(restored.data["Outputs"]) == set(templates.data["Outputs"])
    moved = {name for name, one in restored.data["Outputs"].items() if one != templates.data["Outputs"][name]}
    assert moved == {"TableName"}
    assert restored.data["Outputs"]["TableName"]["Value"] == "restored"


def test_everything_of_the_gateway_names_the_restored_table(restored: Templates) -> None:
    rights = [
        resource
        for statements in restored.roles.values()
        for one in statements
        if "dynamodb:" in str(one["Action"]) and "ListStreams" not in str(one["Action"])
        for resource in named(one)
    ]
    assert rights
    assert all(re.search(":table/restored(/index/|/stream/|$)", resource) for resource in rights)
    assert {one["Environment"]["Variables"]["PLACET_TABLE"] for _, _, one in restored.functions()} == {"restored"}
    streams = {flat(one["EventSourceArn"]) for one in restored.of("AWS::Lambda::EventSourceMapping").values()}
    assert [one.rpartition(":table/")[2] for one in streams] == [STREAM.rpartition(":table/")[2]]
    assert "TableCD117FA1" not in str(restored.gateway)


def test_rights_are_the_same_but_for_the_name(templates: Templates, restored: Templates) -> None:
    def shape(found: Templates) -> dict[str, list[object]]:
        shapes = copy.deepcopy(dict(found.roles))
        for statements in shapes.values():
            for one in statements:
                if "dynamodb:" in str(one["Action"]):
                    one.pop("Resource")
        return {role: list(statements) for role, statements in shapes.items()}

    assert shape(restored) == shape(templates)


def test_ids_stay_and_checks_find_nothing(templates: Templates, restored: Templates) -> None:
    assert set(restored.gateway["Resources"]) == set(templates.gateway["Resources"])
    assert [f"{check.__name__}: {what}" for check, what in findings(restored)] == []


def test_a_change_of_the_data_stack_changes_the_gateway(templates: Templates, tmp_path: Path) -> None:
    other = Templates.read(synthesize(tmp_path, require_mfa=False))
    said = [
        {one["Environment"]["Variables"]["PLACET_DATA"] for _, _, one in found.functions()}
        for found in (templates, other)
    ]
    assert [len(one) for one in said] == [1, 1]
    assert said[0] != said[1]
    assert list(findings(other)) == []
