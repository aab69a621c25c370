"""How people come in and are written to: the user pool, its clients and pages, and mail."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from infra.checks.template import Json, Templates, actions, flat, resources, target, text, verb_of

NAMED = (
    "WriteAttributes",
    "ReadAttributes",
    "ExplicitAuthFlows",
    "PreventUserExistenceErrors",
    "EnableTokenRevocation",
)
LOOPBACK = ("localhost", "127.0.0.1")
NOT_DELIVERED = {"BOUNCE", "COMPLAINT", "REJECT"}
TELLING = {"OPEN", "CLICK"}  # of readers: a mail is watched for neither


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
        if (
            properties.get("TokenValidityUnits", {}).get("AccessToken") != "minutes"
            or properties["AccessTokenValidity"] > 10
        ):
            yield f"{name}: an access token lives for more than ten minutes and cannot be called back"
        if properties.get("GenerateSecret"):
            yield f"{name}: has a secret, which a function would have to read"
    styled = {target(one["ClientId"]) for one in templates.of("AWS::Cognito::ManagedLoginBranding").values()}
    new = [one for one in templates.of("AWS::Cognito::UserPoolDomain").values() if one.get("ManagedLoginVersion") == 2]
    for name in templates.of("AWS::Cognito::UserPoolClient") if new else ():
        if name not in styled:
            yield f"{name}: its login pages have no style: they answer 'Login pages unavailable'"
    for name, properties in templates.of("AWS::Cognito::UserPoolDomain").items():
        if "AWS::AccountId" not in text(properties["Domain"]):
            yield f"{name}: the prefix is taken as soon as a second account uses it"


def no_way_in_but_the_pages(templates: Templates) -> Iterator[str]:
    """No sign-in with a password past the login pages, and nothing that a user may rewrite but their locale; an empty list means
    every standard attribute. Where a company's provider signs people in, the pool writes address and name through the client."""
    for name, properties in templates.of("AWS::Cognito::UserPoolClient").items():
        if properties.get("ExplicitAuthFlows") != ["ALLOW_REFRESH_TOKEN_AUTH"]:
            yield f"{name}: {properties.get('ExplicitAuthFlows')} takes passwords past the login pages"
        federated = properties.get("SupportedIdentityProviders") != ["COGNITO"]
        if properties.get("WriteAttributes") != (["email", "name"] if federated else ["locale"]):
            yield f"{name}: users rewrite {properties.get('WriteAttributes') or 'every standard attribute'}"


def callbacks_are_ours(templates: Templates) -> Iterator[str]:
    """A code is handed to the inbox over https, or to a program on the reader's own machine; never to an example or a pattern."""
    for name, properties in templates.of("AWS::Cognito::UserPoolClient").items():
        for url in map(flat, [*properties.get("CallbackURLs", []), *properties.get("LogoutURLs", [])]):
            parts = urlsplit(url.replace("<", "").replace(">", ""))
            loopback = parts.scheme == "http" and parts.hostname in LOOPBACK and parts.port is not None
            if (
                not (parts.scheme == "https" or loopback or url.startswith("<"))
                or "*" in url
                or parts.hostname == "example.com"
            ):
                yield f"{name}: hands codes to {url}"


def programs_get_tokens(templates: Templates) -> Iterator[str]:
    """Routes that ask for a token can be called: a client's callback is loopback, and every client's tokens are taken."""
    asked = [one for one in templates.of("AWS::ApiGatewayV2::Route").values() if one.get("AuthorizationType") == "JWT"]
    clients = templates.of("AWS::Cognito::UserPoolClient")
    if asked and not any(_is_a_programs(one) for one in clients.values()):
        yield f"no client has a callback of a program: {len(asked)} routes ask for a token that nobody can get"
    for name, properties in templates.of("AWS::ApiGatewayV2::Authorizer").items():
        if properties.get("AuthorizerType") != "JWT":
            continue
        taken = {target(one) for one in properties["JwtConfiguration"]["Audience"]}
        if taken != set(clients):
            yield f"{name}: takes tokens of {sorted(taken)}, and there are {sorted(clients)}"


