"""What the emulator exchanges while it deploys: stacks come to it as they were synthesized, and stay so for whoever asks.

Each function is one difference of ``local.differences``, which says why. They wrap how MiniStack 1.5.33 makes a kind of
resource, so that `cdk deploy` and the local deployer meet the same, in a create, an update and a rollback.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.emulator.replacing import replace

Handlers = dict[str, dict[str, Any]]
Made = tuple[str, dict[str, Any]]
NEW_TO_THE_EMULATOR = ("AWS::Cognito::ManagedLoginBranding",)
ISSUERS = "https://cognito-idp."
PLACES = "PLACET_PLACES"
PROGRAMS = "http://localhost:8976/"  # where `placet sign-in` listens


@dataclass(frozen=True)
class Places:
    """Where things are on this machine.

    Attributes:
        endpoint: of every AWS service; login: of the pages to sign in; api: of the deployed HTTP API.
        steps: of the interpreter of state machines; bedrock: of the runtime of Bedrock agents.
        exchanged: folder with the layers for this machine, each as a zip under its asset's key.
    """

    endpoint: str
    login: str
    api: str
    steps: str
    bedrock: str
    exchanged: str

    @classmethod
    def taken_from(cls, environ: MutableMapping[str, str]) -> Places:
        """Read and forget them: functions inherit the emulator's environment and shall not see them."""
        return cls(**json.loads(environ.pop(PLACES)))


def apply(places: Places) -> None:
    """Put every exchange in place."""
    import ministack.services.cloudformation.provisioners as provisioners

    handlers: Handlers = provisioners._RESOURCE_HANDLERS
    for exchange in EXCHANGES:
        exchange(handlers, places)


def accept_unknown_types(handlers: Handlers, places: Places) -> None:
    """A resource of a type that the emulator does not know is there by name, and does nothing."""

    def create(logical_id: str, _props: dict[str, Any], stack: str) -> Made:
        return f"{stack}-{logical_id}", {}

    for kind in NEW_TO_THE_EMULATOR:
        if kind in handlers:
            raise RuntimeError(f"MiniStack knows {kind} by now: take it off the list")
        handlers[kind] = {"create": create, "update": lambda made, *_: (made, {}), "delete": lambda *_: None}


def lay_layers(handlers: Handlers, places: Places) -> None:
    """A layer holds this machine's bytes for whoever runs it; its digest and size stay those of what was published."""
    import ministack.services.lambda_svc as lambdas

    def laid(props: dict[str, Any], made: Made) -> Made:
        file = Path(places.exchanged, os.path.basename(props["Content"]["S3Key"]))
        if not file.is_file():
            raise ValueError(f"{file.name} is a layer that was not made for this machine")
        _, name, version = made[0].rsplit(":", 2)
        (one,) = [each for each in lambdas._layers[name]["versions"] if each["Version"] == int(version)]
        one["_zip_data"] = file.read_bytes()
        return made

    _afterwards(handlers["AWS::Lambda::LayerVersion"], laid)


def give_addresses(handlers: Handlers, places: Places) -> None:
    """A function's process is told where things are here; its configuration stays as deployed."""
    import ministack.core.lambda_runtime as runtime

    chosen = runtime._worker_class_for

    def told(config: dict[str, Any]) -> dict[str, Any]:
        variables = (config.get("Environment") or {}).get("Variables") or {}
        return config | {"Environment": {"Variables": variables | local_addresses(variables, places)}}

    def worker_class_for(config: dict[str, Any]) -> Callable[..., Any]:
        made = chosen(config)
        return lambda name, config, code: made(name, told(config), code)

    runtime._worker_class_for = worker_class_for


def local_addresses(variables: Mapping[str, str], places: Places) -> dict[str, str]:
    """What differs here from the variables that a function was deployed with; an endpoint that it names itself is kept."""
    found = {"AWS_ENDPOINT_URL_SFN": places.steps, "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": places.bedrock}
    found = {name: value for name, value in found.items() if name not in variables}
    named = {"PLACET_BASE_URL": places.api, "PLACET_LOGIN_URL": places.login}
    found |= {name: value for name, value in named.items() if name in variables}
    keys = variables.get("PLACET_JWKS_URL", "")
    if keys.startswith(ISSUERS):
        found["PLACET_JWKS_URL"] = places.endpoint + "/" + keys.removeprefix(ISSUERS).partition("/")[2]
    return found


