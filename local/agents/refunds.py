"""The refund desk's two Lambdas, as docs/bedrock.md tells customers to write them: the executor, and the vouchers' action."""

from __future__ import annotations

from typing import Any

from local.agents.executions import record
from placet.client.bedrock import verified_action


def executor(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Run one decided call; the gateway holds its permit and invokes this once."""
    result = record(event["tool"], event["arguments"], event["call"])
    return {"ok": True, "result": result}


@verified_action(tool="Vouchers.sendVoucher")
def actions(orderId: str, amountCents: int) -> str:
    """Send a voucher. Bedrock invokes it; it acts under the permit that it claims itself."""
    return record("Vouchers.sendVoucher", {"orderId": orderId, "amountCents": amountCents})
