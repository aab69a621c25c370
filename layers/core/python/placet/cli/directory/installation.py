"""Where the installation is that a command works on: named in the environment, or read from the outputs of the deployed stacks."""

from __future__ import annotations

import getpass
import os
from typing import Any

import click
from botocore.exceptions import BotoCoreError, ClientError

from placet.cli.directory.accounts import Accounts
from placet.cli.session import client
from placet.client.errors import ClientError as NotSaid

TABLE, POOL, INBOX = "PLACET_TABLE", "PLACET_USER_POOL", "PLACET_INBOX"
UNREAD = "the output InboxUrl of PlacetGateway"  # where to look for the inbox then
OUTPUTS = {
    TABLE: ("PlacetData", "TableName"),
    POOL: ("PlacetData", "UserPoolId"),
    INBOX: ("PlacetGateway", "InboxUrl"),
}


def found(name: str) -> str:
    """What a variable says, or the output of the deployed stack. Raises UsageError that names both when there is neither."""
    if said := os.environ.get(name, ""):
        return said
    stack, output = OUTPUTS[name]
    try:
        value = _outputs(client("cloudformation"), stack).get(output, "")
    except NotSaid as error:
        raise click.UsageError(
            f"say it in {name}, the output {output} of {stack}, or let it be read there: {error}"
        ) from None
    except (ClientError, BotoCoreError) as error:
        why = f"the stack {stack} cannot be read: {error}"
        raise click.UsageError(f"say it in {name}, the output {output} of {stack}; {why}") from None
    if not value:
        raise click.UsageError(f"say it in {name}: the stack {stack} has no output {output}")
    return value


def inbox() -> str:
    """Where people decide; empty when that cannot be read, which undoes nothing."""
    try:
        return found(INBOX)
    except click.UsageError:
        return ""


def _outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    (one,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    return {one["OutputKey"]: one["OutputValue"] for one in one.get("Outputs", [])}


def accounts() -> Accounts:
    """The user pool of the installation."""
    return Accounts(client("cognito-idp"), found(POOL))


def by() -> str:
    """Who is at this terminal, as the log names them."""
    return f"cli/{getpass.getuser()}"
