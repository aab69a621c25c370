"""A call that nobody answers: asked before a module's other tests, and looked at when its three minutes are over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from local.outbox import Mail
from local.people import Reviewer
from local.seed import seed_members
from local.stack import LocalStack
from placet.aws.table import DynamoTable
from placet.client import Gateway
from placet.records import writes
from placet.records.keys import Keys
from tests.e2e.agents import capture, gateway_of, mailed_long_ago, until

KEYS = Keys("main")
WAITS_MS = 180_000  # its class (`local.agents.rules`): the moments of a call are counted from one
PATIENCE_S = 300  # it is the first pause of its stack: every function starts for it, on a machine that may be busy
NILS = Reviewer("nils", "", "e2e-nils", "nils@example.com", "Nils Berg", ("night-shift",))
PETRA = Reviewer("petra", "", "e2e-petra", "petra@example.com", "Petra Lang", ("night-leads",))


@dataclass(frozen=True)
class Unanswered:
    """The pause, and the moment from which its own moments count."""

    stack: LocalStack
    agent: Gateway
    pause: str
    shown_ms: int

    def mails(self) -> list[Mail]:
        """Every mail about it, oldest first."""
        return [mail for mail in self.stack.outbox() if self.pause in mail.text]

    def events(self) -> list[dict[str, Any]]:
        """Its record, in the order of time."""
        found = table(self.stack).query(KEYS.pause(self.pause), "E#")
        return sorted(found, key=lambda event: int(event["at_ms"]))


@contextmanager
def unanswered(stack: LocalStack) -> Iterator[Unanswered]:
    """The call, shown and mailed to Nils alone. Who was mailed just now is not mailed again for five minutes, but by one mail of
    what waits: so that his reminder is one, he was mailed long ago."""
    seed_members(stack.aws, stack.table_name, {person.username: person for person in (NILS, PETRA)})
    agent = gateway_of(stack, "billing-agent")
    pause = capture(agent, ("open_vault", {"vault": "north"})).pause
    head = until(
        lambda: (found := table(stack).get(KEYS.head(pause)) or {}).get("notified_ms") and found,
        "its queue",
        PATIENCE_S,
    )
    asked = Unanswered(stack, agent, pause, head["deadline_ms"] - WAITS_MS)
    until(asked.mails, "the first mail", PATIENCE_S)
    mailed_long_ago(stack, NILS.sub)
    yield asked
    for person in (NILS, PETRA):
        table(stack).write(writes.drop_member(KEYS, person.sub, *person.groups))


def table(stack: LocalStack) -> DynamoTable:
    return DynamoTable(stack.table_name, stack.client("dynamodb"))
