"""The deployed routes are the documented ones, and each asks the right way who is calling."""

from __future__ import annotations

import re

from infra.app import ROOT
from infra.checks.edge import PAGES
from infra.checks.template import Templates, flat, verb_of


def deployed(templates: Templates) -> dict[str, tuple[str, str]]:
    """Route key → (authorization, verb)."""
    integrations = {
        name: flat(one["IntegrationUri"]) for name, one in templates.of("AWS::ApiGatewayV2::Integration").items()
    }
    found = {}
    for one in templates.of("AWS::ApiGatewayV2::Route").values():
        integration = one["Target"]["Fn::Join"][1][1]["Ref"]
        function = re.search(r"<(\w+)\.Arn>", integrations[integration])
        found[one["RouteKey"]] = (one.get("AuthorizationType", "NONE"), verb_of(function[1]) if function else "?")
    return found


def nameless(key: str) -> str:
    return re.sub(r"\{\w+\}", "{}", key)


def test_every_documented_route_is_deployed_and_no_other() -> None:
    documented = set(re.findall(r"^### `((?:GET|POST) /v1/[^`]+)`", (ROOT / "docs" / "api.md").read_text(), re.M))
    from infra.constructs.api import AGENT_ROUTES, OPERATOR_ROUTES, REVIEWER_ROUTES

    tables = (AGENT_ROUTES, OPERATOR_ROUTES, REVIEWER_ROUTES)
    routes = {key for table in tables for keys in table.values() for key in keys}
    assert {nameless(key) for key in routes} == {nameless(key) for key in documented}


def test_each_function_serves_the_routes_that_lead_to_it(templates: Templates) -> None:
    routed: dict[str, set[str]] = {}
    for key, (_, verb) in deployed(templates).items():
        routed.setdefault(verb, set()).add(key)
    for verb, keys in routed.items():
        source = (ROOT / "functions" / verb / "handler.py").read_text()
        assert set(re.findall(r'"((?:GET|POST) /[^"]*)": ', source)) == keys, verb


def test_agents_sign_reviewers_bring_a_token_pages_check_their_session(templates: Templates) -> None:
    kinds = {key: kind for key, (kind, _) in deployed(templates).items()}
    assert {key for key, kind in kinds.items() if kind == "NONE"} == PAGES
    assert {key for key, kind in kinds.items() if kind == "JWT"} == {
        "GET /v1/reviews", "GET /v1/reviews/{id}", "POST /v1/reviews/away", "POST /v1/reviews/back",
        "POST /v1/reviews/{id}/decision", "POST /v1/reviews/{id}/undo", "POST /v1/reviews/{id}/propose-undo",
        "POST /v1/reviews/{id}/reassign",
        "POST /v1/reviews/{id}/extend", "POST /v1/reviews/{id}/comments", "POST /v1/reviews/{id}/ask",
    }  # fmt: skip
    signed = {key for key in kinds if re.search("/v1/(pauses|gates|resumes|calls|agents|runs|operations)", key)}
    assert {key for key, kind in kinds.items() if kind == "AWS_IAM"} == signed
    assert set(kinds.values()) == {"NONE", "JWT", "AWS_IAM"}


def test_operators_have_a_function_of_their_own(templates: Templates) -> None:
    for key, (_, verb) in deployed(templates).items():
        assert key.split("/")[1:3] == ["v1", "operations"] if verb == "operate" else "operations" not in key


def test_reading_and_deciding_are_different_functions(templates: Templates) -> None:
    for key, (_, verb) in deployed(templates).items():
        if verb == "review":
            assert key.startswith("GET "), "review has no write right: it can serve nothing but GET"
        if verb == "decide":
            assert key.startswith("POST ")


def test_the_access_log_has_a_listed_set_of_fields(templates: Templates) -> None:
    (stage,) = templates.of("AWS::ApiGatewayV2::Stage").values()
    assert not re.search(r"\$context\.(path|identity|error\.message|authorizer)", stage["AccessLogSettings"]["Format"])
    assert stage["StageName"] == "$default"


def test_the_address_of_old_mails_keeps_answering(templates: Templates) -> None:
    (api,) = templates.of("AWS::ApiGatewayV2::Api").values()
    assert api["DisableExecuteApiEndpoint"] is False
    assert "CorsConfiguration" not in api
