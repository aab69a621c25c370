"""The rules of this deployment: who looks at what, by when. Edit this file, raise the version, deploy.

Tools that are not named here pause too and go to the class `unknown_class`. What else can stand here: docs/policy.md.
"""

from decimal import Decimal

from placet.policy import ActionClass, Always, Effect, Level, NotOneOf, Policy, Threshold, Tool

HOUR, DAY = 3_600, 86_400

MONEY_OUT = ActionClass(
    name="money-out",
    levels=(Level(groups=("finance",)),),
    deadline_s=4 * HOUR,
    hard_maximum_s=30 * DAY,
    freshness_s=DAY,
    quorum=1,
    say="A colleague in finance has to agree to this first.",
)

GENERAL = ActionClass(
    name="general",
    levels=(Level(groups=("approvers",)),),
    deadline_s=DAY,
    hard_maximum_s=30 * DAY,
    freshness_s=DAY,
)

POLICY = Policy.of(
    version="2026-11-30.1",
    classes=[MONEY_OUT, GENERAL],
    tools=[
        Tool("get_order", "general", free=True, effect=Effect.CAN),
        Tool(
            "issue_refund",
            "money-out",
            rules=(Threshold("money-out/over-limit", "The amount is over 100.00.", "amount", Decimal(100)),),
            sentence="Refund {amount} for order {order_id}",
            consequence="If you accept, the money is paid out. Placet cannot get it back.",
            type_to_accept="amount",
            fixed=frozenset({"order_id"}),
            takes=frozenset({"amount", "order_id"}),
        ),
        Tool(
            "Refunds.issueRefund",
            "money-out",
            rules=(Threshold("money-out/over-limit", "The amount is over 100.00.", "amountCents", Decimal(10_000)),),
            sentence="Refund {amountCents} cents for order {orderId}",
            consequence="If you accept, the money is paid out. Placet cannot get it back.",
            type_to_accept="amountCents",
            fixed=frozenset({"orderId"}),
        ),
        Tool(
            "delete_records",
            "general",
            rules=(Always("general/delete", "Deleting records is always looked at."),),
            sentence="Delete records from {table} where {where}",
            consequence="If you accept, the records are gone. Placet cannot bring them back.",
            type_to_accept="table",
            denies=(
                NotOneOf(
                    "general/kept", "These records are never deleted.", "table", frozenset({"audit_log", "invoices"})
                ),
            ),
        ),
    ],
    unknown_class="general",
    groups=frozenset({"finance", "approvers"}),  # all that there are: a class that asks another one is refused at synth
)
