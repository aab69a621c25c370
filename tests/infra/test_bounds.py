"""Every number of the settings has two ends, and every address and name is one that whoever gets it takes."""

from __future__ import annotations

from typing import Any

import pytest

from infra.addresses import is_host, is_public, origin_amiss
from infra.bounds import BOUNDS, EXACT
from infra.brakes import DEFAULTS
from infra.registry import Agent
from infra.settings import VERBS, Settings, SettingsError
from tests.infra.test_settings import AGENT, BEDROCK, GOOD, INLINE, WEBHOOK

TABLES = {"reserved_concurrency": VERBS, "requests_per_second": tuple(DEFAULTS)}
ODD: tuple[Any, ...] = (-1, 10**40, EXACT + 1, 1.0, True, "5", None, float("nan"))


def numbers() -> dict[str, tuple[str, ...]]:
    """Every field of the settings that holds whole numbers, alone or by name."""
    found = {name: field.annotation for name, field in Settings.model_fields.items()}
    return {
        name: TABLES.get(name, ("",)) for name, kind in found.items() if "int" in str(kind).replace("PlainValid", "")
    }


def refused(**changed: Any) -> str:
    with pytest.raises(SettingsError) as error:
        Settings.of({**GOOD, **changed})
    return str(error.value)


def test_every_number_is_in_the_table_or_a_choice() -> None:
    assert {*numbers(), "keeps_runs_days"} == {*BOUNDS, "log_days"}
    assert all(0 <= least < most <= EXACT for least, most in BOUNDS.values())


@pytest.mark.parametrize("name", sorted(numbers()))
def test_a_number_outside_is_refused_by_its_name(name: str) -> None:
    least, most = BOUNDS.get(name, (7, 90))
    for key in numbers()[name]:
        for odd in (*ODD, 0, least - 1, most + 1):
            assert name in refused(**{name: {key: odd} if key else odd})
        for right in (least, most):
            Settings.of({**GOOD, name: {key: right} if key else right})


def test_a_number_of_an_agent_is_refused_by_its_name() -> None:
    whole = {name for name, kind in Agent.__annotations__.items() if kind == "int"}
    assert whole == {"keeps_runs_days"}
    for odd in (*ODD, 3_651):
        assert "keeps_runs_days of a must be whole days" in refused(agents=[{**AGENT, "keeps_runs_days": odd}])
    for target in (BEDROCK, INLINE):
        for odd in (*ODD, 0):
            assert "session_ttl_s must be" in refused(agents=[{**AGENT, "target": {**target, "session_ttl_s": odd}}])


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("https://ACME.dev", "https://acme.dev"),
        ("https://acme.dev:443", "https://acme.dev"),
        ("https://Approvals.ACME.dev:8443", "https://approvals.acme.dev:8443"),
        ("https://acme.dev/", "https://acme.dev"),
        ("https://acme.dev:08443", "https://acme.dev:8443"),
        ("https://b\u00fcro.dev", "https://xn--bro-hoa.dev"),
        ("https://acme.dev\u200b", "https://acme.dev"),
        ("HTTPS://acme.dev", "https://acme.dev"),
        *((f"https://{odd}", "") for odd in (
            "user:pw@acme.dev", "acme.dev\nX: 1", "acme.dev ", 'acme.dev"><b>', "acme.dev\\@evil.dev",
            "acme.dev:99999", "acme.dev:0",
            "acme.dev:\u0664\u0664\u0663", ":443", "...", "acme..dev",
            "-a.dev", "127.1", "0x7f.0.0.1", f"{'a' * 64}.dev", "a.dev\t",
        )),
        ("http://acme.dev", ""),
        ("acme.dev", ""),
    ],
)  # fmt: skip
def test_the_inbox_is_where_a_browser_says_that_it_is(value: str, right: str) -> None:
    said = refused(public_base_url=value)
    assert (f"write {right}, not" in said) if right else ("https://host:port" in said)
    if right:
        assert origin_amiss(right) == ""
        assert Settings.of({**GOOD, "public_base_url": right}).public_base_url == right


