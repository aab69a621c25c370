"""Bugs for `infra.checks.lasting`."""

from __future__ import annotations

from infra.checks import Templates
from infra.doors import KEY
from tests.infra.planting import FUNCTION, MAPPING, Bug, grant, put

POOL, OTHER = "AWS::Cognito::UserPool", "arn:aws:dynamodb:eu-central-1:123456789012:table/other"


def door(name: str, value: object) -> Bug:
    """Has the gateway say something else of its settings than its resources do."""
    return lambda templates: templates.gateway["Metadata"][KEY].update({name: value})


def without_doors(templates: Templates) -> None:
    """The table of a restore, in a template that does not say so."""
    templates.gateway["Metadata"].pop(KEY)
    put(FUNCTION, "Properties.Environment.Variables.PLACET_TABLE", "other", "Sweep")(templates)


BUGS: dict[str, list[Bug]] = {
    "second_factor_is_a_choice": [
        put(POOL, "Properties.MfaConfiguration", "OPTIONAL"),
        put(POOL, "Properties.MfaConfiguration", None),
        door("require_mfa", False),
    ],
    "one_table_is_used": [
        put(FUNCTION, "Properties.Environment.Variables.PLACET_TABLE", "other", "Sweep"),
        put(MAPPING, "Properties.EventSourceArn", f"{OTHER}/stream/2026-11-30T00:00:00.000"),
        grant("SweepRole", "dynamodb:GetItem", resource=OTHER),
        grant("SweepRole", "dynamodb:Query", resource=f"{OTHER}/index/work"),
        door("restored_table", "placet-restored"),
        without_doors,
    ],
    "functions_follow_the_data_stack": [
        put(FUNCTION, "Properties.Environment.Variables.PLACET_DATA", None, "Sweep"),
        put(FUNCTION, "Properties.Environment.Variables.PLACET_DATA", "0123456789ab", "Sweep"),
    ],
}
