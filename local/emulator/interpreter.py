"""The state machine's interpreter: moto's Step Functions, whose tasks call MiniStack under the machine's own role.

MiniStack's own engine swallows an exception in ``.waitForTaskToken`` and knows no heartbeat; moto's has both. Runs in its
own virtual environment, because the pins of the two emulators conflict.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from local.emulator.doors import Door, Way, over_wsgi
from local.emulator.signatures import Request

ROLE_SECONDS = 1800  # a role's credentials are taken anew after half their life
SDK_NAMES = {"eventbridge": "events", "sfn": "stepfunctions"}  # what `aws-sdk:` calls otherwise than boto3
_one_at_a_time = threading.Lock()


def client_of_task(region: str, service: str, state_credentials: Any = None) -> Any:
    """The client of one task, kept: building one costs tens of milliseconds of CPU."""
    role = getattr(state_credentials, "role_arn", None)
    with _one_at_a_time:
        return _client(region, SDK_NAMES.get(service, service), role, int(time.time() // ROLE_SECONDS))


@functools.lru_cache(maxsize=64)
def _client(region: str, service: str, role: str | None, _period: int) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(parameter_validation=False, retries={"max_attempts": 0}, read_timeout=920, max_pool_connections=100)
    where: dict[str, Any] = {"region_name": region, "endpoint_url": os.environ["PLACET_ENDPOINT"]}
    credentials: dict[str, Any] = {}  # root's, by the environment
    if role:
        given = boto3.client("sts", **where).assume_role(RoleArn=role, RoleSessionName="states")["Credentials"]
        credentials = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
    return boto3.client(service, config=config, **where, **credentials)


def way(request: Request) -> Way:
    """Whether it is up may be asked without a signature."""
    return Way(signed=(request.method, request.path) != ("GET", "/moto-api/"))


def leave_out_batch() -> None:
    """moto's Batch, of which the interpreter needs one enumeration, would load EC2's catalogue: 117 MB and two seconds. Its
    modules are found without it."""
    import moto

    package = types.ModuleType("moto.batch")
    package.__path__ = [os.path.join(one, "batch") for one in moto.__path__]
    sys.modules["moto.batch"] = package


def behind(make: Callable[..., Any], door: Door) -> Callable[..., Any]:
    """moto's own application, made as ever, behind a door."""
    return lambda *args, **kwargs: over_wsgi(make(*args, **kwargs), door)


def main() -> None:
    os.environ.pop("PYTHONPATH", None)
    os.environ["MOTO_ACCOUNT_ID"] = os.environ["PLACET_ACCOUNT"]
    from local.emulator import guard, keys
    from local.emulator.replacing import replace

    guard.end_with_parent()
    leave_out_batch()
    from moto.core.config import default_user_config

    default_user_config["stepfunctions"] = {"execute_state_machine": True}
    import moto.stepfunctions.parser.asl.utils.boto_client as boto_client

    replace(boto_client, "boto_client_for", client_of_task)  # before the parser's modules import it by name
    import moto.moto_server.threaded_moto_server as moto

    port = int(os.environ["PLACET_STEPS_PORT"])
    door = Door(port, keys.Asking(os.environ["PLACET_ENDPOINT"]), way)
    dispatcher = "DomainDispatcherApplication"
    replace(moto, dispatcher, behind(getattr(moto, dispatcher), door))
    moto.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
