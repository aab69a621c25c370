"""An access token of a local reviewer, for `placet` and whatever else sends one."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from placet.local.endpoint import Endpoint
from placet.local.errors import LocalError
from placet.local.people import PEOPLE
from placet.local.run_state import nothing_runs
from placet.local.settings import LocalSettings
from placet.local.sign_in import access_token


def token(settings: LocalSettings, name: str) -> str:
    """Sign this person in at the login page of a start that is up; raise LocalError when there is none, or no such person."""
    person = next((one for one in PEOPLE if one.username == name), None)
    if person is None:
        known = ", ".join(one.username for one in PEOPLE)
        raise LocalError(f"There is no reviewer {name!r} here, only {known}.", "Name one of them.")
    client = _client_id(settings)
    return access_token(settings.login_url, client, f"{settings.api_url}/sign-in/callback", person)


def _client_id(settings: LocalSettings) -> str:
    """Who asks the user pool for tokens here, as the deployed stacks tell it."""
    try:
        stacks = Endpoint(settings.endpoint).client("cloudformation").describe_stacks()["Stacks"]
    except (BotoCoreError, ClientError) as error:
        raise nothing_runs(settings) from error
    outputs = [one for stack in stacks for one in stack.get("Outputs", [])]
    found = [str(one["OutputValue"]) for one in outputs if one["OutputKey"] == "ClientId"]
    if not found:
        raise LocalError("Placet is not deployed here yet.", "Wait until the start says ready.")
    return found[0]
