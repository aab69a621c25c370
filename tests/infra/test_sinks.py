"""Sinks in the settings: what is refused with a sentence, and what an installation with one of each kind may reach."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.app import placet
from infra.checks import Templates, findings
from infra.checks.template import flat
from infra.registry import Agent
from infra.settings import Settings, SettingsError
from infra.sinks import check_sinks, read_sinks
from placet.model.bus import Kind
from placet.model.sinks import WAITS, sink_of
from tests.infra.conftest import example, synthesize
from tests.infra.test_targets import reached

SINKS: list[dict[str, Any]] = [
    {"name": "ops-topic", "kind": "sns", "topic": "placet-ops", "events": ["stuck", "expired"]},
    {"name": "finance", "kind": "slack", "secret": "chat/finance", "classes": ["money-out"], "headline": True},
    {"name": "all-hands", "kind": "teams", "secret": "chat/all"},
    {"name": "audit", "kind": "webhook", "url": "https://audit.example.com/placet", "secret": "hooks/audit", "events": list(Kind)},
]  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    found = Templates.read(synthesize(tmp_path_factory.mktemp("told"), sinks=SINKS))
    assert list(findings(found)) == []
    return found


@pytest.mark.parametrize(("one", "other"), [("ops-1", "ops1"), ("a--b", "a-b"), ("ops", "ops-")])
def test_names_that_differ_by_hyphens_only_are_refused(one: str, other: str) -> None:
    with pytest.raises(SettingsError, match=f"^sinks: {one} and {other} differ by hyphens only"):
        read_sinks([{**SINKS[0], "name": one}, {**SINKS[0], "name": other}])
    assert len(read_sinks([{**SINKS[0], "name": one}, {**SINKS[0], "name": "other-1"}])) == 2


def test_a_sink_is_for_a_class_that_there_is_or_was() -> None:
    sinks = read_sinks([{**SINKS[1], "classes": ["money-out", "mony-out"]}])
    with pytest.raises(
        SettingsError, match="classes of finance: the policy has no class mony-out; money-out was meant"
    ):
        check_sinks(sinks, ["money-out", "general"])
    check_sinks(sinks, ["money-out"], ["mony-out"])
    check_sinks(read_sinks(SINKS), ["money-out"])
    with pytest.raises(SettingsError, match="the policy has no class nobodys"):
        placet(Settings.of({**example(), "sinks": [{**SINKS[1], "classes": ["nobodys"]}]}))


@pytest.mark.parametrize(
    "host",
    ["10.0.0.1", "127.0.0.1", "169.254.169.254", "localhost", "x.localhost", "printer.local", "a.internal", "intranet",
     "192.168.0.1:8443", "LOCALHOST", "localhost.", "a.example.com:99999", "a.example.com:0", "a..example.com"],
)  # fmt: skip
def test_a_webhook_that_no_function_may_call_is_refused_at_once(host: str) -> None:
    with pytest.raises(SettingsError, match="of a public host"):
        read_sinks([{**SINKS[3], "url": f"https://{host}/x"}])
    with pytest.raises(SettingsError, match="of a public host"):
        Agent("a", "r", "o@example.com", {"kind": "webhook", "url": f"https://{host}/x", "secret": "s"})


@pytest.mark.parametrize("host", ["93.184.216.34", "hooks.example.com:8443", "locale.example", "10.example.com"])
def test_a_webhook_of_a_public_host_is_taken(host: str) -> None:
    assert read_sinks([{**SINKS[3], "url": f"https://{host}/x"}])


def rules(templates: Templates) -> dict[str, Any]:
    return {name: one for name, one in templates.of("AWS::Events::Rule").items() if name.startswith("Sinks")}


def test_each_sink_has_a_rule_of_what_it_asked_for(told: Templates) -> None:
    patterns = {one["Description"].rpartition(" sink ")[2].partition(" ")[0]: one for one in rules(told).values()}
    assert set(patterns) == {one["name"] for one in SINKS}
    asked = {name: one["EventPattern"] for name, one in patterns.items()}
    assert asked["ops-topic"] == {"source": ["placet"], "detail-type": ["placet.stuck", "placet.expired"]}
    assert asked["finance"]["detail"] == {"classes": ["money-out"]}
    assert asked["all-hands"]["detail-type"] == [f"placet.{kind}" for kind in WAITS]
    assert len(asked["audit"]["detail-type"]) == len(Kind)
    for name, one in patterns.items():
        (target,) = one["Targets"]
        assert f'"sink":"{name}"' in flat(target["InputTransformer"]["InputTemplate"])
        assert "DeadLetterConfig" in target
        assert flat(one["EventBusName"]) != "default"


def test_tell_reaches_exactly_what_is_named(told: Templates) -> None:
    assert reached(told, "sns:Publish", "tell") == {"sns:placet-ops"}
    assert reached(told, "secretsmanager:GetSecretValue", "tell") == {
        f"secretsmanager:secret:{name}-??????" for name in ("chat/finance", "chat/all", "hooks/audit")
    }


def test_tell_is_told_the_names_and_no_secret(told: Templates) -> None:
    (variables,) = [one["Environment"]["Variables"] for verb, _, one in told.functions() if verb == "tell"]
    assert [sink_of(entry) for entry in json.loads(variables["PLACET_SINKS"])] == list(read_sinks(SINKS))


def test_without_sinks_nothing_is_reached_and_nothing_fires(templates: Templates) -> None:
    assert rules(templates) == {}
    assert (
        reached(templates, "sns:Publish", "tell")
        == reached(templates, "secretsmanager:GetSecretValue", "tell")
        == set()
    )


def test_mails_that_did_not_arrive_are_heard_of(templates: Templates) -> None:
    (destination,) = templates.of("AWS::SES::ConfigurationSetEventDestination").values()
    assert destination["EventDestination"]["MatchingEventTypes"] == ["bounce", "complaint", "reject"]
    (rule,) = [one for name, one in templates.of("AWS::Events::Rule").items() if "Bounced" in name]
    assert rule["EventPattern"]["detail-type"] == ["Email Bounced", "Email Complaint Received", "Email Rejected"]
    assert "ConfigurationSet" in json.dumps(rule["EventPattern"]["detail"])


GOOD = {"name": "a", "kind": "slack", "secret": "chat/a"}


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ({**GOOD, "name": "A b"}, "name"),
        ({**GOOD, "kind": "irc"}, "one of sns, slack, teams, webhook"),
        ({**GOOD, "url": "https://x.example.com"}, "has no url"),
        ({**GOOD, "secret": "https://hooks.slack.com/services/T/B/X"}, "secret"),
        ({"name": "a", "kind": "slack"}, "secret"),
        ({"name": "a", "kind": "sns", "topic": "arn:aws:sns:eu:1:t"}, "without ARN"),
        ({"name": "a", "kind": "webhook", "url": "http://x.example.com/", "secret": "s"}, "url"),
        ({**GOOD, "events": "visible"}, "events"),
        ({**GOOD, "events": ["approved"]}, "events"),
        ({**GOOD, "events": []}, "events"),
        ({**GOOD, "classes": "money-out"}, "classes"),
        ({**GOOD, "headline": "no"}, "headline"),
        ("slack", "name"),
    ],
)
def test_a_sink_with_a_mistake_is_refused_by_name(entry: Any, word: str) -> None:
    with pytest.raises(SettingsError, match=word):
        read_sinks([entry])


@pytest.mark.parametrize("entries", ["slack", {}, [GOOD, GOOD], [{**GOOD, "name": f"a{n}"} for n in range(21)]])
def test_sinks_that_do_not_fit_together(entries: Any) -> None:
    with pytest.raises(SettingsError):
        read_sinks(entries)
