"""Where an operation takes an argument: the same name may stand among its parameters and in its body, with two values.

Such arguments have names that say their place, and what the policy fixes under a name it fixes in both.
"""

from __future__ import annotations

PARAMETERS, BODY = "parameters", "requestBody"  # as Bedrock names the two


def name_at(place: str, name: str) -> str:
    """The name of an argument of which the other place holds another value."""
    return f"{place}.{name}"


def names_of(name: str) -> tuple[str, str, str]:
    """Every name under which the values of one name may stand."""
    return name, name_at(PARAMETERS, name), name_at(BODY, name)
