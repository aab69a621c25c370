"""What the functions are told, and that it is what the code asks for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from infra.app import ROOT
from infra.checks.template import Templates, flat
from infra.constructs.layer_rules import NOT_DEPLOYED
from placet.wiring.environment import VERBS, Environment, NotTold
from tests.infra.conftest import example

COMMON = {
    "PLACET_TABLE",
    "PLACET_TENANT",
    "PLACET_DATA",
    "PLACET_EPOCH",
    "PLACET_AGENTS",
    "POWERTOOLS_SERVICE_NAME",
    "POWERTOOLS_LOG_LEVEL",
}
TIMERS = {"PLACET_SCHEDULE_GROUP", "PLACET_SCHEDULE_ROLE_ARN", "PLACET_SCHEDULE_DLQ_ARN", "PLACET_ESCALATE_ARN"}
OWN = {
    "capture": {"PLACET_ID_KEY", "PLACET_BUCKET", "PLACET_MOST_OPEN"},
    "dispatch": {"PLACET_STATE_MACHINE_ARN", "PLACET_ESCALATE_ARN"},
    "notify": {*TIMERS, "PLACET_MAIL_FROM", "PLACET_MAIL_CONFIGURATION_SET", "PLACET_BASE_URL"},
    "escalate": {*TIMERS, "PLACET_NOTIFY_ARN"},
    "review": {"PLACET_BASE_URL", "PLACET_BUCKET"},
    "decide": {"PLACET_BASE_URL", "PLACET_BUCKET", "PLACET_RESUME_ARN"},
    "sign_in": {"PLACET_BASE_URL", "PLACET_LOGIN_URL", "PLACET_CLIENT_ID", "PLACET_ISSUER", "PLACET_JWKS_URL"},
    "invoke_agent": {"PLACET_ID_KEY", "PLACET_BUCKET", "PLACET_MOST_OPEN", "PLACET_RESUME_ARN"},
    "resume": {"PLACET_ID_KEY", "PLACET_BUCKET", "PLACET_MOST_OPEN"},
    "pick_up": {"PLACET_BUCKET"},
    "execute": {"PLACET_BUCKET"},
    "sweep": {"PLACET_STATE_MACHINE_ARN", "PLACET_RESUME_ARN", "PLACET_ESCALATE_ARN", "PLACET_NOTIFY_ARN"},
    "operate": {"PLACET_OPERATORS", "PLACET_RESUME_ARN"},
    "publish": {"PLACET_BUS", "PLACET_BASE_URL"},
    "tell": {"PLACET_SINKS", "PLACET_TOPICS"},
    "bounce": set(),
}


def variables(templates: Templates) -> dict[str, dict[str, object]]:
    return {verb: one["Environment"]["Variables"] for verb, _, one in templates.functions()}


def test_each_function_is_told_exactly_this(templates: Templates) -> None:
    assert {verb: set(values) for verb, values in variables(templates).items()} == {
        verb: COMMON | own for verb, own in OWN.items()
    }


def test_the_code_asks_for_nothing_else_and_in_one_place(templates: Templates) -> None:
    given = {name for values in variables(templates).values() for name in values}
    core = ROOT / "layers/core/python/placet"
    sources = {path: path.read_text() for path in (*core.rglob("*.py"), *ROOT.glob("functions/*/*.py"))}
    read = {path for path, text in sources.items() if re.search(r"os\.environ|getenv", text)}
    assert {
        path.relative_to(core) for path in read if path.is_relative_to(core) and not _elsewhere(path.relative_to(core))
    } == {Path("wiring/environment.py")}
    asked = set(re.findall(r'"(PLACET_\w+)"', sources[core / "wiring/environment.py"])) | {
        f"PLACET_{verb.upper()}_ARN" for verb in VERBS
    }
    assert asked <= given
    assert len(asked) > 20


def _elsewhere(path: Path) -> bool:
    """Whether a file of the package runs elsewhere than in Lambda."""
    return path.parts[0] in NOT_DEPLOYED


def test_each_value_is_read_and_one_that_was_not_told_is_named() -> None:
    values = [name for name, value in vars(Environment).items() if isinstance(value, property)]
    wiring = (ROOT / "layers/core/python/placet/wiring/__init__.py").read_text()
    assert [name for name in values if f"TOLD.{name}" not in wiring] == []
    with pytest.raises(NotTold, match=r"^PLACET_TABLE is not set for this function$"):
        _ = Environment({}).table
    told = Environment({"PLACET_BASE_URL": "https://a.example/", "PLACET_RESUME_ARN": "arn", "PLACET_EPOCH": "3"})
    assert (told.base_url, told.verbs, told.epoch, told.tenant) == ("https://a.example", {"resume": "arn"}, 3, "main")


def test_the_registry_is_the_settings(templates: Templates) -> None:
    settings = example()
    assert json.loads(str(variables(templates)["resume"]["PLACET_AGENTS"])) == settings["agents"]
    assert json.loads(str(variables(templates)["operate"]["PLACET_OPERATORS"])) == settings["operators"]


def test_who_opens_the_bucket_is_told_its_name(templates: Templates) -> None:
    for path in (ROOT / "functions").glob("*/handler.py"):
        told = "PLACET_BUCKET" in variables(templates)[path.parent.name]
        assert told == ('"bodies"' in path.read_text()), path.parent.name


def test_links_are_built_from_the_api_or_the_setting(templates: Templates) -> None:
    assert re.fullmatch(r"<ApiHttp\w+\.ApiEndpoint>", flat(variables(templates)["notify"]["PLACET_BASE_URL"]))


def test_no_secret_is_in_an_environment(templates: Templates) -> None:
    for values in variables(templates).values():
        assert not [name for name in values if re.search("SECRET|PASSWORD|TOKEN|PRIVATE", name)]
