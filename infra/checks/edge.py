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
NAMED = (
    "WriteAttributes",
    "ReadAttributes",
    "ExplicitAuthFlows",
    "PreventUserExistenceErrors",
    "EnableTokenRevocation",
)
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


def login_is_narrow(templates: Templates) -> Iterator[str]:
    """Code flow, two scopes, every default that is too wide named; new login pages have a style."""
    for name, properties in templates.of("AWS::Cognito::UserPoolClient").items():
        if set(properties.get("AllowedOAuthFlows", [])) != {"code"}:
            yield f"{name}: flows {properties.get('AllowedOAuthFlows')}"
        if extra := set(properties.get("AllowedOAuthScopes", [])) - {"openid", "email"}:
            yield f"{name}: scopes {sorted(extra)}"
        for need in NAMED:
            if need not in properties:
                yield f"{name}: {need} left to the default"
        written = set(properties.get("WriteAttributes") or [])
        if written and (written - {"email", "name"} or "ALLOW_USER_SRP_AUTH" in properties["ExplicitAuthFlows"]):
            yield f"{name}: users rewrite {sorted(written)}"
        if (
            properties.get("TokenValidityUnits", {}).get("AccessToken") != "minutes"
            or properties["AccessTokenValidity"] > 10
        ):
            yield f"{name}: an access token lives for more than ten minutes and cannot be called back"
        if properties.get("GenerateSecret"):
            yield f"{name}: has a secret, which a function would have to read"
    new = [one for one in templates.of("AWS::Cognito::UserPoolDomain").values() if one.get("ManagedLoginVersion") == 2]
    if new and not templates.of("AWS::Cognito::ManagedLoginBranding"):
        yield "login pages of version 2 without a branding: they answer 'Login pages unavailable'"
    for name, properties in templates.of("AWS::Cognito::UserPoolDomain").items():
        if "AWS::AccountId" not in text(properties["Domain"]):
            yield f"{name}: the prefix is taken as soon as a second account uses it"


def pool_can_stay(templates: Templates) -> Iterator[str]:
    """Nobody signs up alone, no SMS, and nothing is declared that an update of the pool could trip over."""
    for name, properties in templates.of("AWS::Cognito::UserPool").items():
        if "Schema" in properties:
            yield f"{name}: with Schema a later update fails even when nothing changed"
        if properties.get("UsernameConfiguration") != {"CaseSensitive": False}:
            yield f"{name}: case sensitivity cannot be changed later"
        if properties.get("AdminCreateUserConfig", {}).get("AllowAdminCreateUserOnly") is not True:
            yield f"{name}: anybody can sign up"
        if "SmsConfiguration" in properties or properties.get("EnabledMfas") != ["SOFTWARE_TOKEN_MFA"]:
            yield f"{name}: SMS costs and can be taken over"
        if properties.get("UserPoolTier") != "ESSENTIALS":
            yield f"{name}: plan left to the default"
        recovery = [one["Name"] for one in properties.get("AccountRecoverySetting", {}).get("RecoveryMechanisms", [])]
        if recovery != ["verified_email"]:
            yield f"{name}: recovers accounts by {recovery}"


def mail_can_be_sent(templates: Templates) -> Iterator[str]:
    """SendEmail takes a right on the identity and on the configuration set, and the one sender."""
    for role, statements in templates.roles.items():
        for one in statements:
            if not any(action.startswith("ses:") for action in actions(one)):
                continue
            where = " ".join(resources(one))
            if "identity/" not in where or "configuration-set/" not in where:
                yield f"{role}: SendEmail needs identity and configuration-set"
            if "ses:FromAddress" not in text(one.get("Condition")):
                yield f"{role}: may send as anybody of the domain"
    for name in templates.of("AWS::SES::EmailIdentity"):
        yield f"{name}: fails where the identity exists already; its owner makes it"
    for name, properties in templates.of("AWS::SES::ConfigurationSet").items():
        if "TrackingOptions" in properties:
            yield f"{name}: rewrites links"