def answer_locally(handlers: Handlers, places: Places) -> None:
    """The API answers at its own port here, and its address says so to everything that refers to it."""

    def local(_props: dict[str, Any], made: Made) -> Made:
        return made[0], made[1] | {"ApiEndpoint": places.api}

    _afterwards(handlers["AWS::ApiGatewayV2::Api"], local)


def come_back_here(handlers: Handlers, places: Places) -> None:
    """The login page sends the browser back to the local inbox, path by path; to a program on its own machine as in an account."""

    def local(url: str) -> str:
        return url if url.startswith(PROGRAMS) else f"{places.api}/{_path(url)}"

    def here(props: dict[str, Any]) -> dict[str, Any]:
        fields = {name: props[name] for name in ("CallbackURLs", "LogoutURLs") if name in props}
        return props | {name: [local(url) for url in urls] for name, urls in fields.items()}

    _made_from(handlers["AWS::Cognito::UserPoolClient"], here)


def ask_for_passwords_only(handlers: Handlers, places: Places) -> None:
    """A sign-in asks for no second factor, whatever its pool demands; what the pool says of itself is as deployed."""
    import ministack.services.cognito as cognito

    def none(pool: Any, user: Any, pool_id: str, username: str) -> None:
        return None

    replace(cognito, "_mfa_challenge_for_user", none)


def _path(url: str) -> str:
    return url.split("://")[-1].partition("/")[2]


def keep_tables_as_asked(handlers: Handlers, places: Places) -> None:
    """Time to live and point-in-time recovery of a table are as its template asks."""
    import ministack.services.dynamodb as tables

    def asked(props: dict[str, Any], made: Made) -> Made:
        name = made[0]
        if wanted := props.get("TimeToLiveSpecification"):
            tables._ttl_settings[name] = {
                "TimeToLiveStatus": "ENABLED" if wanted.get("Enabled") else "DISABLED",
                "AttributeName": wanted.get("AttributeName", ""),
            }
        if wanted := props.get("PointInTimeRecoverySpecification"):
            tables._pitr_settings[name] = bool(wanted.get("PointInTimeRecoveryEnabled"))
        return made

    _afterwards(handlers["AWS::DynamoDB::Table"], asked)


def interpret_elsewhere(handlers: Handlers, places: Places) -> None:
    """The interpreter beside the emulator gets each machine, as the same definition under the same role and ARN."""
    import ministack.core.iam_evaluator as evaluator

    from local.emulator.machines import Interpreter, for_the_service

    interpreter = Interpreter(places.steps)
    evaluator.evaluate_trust_policy = for_the_service(evaluator.evaluate_trust_policy)

    def copied(_props: dict[str, Any], made: Made) -> Made:
        import ministack.services.stepfunctions as machines

        interpreter.put(machines._state_machines[made[0]])
        return made

    handler = handlers["AWS::StepFunctions::StateMachine"]
    _afterwards(handler, copied)
    delete = handler["delete"]

    def forgotten(made: str, props: dict[str, Any]) -> None:
        interpreter.drop(made)
        delete(made, props)

    handler["delete"] = forgotten


def _made_from(handler: dict[str, Any], changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Make and update resources of this kind from other properties than the template's, which the stack still shows."""
    create, update = handler["create"], handler["update"]
    handler["create"] = lambda logical_id, props, stack: create(logical_id, changed(props), stack)
    handler["update"] = lambda made, old, new, *others: update(made, changed(old), changed(new), *others)


def _afterwards(handler: dict[str, Any], then: Callable[[dict[str, Any], Made], Made]) -> None:
    """Run ``then`` with the properties after each create and update of this kind."""
    create, update = handler["create"], handler.get("update")
    handler["create"] = lambda logical_id, props, stack: then(props, create(logical_id, props, stack))
    if update is not None:
        handler["update"] = lambda made, old, new, *others: then(new, update(made, old, new, *others))


EXCHANGES: tuple[Callable[[Handlers, Places], None], ...] = (
    accept_unknown_types,
    lay_layers,
    give_addresses,
    answer_locally,
    come_back_here,
    ask_for_passwords_only,
    keep_tables_as_asked,
    interpret_elsewhere,
)
