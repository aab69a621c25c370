"""DynamoDB stream mappings as AWS runs them: partial batches, bisecting, retries, the on-failure queue.

MiniStack 1.5.33 ignores ``ReportBatchItemFailures`` (failed records are lost) and repeats a failing batch for ever.
Mappings run beside each other here; in MiniStack one slow handler delays all.
"""

from __future__ import annotations

import json
import time
from typing import Any

from local.emulator.replacing import replace

Record = dict[str, Any]


def apply() -> None:
    import ministack.services.lambda_svc as lambdas

    replace(lambdas, "_poll_dynamodb_streams", poll)


def poll() -> bool:
    """Start one batch of every mapping that has records waiting and none under way; tell whether there was one."""
    import ministack.services.lambda_svc as lambdas

    found = False
    for account, region, mapping in lambdas._iter_all_esms():
        in_account = lambdas._request_account_id.set(account)
        in_region = lambdas._request_region.set(region)
        try:
            found = _start_batch(lambdas, mapping) or found
        finally:
            lambdas._request_account_id.reset(in_account)
            lambdas._request_region.reset(in_region)
    return found


def _start_batch(lambdas: Any, mapping: dict[str, Any]) -> bool:
    from ministack.services import dynamodb

    arn, uuid = mapping.get("EventSourceArn", ""), mapping["UUID"]
    if not mapping.get("Enabled", True) or ":dynamodb:" not in arn or lambdas._esm_inflight.get(uuid):
        return False
    name = arn.split("/stream/")[0].split("/")[-1]
    function, _ = lambdas._get_func_record_for_qualifier(mapping["FunctionName"], mapping.get("Qualifier"))
    table = dynamodb._tables.get(name)
    if function is None or not table or table.get("LatestStreamArn") != arn:
        return False
    horizon = dynamodb.stream_start_position(name)
    with lambdas._dynamodb_stream_positions_lock:
        first = horizon if mapping.get("StartingPosition") == "TRIM_HORIZON" else dynamodb.stream_end_position(name)
        position = max(lambdas._dynamodb_stream_positions.setdefault(uuid, first), horizon)
    records = list(dynamodb.stream_records_since(name, position, mapping.get("BatchSize", 100)))
    if not records:
        return False
    lambdas._dispatch_esm_batch(uuid, _run_batch, lambdas, mapping, function, position, records)
    return True


def _run_batch(lambdas: Any, mapping: dict[str, Any], function: Any, position: int, records: list[Record]) -> None:
    Batches(lambdas, mapping, function).process(records)
    with lambdas._dynamodb_stream_positions_lock:
        lambdas._dynamodb_stream_positions[mapping["UUID"]] = position + len(records)


class Batches:
    """What one mapping does with a batch until every record is handled or given to the on-failure queue."""

    def __init__(self, lambdas: Any, mapping: dict[str, Any], function: Any, pause: float = 0.2) -> None:
        self._lambdas = lambdas
        self._mapping = mapping
        self._function = function
        self._pause = pause
        retries = mapping.get("MaximumRetryAttempts")
        self._retries = -1 if retries is None else int(retries)

    def process(self, records: list[Record]) -> None:
        tries = 0
        while records:
            batch = self._lambdas._apply_filter_criteria(records, self._mapping)
            if not batch:
                return
            result = self._lambdas._execute_function(self._function, {"Records": batch})
            if result.get("error"):
                if self._mapping.get("BisectBatchOnFunctionError") and len(batch) > 1:
                    self.process(batch[: len(batch) // 2])
                    self.process(batch[len(batch) // 2 :])
                    return
                records = batch
            else:
                first = self._first_failed(batch, result.get("body"))
                if first is None:
                    return
                records, tries = (batch[first:], 0) if first else (batch, tries)
            if self._given_up(records, result, tries):
                return
            tries += 1
            time.sleep(min(self._pause * 2**tries, 5))

    def _first_failed(self, batch: list[Record], body: Any) -> int | None:
        """Where the handled part ends: at the lowest reported number; an unknown number fails the whole batch."""
        if "ReportBatchItemFailures" not in (self._mapping.get("FunctionResponseTypes") or []):
            return None
        answer = json.loads(body) if isinstance(body, str) and body else body
        failed = [entry.get("itemIdentifier") for entry in (answer or {}).get("batchItemFailures") or []]
        if not failed:
            return None
        places = [i for i, record in enumerate(batch) if record["dynamodb"]["SequenceNumber"] in failed]
        return min(places) if len(places) == len(failed) else 0

    def _given_up(self, records: list[Record], result: dict[str, Any], tries: int) -> bool:
        """Too often or too old: the records go to the on-failure queue, and the stream goes on behind them."""
        now = time.time()
        age = max(now - float(record["dynamodb"].get("ApproximateCreationDateTime", now)) for record in records)
        oldest = int(self._mapping.get("MaximumRecordAgeInSeconds") or -1)
        exhausted = 0 <= self._retries <= tries
        if not exhausted and not 0 < oldest < age:
            return False
        why = "RetryAttemptsExhausted" if exhausted else "MaxRecordAgeExceeded"
        arn = self._mapping.get("EventSourceArn", "")
        self._lambdas._send_ddb_stream_failure_record(self._mapping, self._function, records, arn, result, why)
        return True
