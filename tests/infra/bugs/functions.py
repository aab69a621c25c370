"""Bugs that the checks of `infra.checks.functions` have to find, by check: the functions' own things."""

from __future__ import annotations

from typing import Any

from tests.infra.planting import FUNCTION, Bug, each, first, grant, more, put


def _renamed(route: Any, old: str, new: str) -> None:
    if route["Properties"]["RouteKey"] == old:
        route["Properties"]["RouteKey"] = new


BUGS: dict[str, list[Bug]] = {
    "functions_own_their_logs": [
        put(FUNCTION, "Properties.LoggingConfig.LogGroup", None),
        put(FUNCTION, "Properties.LoggingConfig.ApplicationLogLevel", "WARN"),
        put(FUNCTION, "Properties.LoggingConfig.LogFormat", "Text"),
        put(FUNCTION, "Properties.LoggingConfig.LogGroup", {"Ref": "NoSuchGroup"}),
    ],
    "functions_own_their_role": [
        lambda t: put(FUNCTION, "Properties.Role", first(t, FUNCTION, "Notify")[1]["Properties"]["Role"])(t),
        put("AWS::IAM::Role", "Properties.ManagedPolicyArns", ["arn:x:AWSLambdaBasicExecutionRole"]),
        grant("CaptureRole", "logs:CreateLogGroup"),
    ],
    "no_reservations": [
        put(FUNCTION, "Properties.ReservedConcurrentExecutions", 1),
        more("AWS::Lambda::Alias", Name="live"),
    ],
    "functions_run_as_built": [
        put(FUNCTION, "Properties.Architectures", ["x86_64"]),
        put(FUNCTION, "Properties.Runtime", "python3.12"),
        put(FUNCTION, "Properties.VpcConfig", {}),
        put(FUNCTION, "Properties.TracingConfig", {"Mode": "Active"}),
        put(FUNCTION, "Properties.RecursiveLoop", None),
        put("AWS::Lambda::LayerVersion", "Properties.CompatibleArchitectures", ["x86_64"]),
    ],
    "environments_fit": [
        put(FUNCTION, "Properties.Environment.Variables.PLACET_AGENTS", "[" + " " * 4_000 + "]", "NotifyFunction"),
        put(FUNCTION, "Properties.Environment.Variables.PLACET_MORE", {"Fn::Join": ["", [{"Ref": "X"}] * 40]}),
    ],
    "api_functions_answer_in_time": [
        put(FUNCTION, "Properties.Timeout", 30, "DecideFunction"),
        each("AWS::ApiGatewayV2::Route", lambda one: _renamed(one, "GET /v1/runs/{id}", "GET /v1/runs")),
    ],
    "turns_are_not_repeated": [
        put("AWS::Lambda::EventInvokeConfig", "Properties.MaximumRetryAttempts", 2, "InvokeAgent"),
        put("AWS::Lambda::EventInvokeConfig", "Properties.MaximumRetryAttempts", None, "InvokeAgent"),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Lambda::EventInvokeConfig", "InvokeAgent")[0]),
    ],
}  # fmt: skip
