"""The reviewers' way in: client, domain and style of the user pool's own login pages.

In the gateway stack, not beside the pool: the client needs the API's address, and a domain's prefix may be taken, which
must not roll the data stack back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.settings import Settings

# Of the loopback address, which no other machine can take: `placet sign-in` listens there for its own browser.
PROGRAM_CALLBACK = "http://localhost:8976/callback"
# With a password sign-in past the login pages anybody tries passwords, and its token may rewrite attributes. Named because an
# empty list means Cognito's defaults, SRP among them; the login pages need none of these.
AUTH_FLOWS = ["ALLOW_REFRESH_TOKEN_AUTH"]
# An empty list means every standard attribute, the address too. The locale is nothing that anybody here looks at.
WRITABLE = cognito.ClientAttributes().with_standard_attributes(locale=True)
SHORT = cdk.Duration.minutes(10)  # a token cannot be called back before it expires


class Login(Construct):
    """Authorization code with PKCE, a public client: no secret to keep. Identity is ``sub``, never the address."""

    def __init__(
        self, scope: Construct, name: str, *, settings: Settings, pool: cognito.UserPool, base_url: str
    ) -> None:
        super().__init__(scope, name)
        stack = cdk.Stack.of(self)
        self._pool, self._providers = pool, settings.identity_providers
        self.client = self._client(
            "Client", callback_urls=[f"{base_url}/sign-in/callback"], logout_urls=[f"{base_url}/sign-in"]
        )
        self.programs = self._client("Programs", callback_urls=[PROGRAM_CALLBACK])
        domain = self._pages(f"{settings.login_domain_prefix}-{stack.account}")
        self.url = domain.base_url()
        self.issuer = f"https://cognito-idp.{stack.region}.{stack.url_suffix}/{pool.user_pool_id}"
        self.jwks_url = f"{self.issuer}/.well-known/jwks.json"

    def _client(self, name: str, **addresses: Sequence[str]) -> cognito.UserPoolClient:
        """Public, code flow with PKCE; `addresses`: where its browser comes back to."""
        # The pool writes what a provider says through the client, so then it has to be writable.
        provider, providers = cognito.UserPoolClientIdentityProvider, self._providers
        federated = cognito.ClientAttributes().with_standard_attributes(email=True, fullname=True)
        client = cognito.UserPoolClient(
            self,
            name,
            user_pool=self._pool,
            generate_secret=False,
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                # CDK's default has aws.cognito.signin.user.admin, with which a user rewrites their own attributes.
                scopes=[cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
                **addresses,
            ),
            supported_identity_providers=[provider.COGNITO, *(provider.custom(name) for name in providers)],
            read_attributes=cognito.ClientAttributes().with_standard_attributes(
                email=True, email_verified=True, fullname=True
            ),
            write_attributes=federated if providers else WRITABLE,
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            access_token_validity=SHORT,
            id_token_validity=SHORT,
            refresh_token_validity=cdk.Duration.hours(8),
        )
        cast(cognito.CfnUserPoolClient, client.node.default_child).explicit_auth_flows = list(AUTH_FLOWS)
        return client

    def _pages(self, prefix: str) -> cognito.UserPoolDomain:
        # Prefixes are unique per region over all accounts.
        domain = cognito.UserPoolDomain(
            self,
            "Domain",
            user_pool=self._pool,
            cognito_domain=cognito.CognitoDomainOptions(domain_prefix=prefix),
            managed_login_version=cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
        )
        for name, client in (("Style", self.client), ("ProgramsStyle", self.programs)):
            # Without a style of the client the new login pages answer "Login pages unavailable".
            style = cognito.CfnManagedLoginBranding(
                self,
                name,
                user_pool_id=self._pool.user_pool_id,
                client_id=client.user_pool_client_id,
                use_cognito_provided_values=True,
            )
            style.node.add_dependency(domain)
        return domain