def _is_a_programs(client: Json) -> bool:
    return any(urlsplit(flat(url)).hostname in LOOPBACK for url in client.get("CallbackURLs", []))


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


def passwords_are_long(templates: Templates) -> Iterator[str]:
    """Twelve characters of every kind, and one trigger at most: that which says groups."""
    for name, properties in templates.of("AWS::Cognito::UserPool").items():
        rules = properties.get("Policies", {}).get("PasswordPolicy", {})
        kinds = ("RequireLowercase", "RequireUppercase", "RequireNumbers", "RequireSymbols")
        if rules.get("MinimumLength", 0) < 12 or not all(rules.get(kind) is True for kind in kinds):
            yield f"{name}: passwords of {rules}"
        if extra := set(properties.get("LambdaConfig", {})) - {"PreTokenGeneration"}:
            yield f"{name}: {sorted(extra)} runs code in the middle of a sign-in"


def invitations_say_where(templates: Templates) -> Iterator[str]:
    """The mail to somebody new has user name, password and the way to the inbox; of our own sender it is by what SES verified."""
    for name, properties in templates.of("AWS::Cognito::UserPool").items():
        body = properties.get("AdminCreateUserConfig", {}).get("InviteMessageTemplate", {}).get("EmailMessage", "")
        if not all(word in body for word in ("{username}", "{####}", "inbox")):
            yield f"{name}: the invitation does not say who, with what password and where"
        sender = properties.get("EmailConfiguration", {})
        if not sender:
            continue
        identity = flat(sender.get("SourceArn", "")).rpartition("identity/")[2]
        if (
            sender.get("EmailSendingAccount") != "DEVELOPER"
            or not identity
            or not _sends(identity, sender.get("From", ""))
        ):
            yield f"{name}: mails of {sender.get('From')} by the identity {identity or 'of nobody'}"


def _sends(identity: str, address: str) -> bool:
    """Whether what SES verified covers an address: itself, its domain or a parent."""
    return identity == address or f".{address.rpartition('@')[2]}".endswith(f".{identity}")


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


def senders_parents_are_named(templates: Templates) -> Iterator[str]:
    """SES asks for the right on whichever identity it verified: the address, its domain, or a parent domain."""
    for verb, name, properties in templates.functions():
        sender = properties.get("Environment", {}).get("Variables", {}).get("PLACET_MAIL_FROM")
        if sender is None:
            continue
        statements = [one for role, found in templates.roles.items() if verb_of(role) == verb for one in found]
        named = {
            where.rpartition("identity/")[2]
            for one in statements
            if "ses:SendEmail" in actions(one)
            for where in resources(one)
            if "identity/" in where
        }
        labels = sender.rpartition("@")[2].split(".")
        wanted = {sender, *(".".join(labels[start:]) for start in range(len(labels) - 1))}
        if "*" not in named and named != wanted:
            yield f"{name}: may send by {sorted(named)}, and SES may ask for any of {sorted(wanted)}"


def bounces_are_heard(templates: Templates) -> Iterator[str]:
    """What did not reach its reader is told to bounce, and nobody is told who opened a mail."""
    events = {
        event.upper()
        for one in templates.of("AWS::SES::ConfigurationSetEventDestination").values()
        if one["EventDestination"].get("Enabled") is not False
        for event in one["EventDestination"]["MatchingEventTypes"]
    }
    if missing := sorted(NOT_DELIVERED - events):
        yield f"nobody hears of {', '.join(missing)}"
    if watched := sorted(TELLING & events):
        yield f"{', '.join(watched)} of readers are told"
    bounce = next((name for verb, name, _ in templates.functions() if verb == "bounce"), "")
    rules = [
        one
        for one in templates.of("AWS::Events::Rule").values()
        if any(target(where["Arn"]) == bounce for where in one.get("Targets", []))
    ]
    told = {kind for one in rules for kind in one.get("EventPattern", {}).get("detail-type", [])}
    if not told >= {"Email Bounced", "Email Complaint Received", "Email Rejected"}:
        yield f"bounce is told of {sorted(told)} only"
    if not all("ses:configuration-set" in text(one.get("EventPattern")) for one in rules):
        yield "bounce is told of mails that are not ours"
