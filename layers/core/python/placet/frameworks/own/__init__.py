"""Calls that a person proposes through the gateway, which runs them itself: no framework that one chooses."""

from __future__ import annotations

from placet.frameworks.contract import YEAR_S, Edits, Framework, Matching
from placet.model.frameworks import OWN

FRAMEWORK = Framework(
    name=OWN,
    title="Placet",
    by_gateway=True,
    arrives="a call that takes back another, proposed on its page",
    waits_s=YEAR_S,
    saver_bounds=False,
    why="no run waits for it",
    edits=Edits.NATIVE,
    most_calls=1,
    matching=Matching.BY_ID,
    late="It runs once, whenever it is decided.",
    room=__name__,
)
