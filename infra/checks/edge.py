"""Where people and programs come in: the API, the login, mail."""

from __future__ import annotations

import json
from collections.abc import Iterator

from infra.checks.template import Templates, actions, resources, text

# What may be called without IAM or a token: pages, whose functions check the session cookie themselves.
PAGES = {
    "GET /",
    "GET /inbox",
    "GET /reviews/{id}",
    "GET /reviews/{id}/edit",
    "GET /reviews/{id}/reassign",
    "POST /reviews/{id}/reassign",
    "GET /people",
    "POST /people",
    "GET /static/{name}",
    "POST /reviews/{id}/edit",
    "POST /reviews/{id}/decide",
    "POST /reviews/{id}/undo",
    "POST /reviews/{id}/propose-undo",
    "POST /reviews/{id}/extend",
    "POST /reviews/{id}/comment",
    "POST /reviews/{id}/ask",
    "GET /sign-in",
    "GET /sign-in/start",
    "GET /sign-in/callback",
    "POST /sign-out",
}
# Managed policy → what stands behind /v1/ in the routes that it opens.
CALLERS = {
    "ApiAgentAccess": {"pauses", "gates", "resumes", "calls", "agents", "runs"},
    "ApiActionAccess": {"calls"},
    "ApiOperatorAccess": {"operations"},
}
LOGGED = {
    "requestId",
    "requestTime",
    "routeKey",
    "status",
    "responseLength",
    "responseLatency",
    "integrationStatus",
    "integrationLatency",
    "integrationErrorMessage",
}


def routes_ask_who(templates: Templates) -> Iterator[str]:
    """Every route has an authorizer but the listed pages; a token must be an access token, which alone has scopes."""
    for name, properties in templates.of("AWS::ApiGatewayV2::Route").items():
        key, kind = properties["RouteKey"], properties.get("AuthorizationType", "NONE")
        if "$default" in key or key.startswith("ANY"):
            yield f"{name}: {key} catches what nobody wrote"
        if kind == "NONE" and key not in PAGES:
            yield f"{name}: {key} asks nobody who they are"
        if kind == "JWT" and not properties.get("AuthorizationScopes"):
            yield f"{name}: {key} takes id tokens"
        if key.startswith("GET /v1/reviews") != (kind == "JWT") and key.startswith("GET /v1"):
            yield f"{name}: {key} has {kind}"


def api_has_a_brake(templates: Templates) -> Iterator[str]:
    """A stage with a throttle of its own and a log that holds neither paths nor queries."""
    for name, properties in templates.of("AWS::ApiGatewayV2::Stage").items():
        if not {"ThrottlingRateLimit", "ThrottlingBurstLimit"} <= set(properties.get("DefaultRouteSettings", {})):
            yield f"{name}: no throttle but the account's 10,000 a second"
        settings = properties.get("AccessLogSettings")
        if not settings:
            yield f"{name}: no access log"
        elif extra := set(json.loads(settings["Format"]).values()) - {f"$context.{field}" for field in LOGGED}:
            yield f"{name}: logs {sorted(extra)}"


def one_permission_per_function(templates: Templates) -> Iterator[str]:
    """Thirty permissions outgrow a function's policy, so each function has one for the whole API."""
    seen: set[str] = set()
    for name, properties in templates.of("AWS::Lambda::Permission").items():
        if properties.get("Principal") == "apigateway.amazonaws.com":
            function = text(properties["FunctionName"])
            if function in seen:
                yield f"{name}: a second permission of the API on one function"
            seen.add(function)


def callers_get_their_routes(templates: Templates) -> Iterator[str]:
    """execute-api rights name the stage, which is part of the ARN, the method and a path of the caller's own."""
    for role, statements in templates.roles.items():
        own = next((paths for begins, paths in CALLERS.items() if role.startswith(begins)), set())
        for one in statements:
            if "execute-api:Invoke" not in actions(one):
                continue
            for resource in resources(one):
                parts = resource.split(":", 5)[-1].split("/")
                if parts[1] != "$default" or parts[2] not in ("GET", "POST") or parts[3] != "v1" or parts[4] not in own:
                    yield f"{role}: {resource} is no route of its own"
