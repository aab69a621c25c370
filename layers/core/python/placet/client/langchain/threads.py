"""Which threads may be paused, so that `recover` finds them after every process is gone.

Most savers list all their checkpoints (`list(None)`). DynamoDBSaver raises: the thread is its partition key, and a table is
not scanned. There a note per thread lies in the saver's own table, written by the gate *before* LangGraph pauses, and
taken away once the run has gone on: a thread may be noted and not paused, never paused and not noted.
"""

from __future__ import annotations

import secrets
import time
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver

from placet.client.langchain.savers import is_dynamodb

SHARDS = 8  # notes of one agent are spread over this many partitions; recover reads them all


class Threads(Protocol):
    """The threads of one agent that may be paused."""

    def note(self, thread: str) -> None:
        """Remember it, durably, before it pauses."""

    def seen(self, thread: str) -> str:
        """A mark of its latest note, for `forget`; empty when there is none."""

    def forget(self, thread: str, seen: str) -> None:
        """It is not paused any more. Keeps a note that is newer than `seen`."""

    def maybe_paused(self) -> Iterator[str]:
        """Every thread that may be paused."""


class ListedThreads:
    """Reads them off the saver: the latest checkpoint of a paused thread has unanswered interrupts among its writes."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver

    def note(self, thread: str) -> None:
        """Nothing to do: the checkpoints are the list."""

    def seen(self, thread: str) -> str:
        """Always empty."""
        return ""

    def forget(self, thread: str, seen: str) -> None:
        """Nothing to do."""

    def maybe_paused(self) -> Iterator[str]:
        """Threads whose latest checkpoint holds an interrupt. Reads every checkpoint once (newest first by id)."""
        latest: dict[str, tuple[str, bool]] = {}
        for found in self._saver.list(None):
            place = found.config["configurable"]
            if place.get("checkpoint_ns"):
                continue
            held = latest.get(place["thread_id"], ("", False))
            if place["checkpoint_id"] > held[0]:
                asks = any(channel == "__interrupt__" for _, channel, _ in found.pending_writes or ())
                latest[place["thread_id"]] = (place["checkpoint_id"], asks)
        yield from [thread for thread, (_, asks) in latest.items() if asks]


class NotedThreads:
    """Notes in the table of a DynamoDBSaver: PK `PLACET_PAUSED#<agent>#<shard>`, SK the thread."""

    def __init__(self, saver: Any, agent: str) -> None:
        self._client = saver.client
        self._table = saver.table_name
        self._ttl_s: int | None = getattr(saver.repo, "ttl_seconds", None)
        self._agent = agent

    def note(self, thread: str) -> None:
        """One unconditional write; it lives as long as the saver lets checkpoints live."""
        item = {**self._key(thread), "mark": {"S": secrets.token_hex(8)}}
        if self._ttl_s:
            item["ttl"] = {"N": str(int(time.time()) + self._ttl_s)}
        self._client.put_item(TableName=self._table, Item=item)

    def seen(self, thread: str) -> str:
        """The mark of the note."""
        found = self._client.get_item(TableName=self._table, Key=self._key(thread), ConsistentRead=True)
        return str(found.get("Item", {}).get("mark", {}).get("S", ""))

    def forget(self, thread: str, seen: str) -> None:
        """Removes the note if *not_noted_again*: another process may have paused the thread anew since we looked."""
        if not seen:
            return
        try:
            self._client.delete_item(
                TableName=self._table,
                Key=self._key(thread),
                ConditionExpression="mark = :seen",
                ExpressionAttributeValues={":seen": {"S": seen}},
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return

    def maybe_paused(self) -> Iterator[str]:
        """All noted threads, one query per shard and page."""
        for shard in range(SHARDS):
            pages = self._client.get_paginator("query").paginate(
                TableName=self._table,
                KeyConditionExpression="PK = :pk",
                ExpressionAttributeValues={":pk": {"S": self._partition(shard)}},
                ConsistentRead=True,
            )
            for page in pages:
                yield from [item["SK"]["S"] for item in page["Items"]]

    def _key(self, thread: str) -> dict[str, Any]:
        return {"PK": {"S": self._partition(zlib.crc32(thread.encode()) % SHARDS)}, "SK": {"S": thread}}

    def _partition(self, shard: int) -> str:
        return f"PLACET_PAUSED#{self._agent}#{shard}"


def threads_of(saver: Any, agent: str) -> Threads:
    """The way to find paused threads that fits the saver."""
    return NotedThreads(saver, agent) if is_dynamodb(saver) else ListedThreads(saver)
