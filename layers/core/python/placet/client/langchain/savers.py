"""Which checkpointers may hold a paused run: those that still know it after the process is gone."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from placet.client.errors import SaverForgets

SENTENCE = (
    "A paused run must outlive its process, and {what} forgets it: "
    "pass a checkpointer that stores, such as DynamoDBSaver, SqliteSaver on a file or PostgresSaver."
)
BUFFERS = "langgraph_checkpoint_aws.checkpoint.deferred_saver"


def check_saver(saver: object) -> None:
    """Raises SaverForgets for no saver, savers in memory (SQLite's too), and savers that only write when asked to."""
    if not isinstance(saver, BaseCheckpointSaver):
        raise SaverForgets(SENTENCE.format(what="a run without a checkpointer"))
    if isinstance(saver, InMemorySaver):
        raise SaverForgets(SENTENCE.format(what=type(saver).__name__))
    if any(parent.__module__ == BUFFERS for parent in type(saver).__mro__):
        raise SaverForgets(SENTENCE.format(what=f"{type(saver).__name__} (it buffers)"))
    if _in_memory_sqlite(saver):
        raise SaverForgets(SENTENCE.format(what=f"{type(saver).__name__} on :memory:"))


def read_own_writes(saver: Any) -> None:
    """Make DynamoDBSaver read consistently: it does not (1.2.6), and a pause that was just stored would not be seen."""
    if not is_dynamodb(saver):
        return
    events = saver.client.meta.events
    for operation in ("Query", "GetItem"):
        events.register(f"provide-client-params.dynamodb.{operation}", _consistent, unique_id=f"placet-{operation}")


def is_dynamodb(saver: object) -> bool:
    """Whether it is the DynamoDBSaver of langgraph-checkpoint-aws, which is not imported for the question."""
    return any(parent.__name__ == "DynamoDBSaver" for parent in type(saver).__mro__)


def _consistent(params: dict[str, Any], **_: Any) -> dict[str, Any]:
    return {**params, "ConsistentRead": True} if "IndexName" not in params else params


def _in_memory_sqlite(saver: Any) -> bool:
    connection: Any = getattr(saver, "conn", None)
    if type(connection).__module__.partition(".")[0] != "sqlite3":
        return False
    return all(not file for _, _, file in connection.execute("PRAGMA database_list"))
