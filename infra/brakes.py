"""How many requests a second each route takes, by who calls it: nobody can use up what somebody else needs.

A route with settings of its own has a bucket of its own, so a flood of sign-ins locks out no agent and no reviewer. What
API Gateway holds back it answers itself with 429, without a Lambda: the brake is also the most that a flood can cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from infra.bounds import amiss
from infra.registry import SettingsError

# Requests a second of one route. Whoever has no identity yet gets the fewest, for each of these calls runs a function.
DEFAULTS: Mapping[str, int] = {
    "sign_in": 20,  # the way in: no identity is asked for
    "pages": 50,  # what a browser shows to whom has a session
    "reviewers": 50,  # reviewers' programs
    "agents": 100,
    "operators": 5,
}
BURST = 2  # so many times the rate may come at once


@dataclass(frozen=True)
class Brake:
    """Of one route: requests a second, and how many at once."""

    rate: int
    burst: int


def brakes_of(settings: Mapping[str, int]) -> dict[str, Brake]:
    """Audience → its routes' brake, the settings over the defaults. Raises SettingsError."""
    if unknown := sorted(set(settings) - set(DEFAULTS)):
        raise SettingsError(f"no audience is called {', '.join(unknown)}: there are {', '.join(DEFAULTS)}")
    if said := amiss("requests_per_second", settings):
        raise SettingsError(said)
    rates = {**DEFAULTS, **settings}
    return {name: Brake(rate, rate * BURST) for name, rate in rates.items()}