@pytest.mark.parametrize(
    "host",
    [
        "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "0x7f000001", "127.0.0.1", "10.0.0.1.", "100.64.0.1", "224.0.0.1",
        "240.0.0.1",
        "192.0.0.8", "198.18.0.1", "255.255.255.255", "1.2.3", "1.2.3.4.5", "a.0x1",
        f"{'a' * 64}.dev", "a-.dev", "-a.dev", "a..dev", "dev",
        "x.lan", "x.localdomain", "x.local", "x.internal", f"{'a.' * 126}dev", "agents.example.com:0", "agents.example.com:00443",
        "agents.example.com:65536", "agents.example.com:\u0664\u0664\u0663", "b\u00fcro.dev",
    ],
)  # fmt: skip
def test_a_webhook_goes_to_no_odd_host(host: str) -> None:
    assert not is_public(f"https://{host}/x")
    assert "url must be https://host/path of a public host" in refused(
        agents=[{**AGENT, "target": {**WEBHOOK, "url": f"https://{host}/x"}}]
    )
    assert "url of hook must be" in refused(
        sinks=[{"name": "hook", "kind": "webhook", "url": f"https://{host}/x", "secret": "s"}]
    )


def test_a_webhook_goes_to_a_plain_one() -> None:
    for right in (
        "agents.example.com",
        "Agents.Example.com:8443",
        "1.1.1.1",
        "xn--bro-hoa.dev",
        "a.0b.dev",
        "3com.net",
    ):
        assert is_public(f"https://{right}/x%20y")
    assert not is_public("https://agents.example.com/%zz")
    assert is_host("1.1.1.1")


OURS = ("PlacetGateway-escalate", "placetgateway-Capture", "PlacetData-x")


@pytest.mark.parametrize("name", OURS)
def test_no_part_of_the_gateway_is_what_its_registry_names(name: str) -> None:
    queue = {"kind": "sqs", "queue": f"{name}.fifo"}
    for target in (
        {"kind": "lambda", "function": name},
        {**BEDROCK, "executor": name},
        {**INLINE, "executor": name},
        queue,
    ):
        assert f"not '{name}" in refused(agents=[{**AGENT, "target": target}])
    assert "executor of a must be the name of a Lambda function of yours" in refused(
        agents=[{**AGENT, "executor": name}]
    )
    assert "role of a must be the name of a role of yours" in refused(agents=[{**AGENT, "role": name}])
    assert "operators must be names of roles of yours" in refused(operators=[name])
    assert "groups_function must be the name of a Lambda function of yours" in refused(groups_function=name)
    assert "topic of t must be the name of an SNS topic of yours" in refused(
        sinks=[{"name": "t", "kind": "sns", "topic": name}]
    )


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"agents": [{**AGENT, "framework": 0}]}, "framework of a must be text"),
        ({"agents": [{**AGENT, "framework": {}}]}, "framework of a must be text"),
        ({"agents": [{**AGENT, "executor": False}]}, "executor of a must be"),
        ({"agents": [{**AGENT, "executor": 0}]}, "executor of a must be"),
        ({"agents": [{**AGENT, "target": {**BEDROCK, "region": "eu-central-\uff11"}}]}, "region must be a region"),
        ({"identity_providers": ["A", "A"]}, "identity_providers names A twice"),
        ({"operators": ["olga", "olga"]}, "operators names olga twice"),
        ({"mail_from": "p..q@acme.dev"}, "mail_from must be a mail address"),
        ({"mail_from": ".p@acme.dev"}, "mail_from must be a mail address"),
        ({"mail_from": "p.@acme.dev"}, "mail_from must be a mail address"),
        *(({"permissions_boundary": odd}, "permissions_boundary must be the name") for odd in ("arn:aws:iam::1:p/x", "*", "", " ")),
    ],
    ids=lambda one: str(one)[-32:],
)  # fmt: skip
def test_what_nobody_could_use_is_refused(changed: dict[str, Any], says: str) -> None:
    assert says in refused(**changed)
