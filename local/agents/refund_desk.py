"""The refund desk: a scripted Bedrock agent with one action for each way in which Bedrock asks. Only data, for its runtime.

refund ORDER CENTS     RESULT: Bedrock returns control, the executor runs what was approved
voucher ORDER CENTS    USER_CONFIRMATION: Bedrock invokes the action group's Lambda once it is confirmed
cancel ORDER CENTS     USER_CONFIRMATION_AND_RESULT, an API operation
"""

from __future__ import annotations

from typing import Any

AGENT = "refund-desk"
ROLE = "placet-refund-desk"
EXECUTOR = "placet-refund-executor"
ACTIONS = "placet-refund-actions"  # the function and its role

_ORDER = {"name": "orderId"}
_AMOUNT = {"name": "amountCents", "type": "integer"}
_NOTIFY = {"name": "notify", "type": "boolean", "default": "true"}

BEDROCK_AGENTS: list[dict[str, Any]] = [
    {
        "id": "AGENT12345",
        "alias": "TSTALIASID",
        "name": AGENT,
        "idle_ttl_s": 1800,
        "complies": True,
        "action_groups": [
            {
                "name": "Refunds",
                "mode": "RESULT",
                "actions": [{"function": "issueRefund", "verb": "refund", "parameters": [_ORDER, _AMOUNT, _NOTIFY]}],
            },
            {
                "name": "Vouchers",
                "mode": "USER_CONFIRMATION",
                "lambda": ACTIONS,
                "actions": [{"function": "sendVoucher", "verb": "voucher", "parameters": [_ORDER, _AMOUNT]}],
            },
            {
                "name": "Orders",
                "mode": "USER_CONFIRMATION_AND_RESULT",
                "actions": [
                    {
                        "method": "POST",
                        "path": "/orders/{orderId}/cancellation",
                        "verb": "cancel",
                        "parameters": [_ORDER, {**_AMOUNT, "in_body": True}],
                    }
                ],
            },
        ],
    }
]
