"""What outlasts a deploy: the choice of a second factor, the one table that is in use, and values of the other stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from infra.checks.template import Templates, actions, flat, resources
from infra.doors import KEY as DOORS

OWN_TABLE = re.compile(r"<PublishOutput(?:Ref|FnGetAtt)TableCD117FA1\w+>")
FINGERPRINT = re.compile(r"[0-9a-f]{12}")


def second_factor_is_a_choice(templates: Templates) -> Iterator[str]:
    """Managed login asks nobody to enrol a second factor unless it is demanded: it is, or the settings say that it is not."""
    chosen = _doors(templates).get("require_mfa")
    for name, properties in templates.of("AWS::Cognito::UserPool").items():
        if properties.get("MfaConfiguration") != ("ON" if chosen is not False else "OPTIONAL"):
            yield f"{name}: MfaConfiguration is {properties.get('MfaConfiguration')}, and require_mfa is {chosen}"


def one_table_is_used(templates: Templates) -> Iterator[str]:
    """Rights, functions and streams name one table: the stack's own, or the one that a restore made."""
    restored = _doors(templates).get("restored_table", "")
    for name, where in _tables(templates):
        rest = re.sub(r"/index/\w+$|/stream/.*$", "", where)
        ours = rest == restored or rest.endswith(f":table/{restored}") if restored else OWN_TABLE.fullmatch(rest)
        if not ours:
            yield f"{name}: names {where}, not {restored or 'the table of PlacetData'}"


def _tables(templates: Templates) -> Iterator[tuple[str, str]]:
    """(logical id, table as text) wherever the gateway names one."""
    for role, statements in templates.roles.items():
        for one in statements:
            if any(action.startswith("dynamodb:") and action != "dynamodb:ListStreams" for action in actions(one)):
                yield from ((role, resource) for resource in resources(one))
    for _, name, properties in templates.functions():
        yield name, flat(properties.get("Environment", {}).get("Variables", {}).get("PLACET_TABLE"))
    for name, properties in templates.of("AWS::Lambda::EventSourceMapping").items():
        yield name, flat(properties["EventSourceArn"])


def functions_follow_the_data_stack(templates: Templates) -> Iterator[str]:
    """A change of PlacetData changes every function, so that a deploy reads its values again and does not skip the gateway."""
    said = {
        name: properties.get("Environment", {}).get("Variables", {}).get("PLACET_DATA")
        for _, name, properties in templates.functions()
    }
    for name, fingerprint in said.items():
        if not isinstance(fingerprint, str) or not FINGERPRINT.fullmatch(fingerprint):
            yield f"{name}: PLACET_DATA is {fingerprint!r}, no fingerprint of PlacetData"
    if len(set(map(str, said.values()))) > 1:
        yield f"{next(iter(said))}: functions were made for different states of PlacetData: {sorted(set(map(str, said.values())))}"


def _doors(templates: Templates) -> dict[str, Any]:
    return dict(templates.gateway.get("Metadata", {}).get(DOORS, {}))
