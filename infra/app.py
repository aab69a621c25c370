"""The CDK app: two stacks from one set of settings, and the checks that a synth has to pass."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from cdk_nag import AwsSolutionsChecks

from infra.checks.plugin import PlacetChecks
from infra.data_stack import PlacetData
from infra.doors import KEY as DOORS
from infra.doors import check_doors, doors, locked, told
from infra.gateway_stack import PlacetGateway
from infra.names import KEY, Names, last_made
from infra.policy_file import check_policy, deployed_policy
from infra.registry import unsaid
from infra.settings import Settings
from infra.waits import check_undo, check_waits
from placet.model.frameworks import UNSAID

ROOT = Path(__file__).resolve().parent.parent


def placet(context: Mapping[str, Any] | None = None, outdir: str | None = None) -> cdk.App:
    """The app with cdk.json's context, so that no CDK CLI is needed; ``context`` replaces single keys of it."""
    merged = {**json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"], **(context or {})}
    app = cdk.App(context=merged, outdir=outdir, analytics_reporting=False)
    # The CLI lays its own context (-c, cdk.json) over ours, so the settings are read back from the app.
    settings = Settings.from_context(app.node.get_context("placet"))
    if silent := unsaid(settings.agents):
        print(
            f"synth: the registry does not say what {', '.join(silent)} is built with: taken for {UNSAID}, and pauses of any other "
            f'framework are refused; write "framework" into the entry',
            file=sys.stderr,
        )
    policy = deployed_policy()
    check_policy(policy, settings.agents)
    check_waits(policy, settings.agents)
    check_undo(policy, settings.agents)
    names = Names.of(settings, policy, last_made(outdir))
    deployed = locked()
    check_doors(settings, deployed)
    for sentence in (*names.told(), *told(settings, deployed)):
        print(f"synth: {sentence}", file=sys.stderr)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app), PlacetChecks(settings))
    data = PlacetData(app, "PlacetData", settings=settings)
    gateway = PlacetGateway(app, "PlacetGateway", settings=settings, data=data)
    gateway.template_options.metadata = {KEY: names.metadata, DOORS: doors(settings)}
    return app
