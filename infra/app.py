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

from infra import regions
from infra.audience import KEY as AUDIENCE
from infra.audience import audience
from infra.checks.plugin import PlacetChecks
from infra.data_stack import PlacetData
from infra.doors import INBOX, check_doors, doors, lock_file, lock_told, locked, told
from infra.doors import KEY as DOORS
from infra.gateway_stack import PlacetGateway
from infra.lock_file import Known
from infra.made_from import BY_CLI, Made, named_installation, write_made
from infra.names import EXAMPLE, KEY, Names, last_made
from infra.policy_file import check_alone, check_policy, deployed_policy, noted
from infra.policy_version import KEY as VERSIONS
from infra.policy_version import check_version, digest, versions
from infra.registry import unsaid
from infra.settings import Settings, SettingsError
from infra.settings_file import MOVE, OWN, chosen, deployable_file, read
from infra.sinks import check_sinks
from infra.waits import check_undo, check_waits
from placet.model.frameworks import UNSAID
from placet.model.visible import one_line

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """What app.py does: the settings of this checkout; what the CDK command line asks for may be deployed, so it is no example."""
    try:
        by_cli, installation = bool(os.environ.get(BY_CLI)), named_installation()
        file = deployable_file() if by_cli else read(chosen())
        if not file.is_example and (said := lock_told(installation, is_asked=by_cli)):
            print(f"synth: {said}", file=sys.stderr)
        app = placet(file.settings, example=file.is_example, installation=installation)
        made = Made.of(file, installation or locked().where)
    except SettingsError as error:
        sys.exit("".join(f"placet: {line}\n" for line in str(error).splitlines()).rstrip())
    write_made(Path(app.synth().directory), made)


def placet(
    settings: Settings,
    context: Mapping[str, Any] | None = None,
    outdir: str | None = None,
    *,
    example: bool = False,
    installation: str = "",
) -> cdk.App:
    """The app with cdk.json's context, so that no CDK CLI is needed; ``context`` replaces single keys of it.

    ``installation`` is the account and region for which it is made, "account/region", where somebody says it.

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
    known = Known() if example else locked(installation)
    deployed = known.values
    check_doors(settings, known)
    check_version(policy, deployed, rules := digest(), lock_file().name + known.whose)
    elsewhere = regions.told(one.target["region"] for one in settings.agents if "region" in one.target)
    for sentence in (*names.told(), *told(settings, deployed), *noted(policy), *elsewhere):
        print(f"synth: {one_line(sentence)}", file=sys.stderr)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app), PlacetChecks(settings))
    data = PlacetData(app, "PlacetData", settings=settings, inbox=str(deployed.get(INBOX, "")))
    gateway = PlacetGateway(app, "PlacetGateway", settings=settings, data=data)
    kept = {**doors(settings), VERSIONS: versions(policy, deployed, rules)}
    metadata = {KEY: names.metadata, DOORS: kept, AUDIENCE: audience(settings, policy)}
    metadata |= {EXAMPLE: True} if example else {}
    gateway.template_options.metadata = metadata
    return app
