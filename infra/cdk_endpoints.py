"""Where the CDK command line asks AWS: at the addresses that boto3 takes, those of a profile too, which CDK does not get.

In its place CDK's own code would read the profile ``default``, whatever that says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import botocore.session

from placet.client.errors import ClientError as NotSaid
from placet.model.visible import one_line

GLOBAL, IGNORED = "AWS_ENDPOINT_URL", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
KINDS = {"use_fips_endpoint": "AWS_USE_FIPS_ENDPOINT", "use_dualstack_endpoint": "AWS_USE_DUALSTACK_ENDPOINT"}
DEFAULT = "default"


def endpoints(session: botocore.session.Session, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that have CDK ask where a session does, beside those of the environment.

    Raises NotSaid where they cannot: when the profile ``default`` would be read for what this one leaves to AWS.
    """
    mine, default = session.get_scoped_config(), session.full_config["profiles"].get(DEFAULT, {})
    found = {
        variable: "true" if session.get_config_variable(name) else "false"
        for name, variable in KINDS.items()
        if name in mine or name in default
    }
    if session.get_config_variable("ignore_configured_endpoint_urls"):
        return {**found, IGNORED: "true"}
    if environ.get(GLOBAL):
        return found
    own = {name: url for name, url in _configured(session, mine).items() if not environ.get(name)}
    left_open = GLOBAL not in own and mine != default and bool({"endpoint_url", "services"} & default.keys())
    if not left_open:
        return {**found, **own}
    if own or any(name.startswith(f"{GLOBAL}_") for name, value in environ.items() if value):
        raise NotSaid(
            "Some services have an endpoint of their own here, and for the others CDK would ask where the profile default says, "
            f"which this one does not: set {GLOBAL}, or take endpoint_url and services out of the profile default."
        )
    return {**found, IGNORED: "true"}


def told(environ: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each address that is asked in place of AWS's own."""
    if environ.get(IGNORED, "").lower() == "true":
        return
    for name, url in sorted(environ.items()):
        if url and (name == GLOBAL or name.startswith(f"{GLOBAL}_")):
            whose = name.removeprefix(GLOBAL).removeprefix("_").lower()
            yield f"{whose or 'AWS'} is asked at {one_line(url)} ({name}, or endpoint_url of the profile)"


def _configured(session: botocore.session.Session, profile: Mapping[str, Any]) -> dict[str, str]:
    """What a profile says, by the variable that says the same."""
    services = session.full_config.get("services", {}).get(profile.get("services", ""), {})
    urls = {
        f"{GLOBAL}_{name.upper()}": str(one["endpoint_url"])
        for name, one in services.items()
        if isinstance(one, Mapping) and one.get("endpoint_url")
    }
    return {**urls, **({GLOBAL: str(profile["endpoint_url"])} if profile.get("endpoint_url") else {})}
