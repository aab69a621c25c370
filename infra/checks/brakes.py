"""The HTTP API as a whole: its brakes, its address, and what it answers to whom."""

from __future__ import annotations

from collections.abc import Iterator

from infra.checks.template import Templates, as_list, target

NAMELESS_MOST = 100  # requests a second of a route that asks for no identity: each runs a function


def routes_have_their_brake(templates: Templates) -> Iterator[str]:
    """Every route has a brake of its own, so that nobody uses up another one's; lower where no identity is asked for."""
    stages = templates.of("AWS::ApiGatewayV2::Stage")
    braked = {key: one for stage in stages.values() for key, one in stage.get("RouteSettings", {}).items()}
    routes = {one["RouteKey"]: one for one in templates.of("AWS::ApiGatewayV2::Route").values()}
    for key, one in routes.items():
        rate, burst = (braked.get(key, {}).get(f"Throttling{what}Limit", 0) for what in ("Rate", "Burst"))
        if rate < 1 or burst < rate:
            yield f"{key}: no brake of its own"
        elif one.get("AuthorizationType", "NONE") == "NONE" and rate > NAMELESS_MOST:
            yield f"{key}: asks for no identity and takes {rate} requests a second"
    for key in sorted(set(braked) - set(routes)):
        yield f"{key}: a brake of a route that is not there: the deploy fails with it"


def brakes_come_after_routes(templates: Templates) -> Iterator[str]:
    """A stage with a brake waits for its route: made before it, the deploy ends with "Unable to find Route by key"."""
    for name, one in templates.resources.items():
        if one["Type"] != "AWS::ApiGatewayV2::Stage":
            continue
        waits = set(as_list(one.get("DependsOn", [])))
        for route, properties in templates.of("AWS::ApiGatewayV2::Route").items():
            if properties["RouteKey"] in one["Properties"].get("RouteSettings", {}) and route not in waits:
                yield f"{name}: is made before {route}"


def address_stays(templates: Templates) -> Iterator[str]:
    """The API's own address answers: links in mails carry it for weeks, and no other domain is made here."""
    domains = templates.of("AWS::ApiGatewayV2::DomainName")
    for name, properties in templates.of("AWS::ApiGatewayV2::Api").items():
        if properties.get("DisableExecuteApiEndpoint") is True and not domains:
            yield f"{name}: has no address"
        if properties.get("ProtocolType") != "HTTP":
            yield f"{name}: is no HTTP API"


def pages_are_same_origin(templates: Templates) -> Iterator[str]:
    """No page of anybody else's may read an answer: there is no CORS."""
    for name, properties in templates.of("AWS::ApiGatewayV2::Api").items():
        if "CorsConfiguration" in properties:
            yield f"{name}: lets other sites in: {properties['CorsConfiguration']}"
    for name, properties in templates.of("AWS::S3::Bucket").items():
        if "CorsConfiguration" in properties or "WebsiteConfiguration" in properties:
            yield f"{name}: is read by web pages"


def integrations_speak_version_2(templates: Templates) -> Iterator[str]:
    """Functions are given cookies and paths as they read them, and nothing but functions is behind a route."""
    functions = {name for _, name, _ in templates.functions()}
    for name, properties in templates.of("AWS::ApiGatewayV2::Integration").items():
        if (properties.get("IntegrationType"), properties.get("PayloadFormatVersion")) != ("AWS_PROXY", "2.0"):
            yield f"{name}: {properties.get('IntegrationType')} {properties.get('PayloadFormatVersion')}"
        if target(properties.get("IntegrationUri")) not in functions:
            yield f"{name}: leads out of Placet"
        if properties.get("TimeoutInMillis", 30_000) < 29_500:
            yield f"{name}: is cut before its function is"
