"""What is deployed, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

from placet.local.assembly import Stack
from placet.local.endpoint import Endpoint
from placet.local.settings import LocalSettings


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
