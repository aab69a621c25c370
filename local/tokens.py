"""An access token of a local reviewer, for `placet` and whatever else sends one."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from local.endpoint import Endpoint
from local.errors import LocalError
from local.people import PEOPLE
from local.run_state import nothing_runs
from local.settings import LocalSettings
from local.sign_in import access_token


def token(settings: LocalSettings, name: str) -> str:
    """Sign this person in at the login page of a start that is up; raise LocalError when there is none, or no such person."""
    person = next((one for one in PEOPLE if one.username == name), None)
    if person is None:
        known = ", ".join(one.username for one in PEOPLE)
        raise LocalError(f"There is no reviewer {name!r} here, only {known}.", "Name one of them.")
    client, callback = _client(settings)
    return access_token(settings.login_url, client, callback, person)


def _client(settings: LocalSettings) -> tuple[str, str]:
    """Who asks the user pool for tokens here, and where its codes go: as what is deployed says it, whatever the API's port is."""
    aws = Endpoint(settings.endpoint)
    try:
        stacks = aws.client("cloudformation").describe_stacks()["Stacks"]
        told = {one["OutputKey"]: str(one["OutputValue"]) for stack in stacks for one in stack.get("Outputs", [])}
        if not {"UserPoolId", "ClientId"} <= told.keys():
            raise LocalError("Placet is not deployed here yet.", "Wait until the start says ready.")
        found = aws.client("cognito-idp").describe_user_pool_client(
            UserPoolId=told["UserPoolId"], ClientId=told["ClientId"]
        )
    except (BotoCoreError, ClientError) as error:
        raise nothing_runs(settings) from error
    return told["ClientId"], str(found["UserPoolClient"]["CallbackURLs"][0])
