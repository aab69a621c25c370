"""How the command line fails: a sentence and an exit code; of a refusal all that it says, or the problem document itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from http.client import responses
from typing import Any

import click
from botocore.exceptions import BotoCoreError, EndpointConnectionError

from placet.client.aws_setup import as_set_up
from placet.client.errors import ClientError, GatewayRefused, GatewayUnavailable
from placet.model.errors import Refused, Unavailable
from placet.model.visible import one_line

_MOMENTS = ("at", "deadline", "until")
_DAY = 86_400_000  # ms
_LEAST_MOMENT = 100_000_000_000  # ms: a number below it is a length of time
REFUSED, UNAVAILABLE, MISUSED = 1, 3, 2
AGAIN = "Try again: every command is safe to repeat."


class Sentences(click.Group):
    """Errors as one sentence each, a refusal with --json as its problem; exit codes: 1 refused, 2 misused, 3 not possible now."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run, and say what went wrong."""
        try:
            return super().invoke(ctx)
        except (GatewayRefused, Refused) as error:
            if ctx.params["as_json"]:
                click.echo(json.dumps(problem(error), indent=2))
                sys.exit(REFUSED)
            _fail(sentence(error), REFUSED)
        except GatewayUnavailable as error:
            code = UNAVAILABLE if error.passes else REFUSED
            if ctx.params["as_json"] and error.problem:
                click.echo(json.dumps(error.problem, indent=2))
                sys.exit(code)
            _fail(_not_answered(error), code)
        except ClientError as error:
            _fail(str(error), MISUSED)
        except BotoCoreError as error:
            _fail(as_set_up(error), MISUSED)
        except Unavailable as error:
            _fail(f"{_why(error)} {AGAIN}", UNAVAILABLE)


def _why(error: Unavailable) -> str:
    """Why not now; where nobody listens, no record is busy."""
    cause = error.__cause__
    if isinstance(cause, EndpointConnectionError):
        return f"Nobody answers at {cause.kwargs['endpoint_url']}: is that the right address (AWS_ENDPOINT_URL, AWS_REGION)?"
    return error.detail


def _not_answered(error: GatewayUnavailable) -> str:
    """A gateway that says why it cannot is quoted; what does not pass is not to be tried again."""
    if not error.problem:
        return f"The gateway does not answer now ({error}). {AGAIN}"
    said = f"{error.problem.get('detail', '')} ({error.problem['code']})".lstrip()
    if error.passes:
        return f"{said} {AGAIN}"
    return f"The gateway cannot do this: {said}. Somebody has to mend it first: docs/api.md says what the code means."


def _fail(sentence: str, code: int) -> None:
    click.echo(f"placet: {one_line(sentence)}", err=True)
    sys.exit(code)


def moment(at_ms: int) -> str:
    """A moment as people read it, UTC."""
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M}"


def sentence(error: GatewayRefused | Refused) -> str:
    """What was refused, and in brackets its code and every member of its problem."""
    told = [
        f"{_label(name)}: {_value(name, value)}" for name, value in error.members.items() if value not in ("", None)
    ]
    return f"{error.detail} ({'; '.join([error.code, *told])})".lstrip()


def problem(error: GatewayRefused | Refused) -> dict[str, Any]:
    """The problem document, as a gateway answers it."""
    if isinstance(error, Refused):
        from placet.http.problems import document  # raised by the gateway's own code: it is there

        return document(error)
    about = {
        "type": f"urn:placet:problem:{error.code}",
        "title": responses.get(error.status, ""),
        "status": error.status,
    }
    return {**about, "detail": error.detail, "code": error.code, **error.members}


def _label(name: str) -> str:
    return name.removesuffix("_ms").replace("_", " ")


def _value(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_label(key)} {_value(key, one)}" for key, one in value.items() if one not in ("", None))
    if isinstance(value, list):
        return ", ".join(_value(name, one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and (name in _MOMENTS or name.endswith(("_ms", "_at"))):
        return f"{moment(value)} UTC" if value >= _LEAST_MOMENT else _length(value)
    return str(value)


def _length(value: int) -> str:
    """A length of time (ms): in days where it is some, else in seconds."""
    days, rest = divmod(value, _DAY)
    return f"{days} days" if days > 1 and not rest else f"{value / 1000:.10g} s"
