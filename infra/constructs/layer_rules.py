"""Which files a deployment is made of; without CDK, so that a synth with nothing to do ends before CDK is loaded."""

from __future__ import annotations

from pathlib import Path, PurePath

# What runs in Lambda is the rest of the package; these run on developers' machines and in agents' processes.
NOT_DEPLOYED = ("client", "evals", "cli")
PACKAGE = PurePath("layers", "core", "python", "placet")


def is_input(path: Path) -> bool:
    """Whether a change of ``path`` (relative to the checkout) changes ``cdk.out``."""
    if "__pycache__" in path.parts or path.suffix == ".pyc" or any(part.endswith(".egg-info") for part in path.parts):
        return False
    return not (path.is_relative_to(PACKAGE) and path.relative_to(PACKAGE).parts[0] in NOT_DEPLOYED)
