"""Bugs that the checks of `infra.checks.people` have to find, by check: the sign-in, the user pool and mail."""

from __future__ import annotations

from tests.infra.planting import Bug, each, first, grant, more, put, replace

CLIENT, POOL = "AWS::Cognito::UserPoolClient", "AWS::Cognito::UserPool"
INVITATION = "Properties.AdminCreateUserConfig.InviteMessageTemplate.EmailMessage"
DESTINATION = "AWS::SES::ConfigurationSetEventDestination"
TYPES = "Properties.EventDestination.MatchingEventTypes"
SENDER = {"EmailSendingAccount": "DEVELOPER", "From": "placet@example.com"}

BUGS: dict[str, list[Bug]] = {
    "login_is_narrow": [
        put("AWS::Cognito::UserPoolClient", "Properties.AllowedOAuthFlows", ["code", "implicit"]),
        put("AWS::Cognito::UserPoolClient", "Properties.AllowedOAuthScopes.0", "aws.cognito.signin.user.admin"),
        put("AWS::Cognito::UserPoolClient", "Properties.PreventUserExistenceErrors", None),
        put("AWS::Cognito::UserPoolClient", "Properties.AccessTokenValidity", 60),
        put("AWS::Cognito::UserPoolClient", "Properties.GenerateSecret", True),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Cognito::ManagedLoginBranding", "LoginStyle")[0]),
        lambda t: t.gateway["Resources"].pop(first(t, "AWS::Cognito::ManagedLoginBranding", "LoginProgramsStyle")[0]),
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
    "no_way_in_but_the_pages": [
        put(CLIENT, "Properties.ExplicitAuthFlows", ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]),
        put(CLIENT, "Properties.ExplicitAuthFlows", ["ALLOW_USER_PASSWORD_AUTH"], "LoginPrograms"),
        put(CLIENT, "Properties.ExplicitAuthFlows", []),
        put(CLIENT, "Properties.WriteAttributes", []),
        put(CLIENT, "Properties.WriteAttributes", ["email"]),
        put(CLIENT, "Properties.WriteAttributes", ["custom:groups"]),
        put(CLIENT, "Properties.SupportedIdentityProviders", ["COGNITO", "Company"]),
    ],
    "callbacks_are_ours": [
        put(CLIENT, "Properties.CallbackURLs", ["https://example.com"]),
        put(CLIENT, "Properties.CallbackURLs", ["http://inbox.internal/callback"]),
        put(CLIENT, "Properties.CallbackURLs", ["https://*.acme.test/callback"]),
        put(CLIENT, "Properties.LogoutURLs", ["http://localhost.evil.test:1/x"]),
    ],
    "programs_get_tokens": [
        lambda t: t.gateway["Resources"].pop(first(t, CLIENT, "LoginPrograms")[0]),
        put("AWS::ApiGatewayV2::Authorizer", "Properties.JwtConfiguration.Audience", [{"Ref": "LoginClientC04CF64D"}]),
    ],
    "passwords_are_long": [
        put(POOL, "Properties.Policies.PasswordPolicy.MinimumLength", 8),
        put(POOL, "Properties.Policies.PasswordPolicy.RequireSymbols", False),
        put(POOL, "Properties.LambdaConfig", {"PostAuthentication": "arn:x"}),
    ],
    "invitations_say_where": [
        put(POOL, INVITATION, "You are {username}, {####}"),
        put(POOL, INVITATION, "See the inbox, {username}"),
        put(POOL, "Properties.EmailConfiguration", SENDER),
        put(POOL, "Properties.EmailConfiguration", {**SENDER, "SourceArn": "arn:x:ses:r:a:identity/ample.com"}),
        put(POOL, "Properties.EmailConfiguration", {**SENDER, "EmailSendingAccount": "COGNITO_DEFAULT"}),
    ],
    "senders_parents_are_named": [
        each("AWS::Lambda::Function", lambda one: _from(one, "placet@mail.example.com")),
        replace(":identity/example.com", ":identity/ample.com", "NotifyRoleDefaultPolicy"),
    ],
    "bounces_are_heard": [
        put(DESTINATION, TYPES, ["BOUNCE", "COMPLAINT"]),
        put(DESTINATION, TYPES, ["BOUNCE", "COMPLAINT", "REJECT", "OPEN"]),
        put(DESTINATION, "Properties.EventDestination.Enabled", False),
        put("AWS::Events::Rule", "Properties.Targets.0.Arn", {"Fn::GetAtt": ["SweepFunction0", "Arn"]}, "MailBounced"),
        put("AWS::Events::Rule", "Properties.EventPattern.detail-type", ["Email Bounced"], "MailBounced"),
        put("AWS::Events::Rule", "Properties.EventPattern.detail", {}, "MailBounced"),
    ],
}  # fmt: skip


def _from(function: dict, sender: str) -> None:
    variables = function["Properties"].get("Environment", {}).get("Variables", {})
    if "PLACET_MAIL_FROM" in variables:
        variables["PLACET_MAIL_FROM"] = sender
