"""Bugs that the checks of `infra.checks.brakes` have to find, by check."""

from __future__ import annotations

from typing import Any

from infra.checks import Templates
from tests.infra.planting import Bug, first, put

STAGE, HTTP, INTEGRATION = "AWS::ApiGatewayV2::Stage", "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Integration"


def _settings(templates: Templates) -> Any:
    return first(templates, STAGE)[1]["Properties"]["RouteSettings"]


BUGS: dict[str, list[Bug]] = {
    "routes_have_their_brake": [
        put(STAGE, "Properties.RouteSettings", {}),
        lambda t: _settings(t).pop("GET /sign-in/start"),
        lambda t: _settings(t)["GET /sign-in"].update(ThrottlingRateLimit=5_000, ThrottlingBurstLimit=5_000),
        lambda t: _settings(t)["GET /v1/gates"].update(ThrottlingBurstLimit=0),
        lambda t: _settings(t).update({"GET /gone": {"ThrottlingRateLimit": 1, "ThrottlingBurstLimit": 1}}),
    ],
    "brakes_come_after_routes": [
        put(STAGE, "DependsOn", []),
        lambda t: first(t, STAGE)[1]["DependsOn"].pop(),
    ],
    "address_stays": [
        put(HTTP, "Properties.DisableExecuteApiEndpoint", True),
        put(HTTP, "Properties.ProtocolType", "WEBSOCKET"),
    ],
    "pages_are_same_origin": [
        put(HTTP, "Properties.CorsConfiguration", {"AllowOrigins": ["*"]}),
        put("AWS::S3::Bucket", "Properties.CorsConfiguration", {"CorsRules": []}),
    ],
    "integrations_speak_version_2": [
        put(INTEGRATION, "Properties.PayloadFormatVersion", "1.0"),
        put(INTEGRATION, "Properties.IntegrationType", "HTTP_PROXY"),
        put(INTEGRATION, "Properties.IntegrationUri", "https://elsewhere.test"),
        put(INTEGRATION, "Properties.TimeoutInMillis", 5_000),
    ],
}
