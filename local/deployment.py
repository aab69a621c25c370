"""What is deployed, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

from local.assembly import Stack
from local.endpoint import Endpoint
from local.settings import LocalSettings


@dataclass
class Deployment:
    """The stacks of a cloud assembly in the order of their deployment, with where they go.

    Attributes:
        outputs: of all stacks that are deployed by now.
    """

    settings: LocalSettings
    stacks: list[Stack]
    aws: Endpoint
    outputs: dict[str, str] = field(default_factory=dict)
