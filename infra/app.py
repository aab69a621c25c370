"""The CDK app: two stacks from one set of settings, and the checks that a synth has to pass."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from cdk_nag import AwsSolutionsChecks

from infra.audience import KEY as AUDIENCE
from infra.audience import audience
from infra.checks.plugin import PlacetChecks
from infra.data_stack import PlacetData
from infra.doors import INBOX, check_doors, doors, lock_file, locked, told
from infra.doors import KEY as DOORS
from infra.gateway_stack import PlacetGateway
from infra.names import EXAMPLE, KEY, Names, last_made
from infra.policy_file import check_alone, check_policy, deployed_policy, noted
from infra.policy_version import KEY as VERSIONS
from infra.policy_version import check_version, digest, versions
from infra.registry import unsaid
from infra.settings import Settings, SettingsError
from infra.settings_file import MOVE, OWN, chosen, deployable, read
from infra.sinks import check_sinks
from infra.waits import check_undo, check_waits
from placet.model.frameworks import UNSAID

ROOT = Path(__file__).resolve().parent.parent
BY_CLI = "CDK_CLI_VERSION"  # which the CDK command line sets, and `make synth` takes away


def main() -> None:
    """What app.py does: the settings of this checkout; what the CDK command line asks for may be deployed, so it is no example."""
    try:
        if os.environ.get(BY_CLI):
            app = placet(deployable())
        else:
            file = read(chosen())
            app = placet(file.settings, example=file.is_example)
    except SettingsError as error:
        sys.exit("".join(f"placet: {line}\n" for line in str(error).splitlines()).rstrip())
    app.synth()


def placet(
    settings: Settings,
    context: Mapping[str, Any] | None = None,
    outdir: str | None = None,
    *,
    example: bool = False,
) -> cdk.App:
    """The app with cdk.json's context, so that no CDK CLI is needed; ``context`` replaces single keys of it.

    Raises SettingsError.
    """
    merged = {**json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"], **(context or {})}
    app = cdk.App(context=merged, outdir=outdir, analytics_reporting=False)
    # The CLI lays its own context (-c, cdk.json) over ours, so it is asked of the app.
    if app.node.try_get_context("placet") is not None:
        raise SettingsError(
            f"cdk.json: context.placet is not read any more, settings stand in {OWN}. "
            f"Write it from there: {MOVE}; then take context.placet out of cdk.json"
        )
    if silent := unsaid(settings.agents):
        print(
            f"synth: the registry does not say what {', '.join(silent)} is built with: taken for {UNSAID}, and pauses of any other "
            f'framework are refused; write framework = "{UNSAID}" into the entry',
            file=sys.stderr,
        )
    policy = deployed_policy()
    check_policy(policy, settings.agents)
    check_alone(policy)
    check_waits(policy, settings.agents)
    check_undo(policy, settings.agents)
    names = Names.of(settings, policy, last_made(outdir, example=example))
    check_sinks(settings.sinks, policy.classes, names.gone_classes)
    deployed = {} if example else locked()
    check_doors(settings, deployed)
    check_version(policy, deployed, rules := digest(), lock_file().name)
    for sentence in (*names.told(), *told(settings, deployed), *noted(policy)):
        print(f"synth: {sentence}", file=sys.stderr)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app), PlacetChecks(settings))
    data = PlacetData(app, "PlacetData", settings=settings, inbox=str(deployed.get(INBOX, "")))
    gateway = PlacetGateway(app, "PlacetGateway", settings=settings, data=data)
    kept = {**doors(settings), VERSIONS: versions(policy, deployed, rules)}
    metadata = {KEY: names.metadata, DOORS: kept, AUDIENCE: audience(settings, policy)}
    metadata |= {EXAMPLE: True} if example else {}
    gateway.template_options.metadata = metadata
    return app
