"""The reviewers' way in: client, domain and style of the user pool's own login pages.

In the gateway stack, not beside the pool: the client needs the API's address, and a domain's prefix may be taken, which
must not roll the data stack back.
"""

from __future__ import annotations

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.settings import Settings

SHORT = cdk.Duration.minutes(10)  # a token cannot be called back before it expires


class Login(Construct):
    """Authorization code with PKCE, a public client: no secret to keep. Identity is ``sub``, never the address."""

    def __init__(
        self, scope: Construct, name: str, *, settings: Settings, pool: cognito.UserPool, base_url: str
    ) -> None:
        super().__init__(scope, name)
        stack = cdk.Stack.of(self)
        self.client = self._client(pool, base_url, settings.identity_providers)
        domain = self._pages(pool, f"{settings.login_domain_prefix}-{stack.account}")
        self.url = domain.base_url()
        self.issuer = f"https://cognito-idp.{stack.region}.{stack.url_suffix}/{pool.user_pool_id}"
        self.jwks_url = f"{self.issuer}/.well-known/jwks.json"

    def _client(self, pool: cognito.UserPool, base_url: str, providers: Sequence[str]) -> cognito.UserPoolClient:
        # The pool writes what a provider says through the client, so it has to be writable; and whoever signs in without the login
        # pages may write it too (their token has aws.cognito.signin.user.admin). So then there is no way in but the pages.
        provider, told = cognito.UserPoolClientIdentityProvider, cognito.ClientAttributes()
        return cognito.UserPoolClient(
            self,
            "Client",
            user_pool=pool,
            generate_secret=False,
            auth_flows=cognito.AuthFlow(user_srp=not providers),
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                # CDK's default has aws.cognito.signin.user.admin, with which a user rewrites their own attributes.
                scopes=[cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
                callback_urls=[f"{base_url}/sign-in/callback"],
                logout_urls=[f"{base_url}/sign-in"],
            ),
            supported_identity_providers=[provider.COGNITO, *(provider.custom(name) for name in providers)],
            read_attributes=cognito.ClientAttributes().with_standard_attributes(
                email=True, email_verified=True, fullname=True
            ),
            write_attributes=told.with_standard_attributes(email=True, fullname=True) if providers else told,
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            access_token_validity=SHORT,
            id_token_validity=SHORT,
            refresh_token_validity=cdk.Duration.hours(8),
        )

    def _pages(self, pool: cognito.UserPool, prefix: str) -> cognito.UserPoolDomain:
        # Prefixes are unique per region over all accounts.
        domain = cognito.UserPoolDomain(
            self,
            "Domain",
            user_pool=pool,
            cognito_domain=cognito.CognitoDomainOptions(domain_prefix=prefix),
            managed_login_version=cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
        )
        # Without a style the new login pages answer "Login pages unavailable".
        style = cognito.CfnManagedLoginBranding(
            self,
            "Style",
            user_pool_id=pool.user_pool_id,
            client_id=self.client.user_pool_client_id,
            use_cognito_provided_values=True,
        )
        style.node.add_dependency(domain)
        return domain
