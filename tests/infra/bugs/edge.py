"""Bugs that the checks of `infra.checks.edge` have to find, by check: the API, the sign-in and the mail."""

from __future__ import annotations

from typing import Any

from infra.checks import Templates
from tests.infra.planting import Bug, each, first, grant, more, put, replace


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
    "login_is_narrow": [
        put("AWS::Cognito::UserPoolClient", "Properties.AllowedOAuthFlows", ["code", "implicit"]),
        put("AWS::Cognito::UserPoolClient", "Properties.AllowedOAuthScopes.0", "aws.cognito.signin.user.admin"),
        put("AWS::Cognito::UserPoolClient", "Properties.PreventUserExistenceErrors", None),
        put("AWS::Cognito::UserPoolClient", "Properties.WriteAttributes", ["email"]),
        put("AWS::Cognito::UserPoolClient", "Properties.WriteAttributes", ["custom:groups"]),
        put("AWS::Cognito::UserPoolClient", "Properties.AccessTokenValidity", 60),
        put("AWS::Cognito::UserPoolClient", "Properties.GenerateSecret", True),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Cognito::ManagedLoginBranding")[0]),
        put("AWS::Cognito::UserPoolDomain", "Properties.Domain", "placet"),
    ],
    "pool_can_stay": [
        put("AWS::Cognito::UserPool", "Properties.Schema", []),
        put("AWS::Cognito::UserPool", "Properties.UsernameConfiguration", None),
        put("AWS::Cognito::UserPool", "Properties.AdminCreateUserConfig", {}),
        put("AWS::Cognito::UserPool", "Properties.EnabledMfas", ["SMS_MFA"]),
        put("AWS::Cognito::UserPool", "Properties.UserPoolTier", None),
        put("AWS::Cognito::UserPool", "Properties.AccountRecoverySetting", {}),
    ],
    "mail_can_be_sent": [
        replace(":configuration-set/", ":identity/", "NotifyRoleDefaultPolicy"),
        grant("SweepRole", "ses:SendEmail", resource=["arn:identity/a", "arn:configuration-set/b"]),
        more("AWS::SES::EmailIdentity", EmailIdentity="a@example.com"),
        put("AWS::SES::ConfigurationSet", "Properties.TrackingOptions", {}),
    ],
}  # fmt: skip
