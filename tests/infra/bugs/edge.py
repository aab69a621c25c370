"""Bugs that the checks of `infra.checks.edge` have to find, by check: the API's routes."""

from __future__ import annotations

from typing import Any

from infra.checks import Templates
from tests.infra.planting import Bug, each, grant, more, put, replace


def _permission(templates: Templates) -> Any:
    return next(
        one for one in templates.gateway["Resources"].values()
        if one["Type"] == "AWS::Lambda::Permission" and one["Properties"]["Principal"] == "apigateway.amazonaws.com"
    )  # fmt: skip


BUGS: dict[str, list[Bug]] = {
    "routes_ask_who": [
        put("AWS::ApiGatewayV2::Route", "Properties.AuthorizationType", "NONE"),
        put("AWS::ApiGatewayV2::Route", "Properties.RouteKey", "$default"),
        each("AWS::ApiGatewayV2::Route", lambda one: one["Properties"].pop("AuthorizationScopes", None)),
        more("AWS::ApiGatewayV2::Route", RouteKey="GET /v1/resumes", AuthorizationType="JWT", AuthorizationScopes=["a"]),
    ],
    "api_has_a_brake": [
        put("AWS::ApiGatewayV2::Stage", "Properties.DefaultRouteSettings", None),
        put("AWS::ApiGatewayV2::Stage", "Properties.AccessLogSettings", None),
        replace("$context.routeKey", "$context.path", "ApiStage"),
    ],
    "one_permission_per_function": [
        lambda t: t.gateway["Resources"].update(Second=_permission(t)),
    ],
    "callers_get_their_routes": [
        replace("/$default/GET/v1/gates", "/$default/GET/v1/operations/stuck", "ApiAgentAccess"),
        replace("/$default/GET/v1/operations/stuck", "/$default/POST/v1/pauses", "ApiOperatorAccess"),
        replace("/$default/POST/v1/operations/freeze", "/*/POST/v1/operations/freeze", "ApiOperatorAccess"),
        grant("SweepRole", "execute-api:Invoke", resource="arn:x:execute-api:r:a:api/$default/GET/v1/gates"),
        replace("/$default/GET/v1/gates", "/*/GET/v1/gates", "ApiAgentAccess"),
        replace("/$default/GET/v1/gates", "/$default/*/v1/gates", "ApiAgentAccess"),
        replace("/$default/GET/v1/gates", "/$default/GET/v1/reviews", "ApiAgentAccess"),
        replace("/$default/POST/v1/calls/*/claim", "/$default/POST/v1/pauses", "ApiActionAccess"),
    ],
}  # fmt: skip
