"""`placet reassign`: hand a call on, as the reviewer whose access token is in PLACET_TOKEN."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import click
from rich.console import Console

from placet.cli.callers import AS_REVIEWER
from placet.cli.named import CALL
from placet.client.bearer import reviewer
from placet.model.visible import one_line

Show = Callable[[click.Context, dict[str, Any], Callable[[Console], None]], None]


def command(show: Show) -> click.Command:
    """The command, to be added to the command line."""

    @click.command("reassign", epilog=AS_REVIEWER)
    @click.argument("call", type=CALL)
    @click.option("--to", default="", help="A person: mail address or sub.")
    @click.option("--group", default="", help="A group of a level of the call's class.")
    @click.pass_context
    def reassign(ctx: click.Context, call: str, to: str, group: str) -> None:
        """Hand a call to a person or a group, who may decide it from now on. Decides nothing; safe to repeat.

        Only by a reviewer who may decide the call.
        """
        if bool(to) == bool(group):
            raise click.UsageError("say --to or --group, and not both" if to else "say --to or --group")
        body = json.dumps({"to": to} if to else {"group": group})
        sends = reviewer(ctx.obj[0], os.environ.get("PLACET_TOKEN", ""))
        answer = sends.send("POST", f"/v1/reviews/{quote(call, safe='')}/reassign", body).body
        said = f"{answer['call']} is handed to {answer['to_name']}, by {answer['handed_by']}."
        show(ctx, answer, lambda console: console.print(one_line(said)))

    return reassign
