"""The exact write of every verb: which items change, on which clauses. Read beside docs/data-model.md."""

from placet.records.writes.deciding import Ballot, closed_pause, decide, leave_queue, mend_closed
from placet.records.writes.ending import list_stuck
from placet.records.writes.people import end_session, put_member, put_session
from placet.records.writes.running import claim, lease, outcome, refuse_claim, release_lease, resumed
from placet.records.writes.telling import put_event
from placet.records.writes.waiting import (
    NOTIFY_WITHIN_MS,
    answer_token_now,
    capture,
    expire,
    next_generation,
    notify,
    store_token,
)

__all__ = [
    "NOTIFY_WITHIN_MS",
    "Ballot",
    "answer_token_now",
    "capture",
    "claim",
    "closed_pause",
    "decide",
    "end_session",
    "expire",
    "lease",
    "leave_queue",
    "list_stuck",
    "mend_closed",
    "next_generation",
    "notify",
    "outcome",
    "put_event",
    "put_member",
    "put_session",
    "refuse_claim",
    "release_lease",
    "resumed",
    "store_token",
]
