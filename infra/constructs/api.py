"""The HTTP API: who may call which route, its log and its brake."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.acknowledge import acknowledge, resource_text
from infra.brakes import Brake
from infra.constructs.function import VerbFunction
from infra.constructs.login import Login

Routes = Mapping[str, Sequence[str]]

AGENT_ROUTES: Routes = {
    "capture": ("POST /v1/pauses", "POST /v1/pauses/{id}/cancel", "POST /v1/pauses/{id}/answer", "GET /v1/gates"),
    "invoke_agent": ("POST /v1/agents/{agent}/invoke",),
    "pick_up": (
        *("GET /v1/resumes", "POST /v1/resumes", "POST /v1/resumes/{id}/lease", "POST /v1/resumes/{id}/release"),
        *("GET /v1/pauses/{id}", "GET /v1/pauses/{id}/status", "GET /v1/runs/{id}"),
    ),
    "execute": (
        *("POST /v1/calls/{id}/claim", "POST /v1/calls/{id}/renew", "POST /v1/calls/{id}/outcome"),
        "POST /v1/resumes/{id}/outcome",
    ),
}
OPERATOR_ROUTES: Routes = {
    "operate": (
        "GET /v1/operations/stuck",
        "GET /v1/operations/find",
        "GET /v1/operations/samples",
        "POST /v1/operations/pauses/{id}/repair",
        "POST /v1/operations/calls/{id}/reconcile",
        "POST /v1/operations/calls/{id}/undo",
        "POST /v1/operations/freeze",
        "POST /v1/operations/thaw",
    ),
}
# What an agent's action-group Lambdas call, of the agents' routes: they claim a permit and report, and capture nothing.
ACTION_ROUTES: Routes = {
    "execute": ("POST /v1/calls/{id}/claim", "POST /v1/calls/{id}/renew", "POST /v1/calls/{id}/outcome")
}
REVIEWER_ROUTES: Routes = {
    "review": ("GET /v1/reviews", "GET /v1/reviews/{id}"),
    "decide": (
        *("POST /v1/reviews/{id}/decision", "POST /v1/reviews/{id}/undo", "POST /v1/reviews/{id}/reassign"),
        "POST /v1/reviews/{id}/propose-undo",
        *("POST /v1/reviews/{id}/extend", "POST /v1/reviews/{id}/comments", "POST /v1/reviews/{id}/ask"),
        *("POST /v1/reviews/away", "POST /v1/reviews/back"),
    ),
}
PAGE_ROUTES: Routes = {
    "review": (
        "GET /",
        "GET /inbox",
        "GET /reviews/{id}",
        "GET /reviews/{id}/edit",
        "GET /reviews/{id}/reassign",
        "GET /people",
        "GET /static/{name}",
    ),
    "decide": (
        *("POST /reviews/{id}/edit", "POST /reviews/{id}/decide", "POST /reviews/{id}/undo"),
        *("POST /reviews/{id}/propose-undo", "POST /reviews/{id}/reassign", "POST /people"),
        *("POST /reviews/{id}/extend", "POST /reviews/{id}/comment", "POST /reviews/{id}/ask"),
    ),
    "sign_in": ("GET /sign-in", "GET /sign-in/start", "GET /sign-in/callback", "POST /sign-out"),
}
SIGN_IN_ROUTES = PAGE_ROUTES["sign_in"]
TURN_ROUTES = AGENT_ROUTES["invoke_agent"]  # cut at 29 seconds by design: the turn goes on, and GET /v1/runs follows it
# No path, query, header or address: paths carry pause ids, the callback's query carries a code.
LOG_FIELDS = (
    "requestId",
    "requestTime",
    "routeKey",
    "status",
    "responseLength",
    "responseLatency",
    "integrationStatus",
    "integrationLatency",
    "integrationErrorMessage",
)
STAGE = "$default"


def _audiences() -> dict[str, str]:
    """Route key → who calls it, as infra/brakes.py names them."""
    tables = {"agents": AGENT_ROUTES, "operators": OPERATOR_ROUTES, "reviewers": REVIEWER_ROUTES, "pages": PAGE_ROUTES}
    found = {key: who for who, routes in tables.items() for keys in routes.values() for key in keys}
    return found | dict.fromkeys(SIGN_IN_ROUTES, "sign_in")


AUDIENCES: Mapping[str, str] = _audiences()


class Api(Construct):
    """Agents sign with IAM, reviewers' programs bring a token, pages check their own session cookie."""

    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        self.http = apigw.HttpApi(
            self, "Http", description="Placet", create_default_stage=False, disable_execute_api_endpoint=False
        )
        self.url = self.http.api_endpoint

    def open(
        self,
        functions: Mapping[str, VerbFunction],
        login: Login,
        retention: logs.RetentionDays,
        brakes: Mapping[str, Brake],
    ) -> None:
        """Adds the stage and every route, each with its audience's brake."""
        self._stage(retention, min(brakes.values(), key=lambda one: one.rate))
        # One permission per function: one per route would outgrow the function's policy (aws-cdk#19535).
        served = {verb for routes in (AGENT_ROUTES, OPERATOR_ROUTES, REVIEWER_ROUTES, PAGE_ROUTES) for verb in routes}
        self._integrations = {
            verb: integrations.HttpLambdaIntegration(verb, functions[verb].function, scope_permission_to_route=False)
            for verb in sorted(served)
        }
        signed = authorizers.HttpIamAuthorizer()
        reviewer = authorizers.HttpJwtAuthorizer(
            "Reviewer", login.issuer, jwt_audience=[one.user_pool_client_id for one in (login.client, login.programs)]
        )
        # An id token has no scope, so asking for one leaves only access tokens.
        routes = [
            *self._add(AGENT_ROUTES, signed),
            *self._add(OPERATOR_ROUTES, signed),
            *self._add(REVIEWER_ROUTES, reviewer, scopes=["openid"]),
        ]
        for page in self._add(PAGE_ROUTES, None):
            reason = "A page: its function verifies the session cookie, which no authorizer of an HTTP API reads."
            acknowledge(page, "AwsSolutions-APIG4", reason)
            routes.append(page)
        self._brake(routes, brakes)

    def _add(
        self, routes: Routes, authorizer: apigw.IHttpRouteAuthorizer | None, scopes: Sequence[str] | None = None
    ) -> list[apigw.HttpRoute]:
        made = []
        for verb, keys in routes.items():
            for key in keys:
                method, path = key.split(" ")
                made += self.http.add_routes(
                    path=path,
                    methods=[apigw.HttpMethod(method)],
                    integration=self._integrations[verb],
                    authorizer=authorizer,
                    authorization_scopes=list(scopes) if scopes else None,
                )
        return made

    def _brake(self, routes: Sequence[apigw.HttpRoute], brakes: Mapping[str, Brake]) -> None:
        self._resource.route_settings = {
            key: {"ThrottlingRateLimit": brakes[who].rate, "ThrottlingBurstLimit": brakes[who].burst}
            for key, who in AUDIENCES.items()
        }
        for route in routes:
            # Or the first create fails: "Unable to find Route by key".
            self._resource.add_resource_dependency(cast(apigw.CfnRoute, route.node.default_child))

    def _stage(self, retention: logs.RetentionDays, least: Brake) -> None:
        stack = cdk.Stack.of(self)
        self.access_log = log_group = logs.LogGroup(
            self,
            "AccessLog",
            log_group_name=f"/aws/vendedlogs/apis/{stack.stack_name}-access",
            retention=retention,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        stage = apigw.HttpStage(
            self,
            "Stage",
            http_api=self.http,
            stage_name=STAGE,
            auto_deploy=True,
            # For a route that came without a brake: the account's own limit of 10,000 a second protects nobody's bill.
            throttle=apigw.ThrottleSettings(rate_limit=least.rate, burst_limit=least.burst),
        )
        self._resource = cast(apigw.CfnStage, stage.node.default_child)
        self._resource.access_log_settings = apigw.CfnStage.AccessLogSettingsProperty(
            # Spelled out: the group's own ARN ends in :*, which the service drops and drift detection then reports.
            destination_arn=stack.format_arn(
                service="logs",
                resource="log-group",
                resource_name=log_group.log_group_name,
                arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
            ),
            format=json.dumps({field: f"$context.{field}" for field in LOG_FIELDS}),
        )

    def agent_access(self, roles: Sequence[str] = ()) -> iam.ManagedPolicy:
        """What an agent's role needs: its routes, each with its method; attached to ``roles``, else by the owner."""
        return self._access("AgentAccess", "Placet: lets an agent capture, pick up and execute", AGENT_ROUTES, roles)

    def action_access(self, roles: Sequence[str] = ()) -> iam.ManagedPolicy:
        """What the account owner attaches to the role of a verified agent's action-group Lambdas."""
        return self._access("ActionAccess", "Placet: lets an action claim its permit and report", ACTION_ROUTES, roles)

    def operator_access(self, roles: Sequence[str] = ()) -> iam.ManagedPolicy:
        """What the account owner attaches to an operator's role: the operators' routes and nothing else."""
        return self._access(
            "OperatorAccess", "Placet: lets an operator see and repair, never decide", OPERATOR_ROUTES, roles
        )

    def _access(self, name: str, description: str, routes: Routes, roles: Sequence[str]) -> iam.ManagedPolicy:
        attached = [iam.Role.from_role_name(self, f"{name}Of{role}", role) for role in roles]
        policy = iam.ManagedPolicy(self, name, description=description, roles=attached)
        stack = cdk.Stack.of(self)
        for key in sorted(key for keys in routes.values() for key in keys):
            method, path = key.split(" ")
            parts = ["*" if part.startswith("{") else part for part in path.strip("/").split("/")]
            route = "/".join([STAGE, method, *parts])
            arn = stack.format_arn(service="execute-api", resource=self.http.api_id, resource_name=route)
            policy.add_statements(iam.PolicyStatement(actions=["execute-api:Invoke"], resources=[arn]))
            if "*" in parts:
                reason = "The * stands for an id or an agent; the function checks whose it is."
                acknowledge(policy, f"AwsSolutions-IAM5[Resource::{resource_text(policy, arn)}]", reason)
        return policy
