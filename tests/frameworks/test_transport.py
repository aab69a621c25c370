"""Signed, repeated with the same bytes, and never quietly wrong. A real server in this process answers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, ReadOnlyCredentials

from placet.client import ClientError, Gateway, GatewayRefused, GatewayUnavailable
from placet.client.transport import TRIES, Transport

CREDENTIALS = ReadOnlyCredentials("AKIDMADEUP", "made-up", "token")


class Server:
    """Answers with `answers` in turn: (status, headers, body), or None to hang up."""

    def __init__(self):
        self.answers, self.seen = [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.seen.append((self.command, self.path, dict(self.headers.items()), body))
                answer = outer.answers.pop(0) if outer.answers else (200, {}, b"{}")
                if answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, headers, given = answer
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(given))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(given)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://abc123.execute-api.localhost:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def server():
    one = Server()
    yield one
    one.http.shutdown()
    one.http.server_close()


@pytest.fixture
def slept():
    return []


@pytest.fixture
def transport(server, slept):
    one = Transport(server.url, "us-east-1", lambda: CREDENTIALS, sleep=slept.append, chance=lambda: 0.5)
    yield one
    one._pool.close()


def problem(status, code, **members):
    body = {"type": "about:blank", "title": "x", "status": status, "detail": "why", "code": code, **members}
    return status, {"Content-Type": "application/problem+json"}, json.dumps(body).encode()


def test_the_request_is_signed_for_the_api_and_keeps_its_host(server, transport):
    transport.send("POST", "/v1/calls/p-1/claim", '{"digest":"9c"}')
    ((method, path, headers, body),) = server.seen
    assert (method, path, body) == ("POST", "/v1/calls/p-1/claim", b'{"digest":"9c"}')
    assert headers["Host"] == server.url.removeprefix("http://")
    assert headers["X-Amz-Security-Token"] == "token"
    again = AWSRequest(method=method, url=f"{server.url}{path}", data=body, headers={
        name: headers[name] for name in ("Host", "Content-Type", "Accept")
    })  # fmt: skip
    again.context["timestamp"] = headers["X-Amz-Date"]
    signer = SigV4Auth(CREDENTIALS, "execute-api", "us-east-1")
    again.headers["X-Amz-Date"] = headers["X-Amz-Date"]
    again.headers["X-Amz-Security-Token"] = "token"
    told = signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again)
    assert f"Signature={told}" in headers["Authorization"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_no_usable_answer_is_repeated_with_the_same_bytes(server, transport, slept, status):
    server.answers = [(status, {}, b""), None, (200, {}, b'{"ok":1}')]
    assert transport.send("POST", "/v1/pauses", '{"a":1.10}').body == {"ok": 1}
    assert [body for *_, body in server.seen] == [b'{"a":1.10}'] * 3
    assert len(slept) == 2
    assert slept[1] > slept[0] > 0


def test_retry_after_is_honoured(server, transport, slept):
    server.answers = [(503, {"Retry-After": "7"}, b"")]
    transport.send("GET", "/v1/gates")
    assert slept == [7.0]


def test_after_all_tries_the_gateway_is_unavailable(server, transport, slept):
    server.answers = [(503, {}, b"")] * TRIES
    with pytest.raises(GatewayUnavailable) as unavailable:
        transport.send("GET", "/v1/gates")
    assert unavailable.value.status == 503
    assert len(server.seen) == TRIES


def test_a_gateway_that_cannot_says_why(server, transport):
    """A right of its own is missing: that is not what a gateway in front of it, which has no code, says of a moment."""
    server.answers = [problem(502, "table_refused", what="x")] * TRIES
    with pytest.raises(GatewayUnavailable, match="status 502, table_refused: why") as unavailable:
        transport.send("POST", "/v1/operations/calls/p-1/undo", "{}")
    assert not unavailable.value.passes
    assert (unavailable.value.problem["code"], unavailable.value.problem["what"]) == ("table_refused", "x")
    for status, body in ((502, b'{"message":"Bad Gateway"}'), (502, b"<html>"), (503, problem(503, "busy")[2])):
        server.answers = [(status, {}, body)] * TRIES
        with pytest.raises(GatewayUnavailable) as unavailable:
            transport.send("GET", "/v1/gates")
        assert unavailable.value.passes


def test_nobody_there_is_unavailable(slept):
    one = Transport("http://x.localhost:1", "us-east-1", lambda: CREDENTIALS, sleep=slept.append)
    with pytest.raises(GatewayUnavailable) as unavailable:
        one.send("GET", "/v1/gates")
    assert unavailable.value.status == 0


def test_a_refusal_is_typed_and_not_repeated(server, transport):
    server.answers = [problem(409, "permit_settled", permit="done", result="ok")]
    with pytest.raises(GatewayRefused) as refused:
        transport.send("POST", "/v1/calls/p-1/claim", "{}")
    error = refused.value
    assert (error.status, error.code, error.detail) == (409, "permit_settled", "why")
    assert error.members == {"permit": "done", "result": "ok"}
    assert len(server.seen) == 1


def test_a_refusal_names_the_fields_that_are_wrong():
    problems = [
        {"at": "evidence/0/trust", "problem": "This field is not known."},
        {"at": "run", "problem": "is missing"},
    ]
    refused = GatewayRefused(422, "unknown_field", "The body is not what this route takes.", {"problems": problems})
    assert str(refused) == (
        "unknown_field: The body is not what this route takes. (evidence/0/trust: This field is not known.; run: is missing)"
    )
    assert str(GatewayRefused(404, "not_found", "", {"problems": "none"})) == "not_found"


def test_a_refusal_before_the_gateway_has_a_code_too(server, transport):
    server.answers = [(403, {}, b'{"message":"Forbidden"}')]
    with pytest.raises(GatewayRefused, match="http_403: Forbidden"):
        transport.send("GET", "/v1/gates")


def test_credentials_are_asked_for_at_every_request(server, slept):
    asked = []
    one = Transport(server.url, "us-east-1", lambda: asked.append(1) or CREDENTIALS, sleep=slept.append)
    server.answers = [(500, {}, b"")]
    one.send("GET", "/v1/gates")
    assert len(asked) == 2
    one._pool.close()


def test_settings_come_from_the_environment(server, monkeypatch):
    class Session:
        def get_credentials(self):
            return Credentials("AKIDMADEUP", "made-up")

    for name in ("PLACET_URL", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ClientError, match="PLACET_URL"):
        Gateway(session=Session())
    monkeypatch.setenv("PLACET_URL", server.url)
    with pytest.raises(ClientError, match="AWS_REGION"):
        Gateway(session=Session())
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    server.answers = [(200, {}, b'{"policy_version":"1","unknown":"pause","tools":{"a":"free"}}')]
    gateway = Gateway(session=Session())
    gates = gateway.gates()
    assert gates.free("a")
    assert not gates.free("b")
    assert "/eu-central-1/execute-api/" in server.seen[0][2]["Authorization"]
    gateway._transport._pool.close()


def test_no_credentials_is_said_in_one_sentence():
    class Session:
        def get_credentials(self):
            return None

    with pytest.raises(ClientError, match="IAM role"):
        Gateway("http://x", "us-east-1", Session())


def test_a_wrong_port_is_named(slept):
    one = Transport("http://x.localhost:1", "us-east-1", lambda: CREDENTIALS, sleep=slept.append)
    with pytest.raises(
        GatewayUnavailable, match=r"nobody listens at http://x\.localhost:1\. Is that the gateway's address"
    ):
        one.send("GET", "/v1/gates")


def test_a_host_that_nobody_knows_is_named(slept):
    one = Transport("https://nowhere.invalid", "us-east-1", lambda: CREDENTIALS, sleep=slept.append)
    with pytest.raises(GatewayUnavailable, match=r"the host of https://nowhere\.invalid is not known"):
        one.send("GET", "/v1/gates")


def test_tls_at_a_port_without_it_is_named(server, slept):
    url = server.url.replace("http://abc123.execute-api.localhost", "https://127.0.0.1")
    one = Transport(url, "us-east-1", lambda: CREDENTIALS, sleep=slept.append)
    with pytest.raises(GatewayUnavailable, match="Is it http:// and not https://"):
        one.send("GET", "/v1/gates")


@pytest.mark.parametrize("body", [b"<html>It works!</html>", b"[]", b"ok"])
def test_somebody_else_who_answers_is_named(server, transport, body):
    server.answers = [(200, {}, body)]
    with pytest.raises(GatewayUnavailable, match=f"{server.url} answers, and not as the gateway does"):
        transport.send("GET", "/v1/gates")


@pytest.mark.parametrize(("status", "body"), [(403, b'{"message":"Forbidden"}'), (404, b"<html>no</html>")])
def test_a_refusal_that_is_not_the_gateways_says_so(server, transport, status, body):
    server.answers = [(status, {}, body)]
    with pytest.raises(GatewayRefused, match=f"http_{status}.*Not the gateway itself answered at {server.url}"):
        transport.send("GET", "/v1/gates")
