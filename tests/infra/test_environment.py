"""What the functions are told, and that it is what the code asks for."""

from __future__ import annotations

import json
import re

from infra.app import ROOT
from infra.checks.template import Templates, flat
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


def test_the_code_asks_for_nothing_else(templates: Templates) -> None:
    given = {name for values in variables(templates).values() for name in values}
    sources = [*ROOT.glob("layers/core/python/placet/wiring.py"), *ROOT.glob("functions/*/*.py")]
    sources += [*ROOT.glob("layers/core/python/placet/aws/*.py"), *ROOT.glob("layers/core/python/placet/web/*.py")]
    asked = {name for path in sources for name in re.findall(r"environ(?:\.get\(|\[)\"(PLACET_\w+)", path.read_text())}
    assert asked <= given


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
