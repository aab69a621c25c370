"""Who is let in: what a browser says of a request, which way it takes, and what the servers make of it. No emulator runs here."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from typing import Any

import pytest

from local.emulator import keys, visitors, ways
from local.emulator.doors import Door, Way, over_asgi, over_wsgi
from local.emulator.signatures import Key, Refused, Request
from tests.local.signing import KEY, PORT, by_botocore


def asked(*headers: tuple[str, str], method: str = "GET", host: str = f"localhost:{PORT}", path: str = "/") -> Request:
    return Request(method, path, "", (("host", host), *headers))


GOOD_HOSTS = [
    "localhost:4566",
    "127.0.0.1:4566",
    "[::1]:4566",
    "LOCALHOST:4566",
    "bucket.localhost:4566",
    "a.b.localhost:4566",
]
BAD_HOSTS = [
    "", "localhost", "evil.example:4566", "localhost:4567", "localhost:4566.evil.example", "localhost.evil.example:4566",
    "evillocalhost:4566", "127.0.0.1.nip.io:4566", "127.0.0.2:4566", "0.0.0.0:4566", "2130706433:4566", "localhost.:4566",
    ".localhost:4566", "user@localhost:4566", "[::]:4566", "localhost:04566", "local host:4566", "-a-.localhost:4566",
]  # fmt: skip


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_every_name_of_this_machine_is_taken_with_our_port(host: str) -> None:
    visitors.judge(asked(host=host), PORT, page=False)
    visitors.judge(asked(("origin", f"http://{host}".lower()), host=host), PORT, page=False)


@pytest.mark.parametrize("host", BAD_HOSTS)
def test_another_host_is_refused(host: str) -> None:
    with pytest.raises(Refused, match="HostRefused"):
        visitors.judge(asked(host=host), PORT, page=True)


@pytest.mark.parametrize("headers", [(), (("host", "localhost:4566"), ("host", "localhost:4566"))])
def test_no_host_and_two_hosts_are_refused(headers: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(Refused, match="HostRefused"):
        visitors.judge(Request("GET", "/", "", headers), PORT, page=True)


def test_on_the_port_of_http_the_host_has_none() -> None:
    visitors.judge(asked(host="localhost"), 80, page=False)
    with pytest.raises(Refused):
        visitors.judge(asked(host="localhost:4566"), 80, page=False)


@pytest.mark.parametrize(
    "origin",
    ["null", "http://evil.example", "http://localhost:4567", "https://localhost:4566", "http://127.0.0.1:4566", ""],
)
def test_an_origin_that_is_not_this_address_is_refused(origin: str) -> None:
    with pytest.raises(Refused, match="OriginRefused"):
        visitors.judge(asked(("origin", origin)), PORT, page=True)


LINK = (("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"))


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_what_people_type_and_our_own_page_asks_is_taken(site: str) -> None:
    visitors.judge(asked(("sec-fetch-site", site)), PORT, page=False)


def test_our_other_port_leads_people_to_a_page_and_does_nothing_else() -> None:
    visitors.judge(asked(("sec-fetch-site", "same-site"), *LINK), PORT, page=True)
    for headers, method, page in (
        ([("sec-fetch-site", "same-site"), *LINK], "GET", False),
        ([("sec-fetch-site", "same-site"), *LINK], "POST", True),
        ([("sec-fetch-site", "cross-site"), *LINK], "GET", True),
        ([("sec-fetch-site", "same-site")], "GET", True),
        ([("sec-fetch-site", "same-site"), LINK[0], ("sec-fetch-dest", "iframe")], "GET", True),
    ):
        with pytest.raises(Refused, match="OriginRefused"):
            visitors.judge(asked(*headers, method=method), PORT, page=page)


def test_a_preflight_is_refused() -> None:
    for request in (asked(method="OPTIONS"), asked(("access-control-request-method", "GET"))):
        with pytest.raises(Refused, match="PreflightRefused"):
            visitors.judge(request, PORT, page=True)


AWS_WAY = ways.of_aws(lambda: frozenset({"InitiateAuth"}))


@pytest.mark.parametrize(
    ("method", "path", "headers", "signed_wanted"),
    [
        ("GET", "/oauth2/authorize", (), False),
        ("POST", "/login", (), False),
        ("POST", "/oauth2/token", (), False),
        ("GET", "/us-east-1_abc/.well-known/jwks.json", (), False),
        ("GET", "/_ministack/health", (), False),
        ("POST", "/", (("x-amz-target", "AWSCognitoIdentityProviderService.InitiateAuth"),), False),
        ("POST", "/", (("x-amz-target", "AWSCognitoIdentityProviderService.AdminCreateUser"),), True),
        ("POST", "/login", (("x-amz-target", "DynamoDB_20120810.Scan"),), True),
        ("POST", "/login", (("authorization", "AWS4-HMAC-SHA256 Credential=test/"),), True),
        ("POST", "/_ministack/reset", (), True),
        ("POST", "/_ministack/health", (), True),
        ("GET", "/_ministack/ses/messages", (), True),
        ("GET", "/bucket/a/.well-known/jwks.json", (), True),
        ("GET", "/", (), True),
    ],
)
def test_only_what_people_reach_on_aws_comes_unsigned(
    method: str, path: str, headers: tuple[tuple[str, str], ...], signed_wanted: bool
) -> None:
    assert AWS_WAY(Request(method, path, "", headers)).signed is signed_wanted


def test_a_key_in_the_address_of_a_login_page_is_looked_at() -> None:
    assert AWS_WAY(Request("GET", "/oauth2/authorize", "X-Amz-Credential=test%2F1", ())).signed


def test_a_route_for_iam_takes_signed_requests_only() -> None:
    way = ways.of_api(
        lambda method, path: {("POST", "/v1/pauses"): "AWS_IAM", ("GET", "/inbox"): "NONE"}.get((method, path))
    )
    assert [way(Request(*one, "", ())).signed for one in (("POST", "/v1/pauses"), ("GET", "/inbox"), ("GET", "/x"))] == [
        True, False, False,
    ]  # fmt: skip


def door(signed_: bool = True) -> Door:
    def key_of(key_id: str) -> Key:
        if key_id != KEY.id:
            raise keys.unknown()
        return KEY

    return Door(PORT, key_of, lambda _request: Way(signed=signed_))


async def application(scope: Any, receive: Any, send: Any) -> None:
    body = (await receive())["body"]
    headers = [(b"access-control-allow-origin", b"*"), (b"x-echo", body)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def over(request: Request, kind: str = "http", own: Any = lambda _request, _key: None) -> list[dict[str, Any]]:
    """What the server is told to send."""
    parts = [request.body[:2], request.body[2:]]
    incoming = [{"type": "http.request", "body": one, "more_body": one is parts[0]} for one in parts]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return incoming.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": kind, "server": ("127.0.0.1", PORT), "method": request.method, "path": request.path,
        "raw_path": request.path.encode(), "query_string": request.query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in request.headers],
    }  # fmt: skip
    asyncio.run(over_asgi(application, {PORT: door()}, own)(scope, receive, send))
    return sent


def test_over_asgi_the_body_comes_through_whole_and_cors_does_not() -> None:
    told = over(by_botocore("/a?b=1", "header", "dynamodb", KEY))
    assert (told[0]["status"], told[0]["headers"], told[1]["body"]) == (200, [(b"x-echo", b"body")], b"body")


def test_over_asgi_what_is_refused_never_reaches_the_application() -> None:
    request = by_botocore("/", "header", "dynamodb", replace(KEY, secret="guessed"))
    told = over(request)
    assert told[0]["status"] == 403
    assert b"SignatureDoesNotMatch" in told[1]["body"]
    assert over(request, kind="websocket") == [{"type": "websocket.close", "code": 1008}]


def test_a_body_that_breaks_off_is_refused() -> None:
    async def broken() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    from local.emulator import doors

    with pytest.raises(Refused, match="IncompleteBody"):
        asyncio.run(doors._body(broken))


def test_over_wsgi_the_same() -> None:
    def plain(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [("Access-Control-Allow-Origin", "*"), ("x-a", "1")])
        return [environ["wsgi.input"].read()]

    for key, wanted in ((KEY, "200 OK"), (replace(KEY, secret="guessed"), "403 Forbidden")):
        request = by_botocore("/a%20b?c=d", "header", "states", key)
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in request.headers}
        environ |= {"REQUEST_METHOD": "POST", "RAW_URI": f"{request.path}?{request.query}", "CONTENT_LENGTH": "4"}
        started: list[Any] = []
        told = over_wsgi(plain, door())(
            environ | {"wsgi.input": io.BytesIO(b"body")}, lambda *one, to=started: to.extend(one)
        )
        assert (started[0], any(name.lower().startswith("access-control") for name, _ in started[1])) == (wanted, False)
        assert (list(told) == [b"body"]) is (key == KEY)


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("application/x-amz-json-1.0", b'"__type": "HostRefused"'),
        ("application/x-www-form-urlencoded", b"<Code>HostRefused</Code>"),
    ],
)
def test_a_refusal_is_told_in_the_form_that_an_sdk_reads(kind: str, form: bytes) -> None:
    told = door().refusal(asked(("content-type", kind), host="evil.example"))
    assert told is not None
    assert (told[0], form in told[2]) == (403, True)


def test_a_functions_secret_does_not_follow_from_its_name() -> None:
    sessions: dict[str, dict[str, str]] = {}

    def guessable(config: dict[str, str]) -> dict[str, str]:
        sessions["ASIA1"] = {"SecretAccessKey": config["FunctionName"], "SessionToken": "t"}
        return {"AWS_ACCESS_KEY_ID": "ASIA1", "AWS_SECRET_ACCESS_KEY": config["FunctionName"], "AWS_SESSION_TOKEN": "t"}

    of = keys.unguessable(guessable, sessions, b"salt")
    first, again = of({"FunctionName": "sweep"}), of({"FunctionName": "sweep"})
    assert first == again
    assert first["AWS_SECRET_ACCESS_KEY"] != "sweep"
    assert sessions["ASIA1"]["SecretAccessKey"] == first["AWS_SECRET_ACCESS_KEY"]
    assert keys.unguessable(guessable, sessions, b"another start")({"FunctionName": "sweep"}) != first
