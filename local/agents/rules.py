"""The rules that the demo and the tests of the whole stack deploy: the shipped ones, and three classes beside them.

A quorum, and moments that come while somebody looks on. The shipped file has neither: each level of a class is one more queue that
its people's inboxes read. The local mode lays this file into the policy's layer as `placet_policy`, and the shipped one beside it.
"""

from dataclasses import replace

from placet_shipped_policy import POLICY as SHIPPED

from placet.policy import ActionClass, Always, Level, Tool

MINUTE, DAY = 60, 86_400

TWO_PEOPLE = ActionClass(
    name="two-people",
    levels=(Level(groups=("approvers",)),),
    deadline_s=DAY,
    hard_maximum_s=30 * DAY,
    freshness_s=DAY,
    quorum=2,
)

# No moment is nearer than a minute: schedules are never set to a nearer one.
URGENT = ActionClass(
    name="urgent",
    levels=(Level(groups=("approvers",)), Level(groups=("operators",), after_s=2 * MINUTE)),
    remind_after_s=(MINUTE,),
    deadline_s=15 * MINUTE,
    hard_maximum_s=30 * DAY,
    freshness_s=DAY,
)

# Nobody of the local mode is in its groups: a test enters people of its own, and only this wakes them.
NIGHT = replace(
    URGENT,
    name="night",
    levels=(Level(groups=("night-shift",)), Level(groups=("night-leads",), after_s=2 * MINUTE)),
    deadline_s=3 * MINUTE,
)

TOOLS = (
    Tool(
        "pay_invoice",
        TWO_PEOPLE.name,
        rules=(Always("two-people/pay", "Two people look at every payment to a supplier."),),
        sentence="Pay {amount} to {supplier}",
        consequence="If you accept, the money is paid out.",
    ),
    Tool(
        "stop_payment",
        URGENT.name,
        rules=(Always("urgent/stop", "A payment is stopped at once or not at all."),),
        sentence="Stop payment {payment}",
        consequence="If you accept, the payment is not made.",
    ),
    Tool("open_vault", NIGHT.name, rules=(Always("night/vault", "Nobody opens the vault alone."),)),
)

POLICY = replace(
    SHIPPED,
    version=f"{SHIPPED.version}+demo",
    classes={**SHIPPED.classes, **{one.name: one for one in (TWO_PEOPLE, URGENT, NIGHT)}},
    tools={**SHIPPED.tools, **{tool.name: tool for tool in TOOLS}},
    groups=SHIPPED.groups | {"operators", "night-shift", "night-leads"},
)
