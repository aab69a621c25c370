"""The user pool, as reviewers are entered: accounts by address, invitations by the pool itself, so that no password passes here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.model.errors import Busy, Conflict, Refused

NEVER_SIGNED_IN = "FORCE_CHANGE_PASSWORD"
PASSES = ("TooManyRequestsException", "InternalErrorException", "LimitExceededException", "ThrottlingException")
_OTHER = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True)
class Account:
    """Somebody's account: who signs in, under the identity that decisions carry."""

    sub: str
    username: str
    status: str
    enabled: bool

    @property
    def waits(self) -> bool:
        """Whether they were invited and have not signed in yet."""
        return self.status == NEVER_SIGNED_IN


class Accounts:
    """The accounts of one user pool. Every method raises Refused `pool_refused`, or Busy when it may pass."""

    def __init__(self, cognito: Any, pool: str) -> None:
        self._cognito, self._pool = cognito, pool

    def of(self, email: str) -> Account | None:
        """The account with this address, in the letters it is written in or in small ones.

        Raises Conflict `account_ambiguous` when there are several.
        """
        found: dict[str, Account] = {}
        for text in dict.fromkeys((email, email.lower())):
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            found |= {one.sub: one for one in self._listed(Filter=f'email = "{quoted}"')}
        if len(found) > 1:
            raise Conflict(
                "account_ambiguous", "Several accounts have this address. Give the sub of one.", subs=sorted(found)
            )
        return next(iter(found.values()), None)

    def all(self) -> dict[str, Account]:
        """Every account, by `sub`."""
        return {one.sub: one for one in self._listed()}

    def invite(self, email: str, name: str, username: str = "") -> Account:
        """Make an account; the pool mails its user name and a password for one sign-in.

        Raises Conflict `username_taken`.
        """
        attributes = {"email": email, "email_verified": "true", "name": name}
        for wanted in [username] if username else _usernames(email):
            try:
                with self._asked():
                    answer = self._cognito.admin_create_user(
                        UserPoolId=self._pool,
                        Username=wanted,
                        UserAttributes=[{"Name": key, "Value": value} for key, value in attributes.items()],
                        DesiredDeliveryMediums=["EMAIL"],  # by itself it is SMS
                    )
            except Conflict:
                continue
            return _account(answer["User"])
        raise Conflict("username_taken", "Somebody else has this user name. Choose one with --username.")

    def invite_again(self, account: Account) -> None:
        """Mail the invitation again, with a new password for one sign-in."""
        with self._asked():
            self._cognito.admin_create_user(
                UserPoolId=self._pool,
                Username=account.username,
                MessageAction="RESEND",
                DesiredDeliveryMediums=["EMAIL"],
            )

    def close(self, account: Account) -> None:
        """Nobody signs in with it any more."""
        with self._asked():
            self._cognito.admin_disable_user(UserPoolId=self._pool, Username=account.username)
            self._cognito.admin_user_global_sign_out(UserPoolId=self._pool, Username=account.username)

    def by_sub(self, sub: str) -> Account | None:
        """The account of a `sub`."""
        quoted = sub.replace("\\", "\\\\").replace('"', '\\"')
        return next(self._listed(Filter=f'sub = "{quoted}"'), None)

    def _listed(self, **asked: str) -> Iterator[Account]:
        token: dict[str, str] = {}
        while True:
            with self._asked():
                page = self._cognito.list_users(UserPoolId=self._pool, **asked, **token)
            yield from map(_account, page["Users"])
            if not page.get("PaginationToken"):
                return
            token = {"PaginationToken": page["PaginationToken"]}

    @contextmanager
    def _asked(self) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "UsernameExistsException":
                raise Conflict("username_taken", "Somebody else has this user name.") from None
            if code in PASSES:
                raise Busy(f"The user pool does not answer now ({code}).") from error
            said = error.response["Error"].get("Message", "")
            raise Refused("pool_refused", f"The user pool refuses {error.operation_name}: {code}: {said}") from error
        except BotoCoreError as error:
            raise Refused("pool_refused", f"The user pool cannot be asked: {error}") from error


def _account(user: dict[str, Any]) -> Account:
    told = {one["Name"]: one["Value"] for one in user["Attributes"]}
    return Account(told["sub"], user["Username"], user.get("UserStatus", ""), user.get("Enabled", True))


def _usernames(email: str) -> tuple[str, str]:
    """What an account may be called: never an address, which the pool takes for an alias. The second is of this address alone."""
    name = _OTHER.sub("-", email.partition("@")[0]).strip("-.") or "reviewer"
    return name[:100], f"{name[:100]}-{hashlib.sha256(email.lower().encode()).hexdigest()[:6]}"
