"""Who may touch which partitions of the table. IAM sees the partition key only: so the task token has its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PAUSE = "T#*#P#*"  # head, bodies, events
TOKEN = "T#*#K#*"  # the task token: notify writes it, dispatch reads it, nobody else  # noqa: S105
USER = "T#*#U#*"  # memberships of a reviewer
GROUP = "T#*#G#*"  # reviewers of a group
BADGE = "T#*#I#*"  # a reviewer's badges, and the same from the group
BADGE_HOLDER = "T#*#J#*"
AWAY = "T#*#O#*"  # who is away, and who stands in
SESSION = "T#*#S#*"  # a reviewer's browser session
FREEZE = "T#*#F#*"  # the mark that holds captures, decisions and claims for a restore
HISTORY = "T#*#H#*"  # how long people took, by class and day
RUNS = "T#*#N#*"  # the record of a Bedrock run, and what its agent said
LISTS = "T#*#L#*"  # the work lists that were ever written to
ENTITY, RUN = "T#*#E#*", "T#*#R#*"  # what pauses are found by; of earlier releases also in index find
MAILBOX = "T#*#M#*"  # when a person was last mailed, and why mail to them is refused
SINK = "T#*#Y#*"  # sinks that refused what they were told
BUDGET = "T#*#B#*"  # what was let pass without a person, added up
SEEN = "T#*#D#*"  # what was there before, for rules that ask
SAMPLES = "T#*#A#*"  # what was let pass and drawn for a look afterwards
OPEN_COUNT = "T#*#C#*"  # how many pauses of an agent wait for people
QUEUE = "T#*#Q#*"  # index work: what waits for reviewers
WORK = "T#*#W#*"  # index work: what waits for us


@dataclass(frozen=True)
class Grant:
    """Table actions (without ``dynamodb:``) on partitions that match ``keys``, of the table or of one index."""

    actions: Sequence[str]
    keys: Sequence[str]
    index: str | None = None


def _on(keys: str | Sequence[str], *actions: str, index: str | None = None) -> Grant:
    return Grant(actions, (keys,) if isinstance(keys, str) else tuple(keys), index)


# What rules ask, in one request. IAM judges a batch by each statement alone, with all of its keys: two statements, of one
# kind of partition each, allow neither. So all that a function reads by batches stands in one statement.
ASKED = (BUDGET, SEEN)

# Whoever captures judges: it reads what rules ask, counts what passes and what waits, and draws samples.
JUDGING = (
    _on(OPEN_COUNT, "UpdateItem"),
    _on((QUEUE, WORK), "Query", index="work"),  # what is really open, once the counter is at its bound
    _on(BUDGET, "UpdateItem"),
    _on(SAMPLES, "PutItem"),
)

# A transaction has no right of its own: it takes those of its parts, ConditionCheckItem among them.
TABLE_RIGHTS: Mapping[str, Sequence[Grant]] = {
    "capture": (
        # Older pauses of a run are closed only for one that still waits: it is checked with the write.
        _on(PAUSE, "GetItem", "PutItem", "UpdateItem", "ConditionCheckItem"),
        _on((PAUSE, *ASKED), "BatchGetItem"),
        _on(FREEZE, "GetItem"),
        _on(LISTS, "Query", "PutItem"),
        _on(ENTITY, "PutItem"),
        _on(RUN, "PutItem", "Query"),
        _on(RUN, "Query", index="find"),
        *JUDGING,
    ),
    "dispatch": (_on(PAUSE, "GetItem", "UpdateItem"), _on(TOKEN, "Query"), _on(HISTORY, "UpdateItem")),
    "notify": (
        _on(PAUSE, "GetItem", "PutItem", "UpdateItem"),
        _on(TOKEN, "PutItem", "UpdateItem"),
        _on((GROUP, USER, AWAY, BADGE, BADGE_HOLDER), "Query"),  # whom to mail: who is there, and who stands in
        _on(MAILBOX, "GetItem", "UpdateItem"),
        _on(QUEUE, "Query", index="work"),  # how much waits for somebody who is owed a mail
    ),
    "escalate": (
        _on(PAUSE, "GetItem", "PutItem", "UpdateItem"),
        _on(
            (GROUP, USER, AWAY, BADGE, BADGE_HOLDER), "Query"
        ),  # who is reminded, who is asked next, and whether anybody is left
    ),
    "review": (
        _on(PAUSE, "GetItem", "Query"),
        _on((USER, AWAY, GROUP, BADGE, BADGE_HOLDER), "Query"),
        _on(MAILBOX, "BatchGetItem"),  # whose mail comes back
        _on(SESSION, "GetItem"),
        _on(QUEUE, "Query", index="work"),
    ),
    "decide": (
        _on(PAUSE, "GetItem", "Query", "PutItem", "UpdateItem"),
        _on(
            (USER, AWAY, BADGE), "Query", "ConditionCheckItem"
        ),  # checks the rights that it uses, and can never make one
        _on(AWAY, "PutItem"),  # a reviewer is away, or back
        _on((GROUP, BADGE_HOLDER), "Query"),  # what their absence means for their groups
        _on(MAILBOX, "BatchGetItem"),
        _on(SESSION, "GetItem"),
        _on(FREEZE, "GetItem"),
    ),
    "sign_in": (
        _on(SESSION, "GetItem", "PutItem", "DeleteItem"),
        _on(USER, "Query"),
        _on(BADGE, "Query", "PutItem"),  # what the verified token says of groups, and no other membership
        _on(BADGE_HOLDER, "PutItem"),
    ),
    "invoke_agent": (
        _on(PAUSE, "GetItem", "PutItem"),
        _on(RUNS, "GetItem", "PutItem"),
        _on(FREEZE, "GetItem"),
        _on(LISTS, "Query", "PutItem"),
        _on((ENTITY, RUN), "PutItem"),
        _on(ASKED, "BatchGetItem"),
        *JUDGING,
    ),
    "resume": (
        _on(PAUSE, "GetItem", "PutItem", "UpdateItem"),
        _on(RUNS, "GetItem", "PutItem"),
        _on(FREEZE, "GetItem"),
        _on(LISTS, "Query", "PutItem"),
        _on((ENTITY, RUN), "PutItem"),
        _on(ASKED, "BatchGetItem"),
        *JUDGING,
        _on(SEEN, "PutItem"),
    ),
    "pick_up": (
        _on(PAUSE, "GetItem", "BatchGetItem", "Query", "UpdateItem"),  # the status of what is decided reads its events
        _on(RUNS, "GetItem"),
        _on(HISTORY, "Query"),
        _on(WORK, "Query", index="work"),
        _on(RUN, "Query"),
        _on(RUN, "Query", index="find"),
    ),
    "execute": (_on(PAUSE, "GetItem", "PutItem", "UpdateItem"), _on(FREEZE, "GetItem"), _on(SEEN, "PutItem")),
    "sweep": (
        _on(PAUSE, "GetItem", "BatchGetItem", "PutItem", "UpdateItem"),
        _on(LISTS, "Query", "PutItem"),
        _on((GROUP, USER, AWAY, BADGE, BADGE_HOLDER), "Query"),  # whether anybody is left who reads a queue
        _on((QUEUE, WORK), "Query", index="work"),
    ),
    "operate": (
        _on(PAUSE, "GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"),
        _on(LISTS, "Query"),
        _on(FREEZE, "GetItem", "PutItem"),  # nothing is proposed while everything is held
        _on((QUEUE, WORK), "Query", index="work"),
        _on((ENTITY, RUN, SAMPLES), "Query"),
        _on((ENTITY, RUN), "Query", index="find"),
    ),
    "publish": (_on(PAUSE, "BatchGetItem"),),
    "tell": (_on(PAUSE, "GetItem"), _on(SINK, "GetItem", "PutItem")),
    "bounce": (
        _on(MAILBOX, "UpdateItem"),
        _on((USER, BADGE), "Query"),  # whether the address is theirs today
    ),
}

# Texts over 4 KB lie in the bucket: who writes them, and who reads them.
BODY_WRITERS = ("capture", "decide", "invoke_agent", "resume")
BODY_READERS = ("capture", "decide", "review", "invoke_agent", "resume", "pick_up", "execute")
