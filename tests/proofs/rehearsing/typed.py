"""Commands of the AWS command line that documents or the doctor print, carried out by boto3: nobody has that command line here."""

from __future__ import annotations

import shlex
from typing import Any

from tests.proofs.rehearsing.account import Account

LISTS = {"Ids"}  # parameters that take several words


def carry_out(account: Account, line: str) -> Any:
    """One line, as `aws SERVICE OPERATION --name value …`; raises ClientError as the service refuses it."""
    aws, service, operation, *rest = shlex.split(line, comments=True)
    assert aws == "aws", line
    asked: dict[str, Any] = {}
    while rest:
        name = "".join(word.title() for word in rest.pop(0).removeprefix("--").split("-"))
        values: list[str] = []
        while rest and not rest[0].startswith("--"):
            values.append(rest.pop(0))
        if name != "Region":
            asked[name] = values if name in LISTS else values[0] if values else True
    return getattr(account.client(service), operation.replace("-", "_"))(**asked)
