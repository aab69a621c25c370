"""Records that earlier releases wrote are found, decided, told, run and cancelled by today's code, in memory and on DynamoDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from local.memory import MemoryTable
from placet.records.keys import Key
from tests.contract.tables import Streaming, made_table
from tests.proofs import Proof, Size
from tests.shared import shared_stack
from tests.upgrade import bedrock_journeys
from tests.upgrade.bedrock_journeys import recorded
from tests.upgrade.journeys import WAYS, Written, travel, values, written

LEAST_VERSIONS = 2
DECIDED = ("decided", "expired", "cancelled")
COLUMNS = ("found", "shown", *DECIDED, "told", "ran", "lost")


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Every file × every way (accept, edit, reject, expire, cancel) × both tables; the quick size stays in memory, as do runs of
    Bedrock, each in its session and without it.
    """
    files, lost = written(), list[str]()
    rows: dict[tuple[str, str], Counter[str]] = {}
    for store in ("memory",) if size.quick else ("memory", "dynamodb"):
        for file in files:
            row = rows[f"{file.date} {file.commit}", store] = Counter()
            for way in WAYS:
                row.update(_IN[store](file, way, lost.append))
            say(f"{file.commit} in {store}: {sum(row[one] for one in DECIDED)} decided, {row['lost']} lost")
    for runs in recorded():
        told = bedrock_journeys.travel(runs, lost.append, every=3 if size.quick else 1)
        row = rows[f"{runs.date} {runs.commit}", "bedrock"] = Counter(told)
        say(f"{runs.commit}, runs of Bedrock: {sum(row[one] for one in DECIDED)} decided, {row['lost']} lost")
    return judged(files, rows, lost)


def judged(files: list[Written], rows: dict[tuple[str, str], Counter[str]], lost: list[str]) -> Proof:
    """The counts as a proof."""
    total: Counter[str] = sum(rows.values(), Counter())
    figures = {
        "versions": len({release for release, _ in rows}),
        "decisions": sum(total[one] for one in DECIDED),
        "lost": total["lost"],
    }
    violations = [f"lost: {one}" for one in lost]
    if sum(store == "bedrock" for _, store in rows) < LEAST_VERSIONS:
        violations.append(f"runs of Bedrock of fewer than {LEAST_VERSIONS} earlier releases are covered")
    if len(files) < LEAST_VERSIONS:
        violations.append(f"only {len(files)} earlier releases are covered, {LEAST_VERSIONS} are wanted")
    violations += [f"nothing was {one}: not covered" for one in COLUMNS[:-1] if not total[one]]
    head = "release              store     " + " ".join(f"{name:>9}" for name in COLUMNS)
    lines = [f"{r:20} {s:9} " + " ".join(f"{row[name]:9}" for name in COLUMNS) for (r, s), row in rows.items()]
    return Proof("upgrade", "\n".join([head, *lines]), figures, violations)


def _in_memory(file: Written, way: str, said: Callable[[str], None]) -> dict[str, int]:
    table = MemoryTable()
    table.items = {Key(item["pk"], item["sk"]): item for item in values(file)}
    return travel(file, way, table, said)


def _on_dynamodb(file: Written, way: str, said: Callable[[str], None]) -> dict[str, int]:
    dynamodb: Any = shared_stack().client("dynamodb")
    with made_table(dynamodb, file.items) as table:
        return travel(file, way, Streaming(table), said)


_IN = {"memory": _in_memory, "dynamodb": _on_dynamodb}
