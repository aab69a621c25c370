"""What every Lambda function has, and what none has."""

from __future__ import annotations

from collections.abc import Iterator

from infra.checks.template import Templates, at_most, text

API_SECONDS = 29
ENVIRONMENT_BYTES = 4_096
# These may outlive the caller over HTTP, who then asks here; invoked directly they are waited for.
ASKED_FOR = {"invoke_agent": "GET /v1/runs/{id}"}


def functions_own_their_logs(templates: Templates) -> Iterator[str]:
    """Own log group with a retention; JSON at INFO, because a metric line without a level counts as INFO."""
    groups = templates.of("AWS::Logs::LogGroup")
    used: dict[str, str] = {}
    for _, name, properties in templates.functions():
        logging = properties.get("LoggingConfig", {})
        group = logging.get("LogGroup", {}).get("Ref", "") if isinstance(logging.get("LogGroup"), dict) else ""
        if group not in groups or "RetentionInDays" not in groups[group]:
            yield f"{name}: no log group of its own with a retention"
        elif group in used:
            yield f"{name}: shares its log group with {used[group]}"
        used[group] = name
        if logging.get("LogFormat") != "JSON" or logging.get("ApplicationLogLevel", "INFO") not in (
            "TRACE",
            "DEBUG",
            "INFO",
        ):
            yield f"{name}: not JSON at INFO: metrics would be lost"


def functions_own_their_role(templates: Templates) -> Iterator[str]:
    """One role each, no policy of AWS's own, no right to make log groups (which would come back without retention)."""
    used: dict[str, str] = {}
    for _, name, properties in templates.functions():
        role = text(properties.get("Role"))
        if role in used:
            yield f"{name}: shares its role with {used[role]}"
        used[role] = name
    for name, properties in templates.of("AWS::IAM::Role").items():
        if properties.get("ManagedPolicyArns"):
            yield f"{name}: managed policies {text(properties['ManagedPolicyArns'])}"
    for name, statements in templates.roles.items():
        if "logs:CreateLogGroup" in text(statements):
            yield f"{name}: may make log groups"


def no_reservations(templates: Templates) -> Iterator[str]:
    """A new account has ten concurrent executions and none to reserve: with one reservation the stack rolls back."""
    for _, name, properties in templates.functions():
        if "ReservedConcurrentExecutions" in properties:
            yield f"{name}: reserves concurrency"
    for kind in ("AWS::Lambda::Version", "AWS::Lambda::Alias"):
        for name in templates.of(kind):
            yield f"{name}: pending waits and timers call functions without a version"


def functions_run_as_built(templates: Templates) -> Iterator[str]:
    """arm64 and Python 3.13 like the layers; no network of ours, no X-Ray, loops end."""
    for _, name, properties in templates.functions():
        if (properties.get("Architectures"), properties.get("Runtime")) != (["arm64"], "python3.13"):
            yield f"{name}: not arm64 on python3.13, for which the layers are built"
        if "VpcConfig" in properties:
            yield f"{name}: in a VPC, where it would need NAT for every call"
        if "TracingConfig" in properties:
            yield f"{name}: X-Ray adds rights on *"
        if properties.get("RecursiveLoop") != "Terminate":
            yield f"{name}: RecursiveLoop is not Terminate"
    for name, properties in templates.of("AWS::Lambda::LayerVersion").items():
        if properties.get("CompatibleArchitectures") != ["arm64"] or properties.get("CompatibleRuntimes") != [
            "python3.13"
        ]:
            yield f"{name}: not for arm64 on python3.13"


def api_functions_answer_in_time(templates: Templates) -> Iterator[str]:
    """An HTTP API cuts at 30 seconds; a function that is cut has still done its work, and somebody has to be able to ask for it."""
    integrated = text(list(templates.of("AWS::ApiGatewayV2::Integration").values()))
    routes = {properties["RouteKey"] for properties in templates.of("AWS::ApiGatewayV2::Route").values()}
    for verb, name, properties in templates.functions():
        if f'"{name}"' not in integrated or properties.get("Timeout", 3) <= API_SECONDS:
            continue
        if verb not in ASKED_FOR:
            yield f"{name}: serves the API and may take {properties['Timeout']} s"
        elif ASKED_FOR[verb] not in routes:
            yield f"{name}: may outlive its caller, who cannot ask what became of it: no {ASKED_FOR[verb]}"


def turns_are_not_repeated(templates: Templates) -> Iterator[str]:
    """Lambda repeats what was invoked asynchronously and failed, and a turn of an agent must not be sent twice."""
    kept = {
        text(properties["FunctionName"]): properties
        for properties in templates.of("AWS::Lambda::EventInvokeConfig").values()
    }
    for verb, name, _ in templates.functions():
        if verb in ASKED_FOR and kept.get(text({"Ref": name}), {}).get("MaximumRetryAttempts") != 0:
            yield f"{name}: a failed turn would be sent again"


def environments_fit(templates: Templates) -> Iterator[str]:
    """All variables of a function take 4,096 bytes at most, what is only known at deploy included."""
    for _, name, properties in templates.functions():
        variables = properties.get("Environment", {}).get("Variables", {})
        size = sum(len(key) + len(at_most(value).encode()) for key, value in variables.items())
        if size > ENVIRONMENT_BYTES:
            yield f"{name}: up to {size} bytes of environment; Lambda takes {ENVIRONMENT_BYTES}"
