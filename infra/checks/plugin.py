"""Runs the checks inside the synth, so that a template that fails one is never ready for deployment."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
import jsii

from infra.checks import CHECKS, Check, Templates, findings
from infra.settings import Settings


@jsii.implements(cdk.IPolicyValidationPlugin)
class PlacetChecks:
    """CDK's validation plugin around :mod:`infra.checks`; a check that a setting makes void is left out by its name."""

    def __init__(self, settings: Settings) -> None:
        # Whoever reserves concurrency has an account with more than the first ten.
        self._void = {"no_reservations"} if settings.reserved_concurrency else set()

    @property
    def name(self) -> str:
        return "placet"

    @property
    def version(self) -> str | None:
        return "1.0.0"

    @property
    def rule_ids(self) -> list[str] | None:
        return [check.__name__ for check in CHECKS]

    def validate(self, context: cdk.IPolicyValidationContext) -> cdk.PolicyValidationPluginReport:
        """Reads the templates that were just written; both stacks lie in one folder."""
        folder = Path(context.template_paths[0]).parent
        found = [
            _violation(check, what, folder)
            for check, what in findings(Templates.read(folder))
            if check.__name__ not in self._void
        ]
        return cdk.PolicyValidationPluginReport(success=not found, violations=found)


def _violation(check: Check, sentence: str, folder: Path) -> cdk.PolicyViolation:
    logical_id, _, what = sentence.partition(": ")
    stack = next((path for path in folder.glob("*.template.json") if f'"{logical_id}"' in path.read_text()), None)
    resource = cdk.PolicyViolatingResource(
        locations=["Properties"],
        resource_logical_id=logical_id,
        template_path=str(stack or next(folder.glob("*.template.json"))),
    )
    promise = (check.__doc__ or "").split("\n")[0]
    return cdk.PolicyViolation(
        rule_name=check.__name__,
        description=f"{what or sentence} ({promise})",
        severity="error",
        violating_resources=[resource],
    )
