"""One request, raw: whatever host, headers and signature it is given."""

from __future__ import annotations

import datetime
import http.client
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from unittest.mock import patch
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Signer

from local.emulator.signatures import Key
from local.settings import REGION
from tests.proofs.visiting.place import TABLE, Place

DYNAMO = {"content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_20120810.Scan"}
STATES = {"content-type": "application/x-amz-json-1.0", "x-amz-target": "AWSStepFunctions.ListStateMachines"}
PLAIN = {"content-type": "text/plain"}
ZIP = "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=="  # an empty archive
FUNCTION = f'{{"FunctionName": "planted", "Runtime": "python3.13", "Handler": "a.b", "Role": "arn:aws:iam::000000000000:role/visited", "Code": {{"ZipFile": "{ZIP}"}}}}'  # noqa: E501


@dataclass(frozen=True)
class Ask:
    """What somebody wants of a port; ``service`` is who has to be signed for, if anybody."""

    name: str
    port: int
    method: str
    path: str
    service: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""

    @property
    def host(self) -> str:
        return f"localhost:{self.port}"


@dataclass(frozen=True)
class Sent:
    """A request as it goes out: every header line, the host's too."""

    ask: Ask
    how: str
    path: str
    lines: tuple[tuple[str, str], ...]
    method: str = ""
    body: str = ""

    def __str__(self) -> str:
        return f"{self.ask.name}: {self.how}"


def asks_of(place: Place, whole: bool) -> list[Ask]:
    """What is worth having, by port; the first of each port stands for the others where not all are tried."""
    at = place.settings
    found = [
        [
            Ask("scan", at.gateway_port, "POST", "/", "dynamodb", DYNAMO, f'{{"TableName": "{TABLE}"}}'),
            Ask("code", at.gateway_port, "POST", "/2015-03-31/functions", "lambda", PLAIN, FUNCTION),
            Ask("reset", at.gateway_port, "POST", "/_ministack/reset", "placet"),
            Ask("login", at.gateway_port, "GET", place.login),
        ],
        [
            Ask("machines", at.steps_port, "POST", "/", "states", STATES, "{}"),
            Ask("moto reset", at.steps_port, "POST", "/moto-api/reset", "states"),
        ],
        [
            Ask("capture", at.api_port, "POST", "/v1/pauses", "execute-api", PLAIN, "{}"),
            Ask("page", at.api_port, "GET", "/"),
        ],
        [
            Ask("fault", at.bedrock_port, "POST", "/_bedrock/faults", "bedrock", PLAIN, '{"kind": "refused"}'),
            Ask("turn", at.bedrock_port, "POST", "/agents/A/agentAliases/B/sessions/s/text", "bedrock", {}, "{}"),
        ],
    ]
    return [ask for asks in found for ask in (asks if whole else asks[:1])]


def plain(ask: Ask, how: str = "unsigned", **headers: str) -> Sent:
    """As any program may send it."""
    lines = {"host": ask.host, **ask.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Sent(ask, how, ask.path, tuple(lines.items()), ask.method, ask.body)


def signed(
    ask: Ask,
    key: Key,
    how: str = "signed",
    host: str = "",
    in_address: bool = False,
    at: datetime.datetime | None = None,
    good_for_s: int = 3600,
) -> Sent:
    """As an AWS SDK sends it, whatever the host; `at` another moment than now, and an address good for so long."""
    made = AWSRequest(ask.method, f"http://{host or ask.host}{ask.path}", dict(ask.headers), ask.body.encode())
    signer = Signer(key.id, key.secret, key.token)
    if in_address:
        made.data = b""
        with _at(at or datetime.datetime.now(datetime.UTC)):
            SigV4QueryAuth(signer, ask.service, REGION, expires=good_for_s).add_auth(made)
    else:
        SigV4Auth(signer, ask.service, REGION).add_auth(made)
    sent = made.prepare()
    parts = urlsplit(sent.url)
    lines = {name.lower(): value if isinstance(value, str) else value.decode() for name, value in sent.headers.items()}
    lines.pop("content-length", None)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    body = "" if in_address else ask.body
    return Sent(ask, how, path, (("host", host or ask.host), *lines.items()), ask.method, body)


def _at(moment: datetime.datetime) -> AbstractContextManager[object]:
    """The signer's clock, which it asks by this name."""
    return patch("botocore.auth.get_current_datetime", lambda: moment)


def with_lines(sent: Sent, how: str, *lines: tuple[str, str]) -> Sent:
    """The same with these header lines in place of those of their names."""
    names = {name for name, _ in lines}
    return replace(sent, how=how, lines=(*(one for one in sent.lines if one[0] not in names), *lines))


def send(sent: Sent) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body; status 0 when the server hung up."""
    connection = http.client.HTTPConnection("127.0.0.1", sent.ask.port, timeout=30)
    try:
        connection.putrequest(sent.method, sent.path, skip_host=True, skip_accept_encoding=True)
        for name, value in _with_length(sent):
            connection.putheader(name, value)
        connection.endheaders(sent.body.encode() or None)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    except (http.client.HTTPException, OSError):
        return 0, {}, b""
    finally:
        connection.close()


def _with_length(sent: Sent) -> Iterator[tuple[str, str]]:
    yield from sent.lines
    if sent.body or sent.method not in ("GET", "OPTIONS"):
        yield "content-length", str(len(sent.body.encode()))


def names(sents: Iterable[Sent]) -> set[str]:
    return {sent.how for sent in sents}
