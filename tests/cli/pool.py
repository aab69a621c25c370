"""A user pool like the stack's, behind the commands that enter reviewers: names and addresses are taken as Cognito takes them."""

from __future__ import annotations

import re
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ClientError
from botocore.validate import ParamValidator

from placet.cli.directory import importing, installation, reviewers
from placet.cli.directory.accounts import NEVER_SIGNED_IN, Accounts

INBOX = "https://inbox.acme.test/inbox"
_SERVICE = botocore.session.Session().get_service_model("cognito-idp")
User = dict[str, Any]


def refused(operation: str, code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "said so"}}, operation)


class Pool:
    """The calls of `placet.cli.directory.accounts`, each held against AWS's own model of it.

    Attributes:
        mailed: (user name, whether again) of every invitation.
        fails: operation → code that it is refused with from now on.
    """

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.mailed: list[tuple[str, bool]] = []
        self.fails: dict[str, str] = {}

    def _asked(self, operation: str, asked: dict[str, Any]) -> None:
        report = ParamValidator().validate(asked, _SERVICE.operation_model(operation).input_shape)
        assert not report.has_errors(), report.generate_report()
        if code := self.fails.get(operation):
            raise refused(operation, code)

    def admin_create_user(self, **asked: Any) -> dict[str, Any]:
        self._asked("AdminCreateUser", asked)
        name = asked["Username"]
        assert "@" not in name, "an alias is no user name"
        assert asked["DesiredDeliveryMediums"] == ["EMAIL"]
        again = asked.get("MessageAction") == "RESEND"
        if again:
            self.mailed.append((name, True))
            return {"User": self._out(self.users[name])}
        if name in self.users:
            raise refused("AdminCreateUser", "UsernameExistsException")
        told = {one["Name"]: one["Value"] for one in asked["UserAttributes"]}
        self.users[name] = {
            **told,
            "username": name,
            "enabled": True,
            "status": NEVER_SIGNED_IN,
            "sub": f"sub-{len(self.users)}",
        }
        self.mailed.append((name, False))
        return {"User": self._out(self.users[name])}

    def list_users(self, **asked: Any) -> dict[str, Any]:
        self._asked("ListUsers", asked)
        key, value = "", ""
        if found := re.fullmatch(r'(\w+) = "((?:[^"\\]|\\.)*)"', asked.get("Filter", "")):
            key, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        all_of_them = [one for one in self.users.values() if not key or one[key] == value]
        at = int(asked.get("PaginationToken", "0"))
        more = {"PaginationToken": str(at + 2)} if len(all_of_them) > at + 2 else {}
        return {"Users": [self._out(one) for one in all_of_them[at : at + 2]], **more}

    def admin_disable_user(self, **asked: Any) -> dict[str, Any]:
        self._asked("AdminDisableUser", asked)
        self.users[asked["Username"]]["enabled"] = False
        return {}

    def admin_user_global_sign_out(self, **asked: Any) -> dict[str, Any]:
        self._asked("AdminUserGlobalSignOut", asked)
        return {}

    def _out(self, user: User) -> dict[str, Any]:
        told = [{"Name": name, "Value": user[name]} for name in ("sub", "email")]
        return {
            "Username": user["username"],
            "Attributes": told,
            "UserStatus": user["status"],
            "Enabled": user["enabled"],
        }


def user_pool(monkeypatch: pytest.MonkeyPatch) -> tuple[Pool, Accounts]:
    """An empty pool, and its accounts as the commands see them; they are told of it."""
    pool = Pool()
    accounts = Accounts(pool, "us-east-1_reviewers")
    monkeypatch.setenv(installation.INBOX, INBOX)
    for room in (reviewers, importing):
        monkeypatch.setattr(room, "accounts", lambda: accounts)
    return pool, accounts
