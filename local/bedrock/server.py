"""The runtime behind HTTP on loopback."""

from __future__ import annotations

import contextlib
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from local.bedrock import control
from local.bedrock.exchange import Answer, exchange
from local.bedrock.faults import Fault
from local.bedrock.runtime import BedrockRuntime
from local.emulator.doors import Door, Way
from local.emulator.signatures import Key, Refused, Request

HOST = "127.0.0.1"


class BedrockServer:
    """Serves one runtime; ``start`` and ``stop``, or a ``with``.

    Args:
        port: 0 for a free one.
        keys: the key of an id, of whoever may sign; without it signatures are not looked at.
    """

    def __init__(
        self,
        runtime: BedrockRuntime | None = None,
        port: int = 0,
        keys: Callable[[str], Key] | None = None,
    ) -> None:
        self.runtime = runtime or BedrockRuntime()
        self._keys = keys
        self._port = port
        self._http: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """The endpoint for `AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME`; stays the same once it was started."""
        return f"http://{HOST}:{self._port}"

    def start(self) -> BedrockServer:
        """Listen. Raises OSError when the port is taken."""
        self._http = ThreadingHTTPServer((HOST, self._port), _handler_of(self.runtime, self._refusal))
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def _refusal(self, request: Request) -> Answer | None:
        """What is said to who is not let in."""
        healthy = (request.method, request.path) == ("GET", f"{control.PREFIX}health")
        way = Way(signed=self._keys is not None and not healthy)
        told = Door(self._port, self._keys or _nobody, lambda _request: way).refusal(request)
        return Answer(*told) if told else None

    def stop(self) -> None:
        """Listen no more; safe to call twice."""
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http = None

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """Nobody listens while this lasts: the fault `REFUSED`."""
        self.stop()
        try:
            self.runtime.faults.happened(Fault.REFUSED)
            yield
        finally:
            self.start()

    def __enter__(self) -> BedrockServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _nobody(_key_id: str) -> Key:
    raise Refused("UnrecognizedClientException", "No keys are known here.")


def _handler_of(runtime: BedrockRuntime, refusal: Callable[[Request], Answer | None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One request for each connection, so that nobody holds one while nobody listens."""

        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """The runtime has a log of its own."""

        def do_GET(self) -> None:
            self._send(self._refused(b"") or self._looked())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            self._send(self._refused(body) or self._done(body))

        def do_OPTIONS(self) -> None:
            self._send(self._refused(b"") or _json(404, None))

        do_HEAD = do_PUT = do_DELETE = do_PATCH = do_OPTIONS

        def _looked(self) -> Answer:
            found = control.look(runtime, self.path)
            return _json(404 if found is None else 200, found)

        def _done(self, body: bytes) -> Answer | None:
            if self.path.startswith(control.PREFIX):
                return _json(*control.change(runtime, self.path, body))
            return exchange(runtime, self.path, body)

        def _refused(self, body: bytes) -> Answer | None:
            headers = tuple((name.lower(), value) for name, value in self.headers.items())
            path, _, query = self.path.partition("?")
            return refusal(Request(self.command, path, query, headers, body))

        def _send(self, answer: Answer | None) -> None:
            self.close_connection = True
            if answer is None:
                return
            about = {
                "x-amzn-requestid": str(uuid.uuid4()),
                "content-length": str(len(answer.body)),
                "connection": "close",
            }
            with contextlib.suppress(OSError):  # the client gave up waiting
                self.send_response(answer.status)
                for name, value in {**answer.headers, **about}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

    return Handler


def _json(status: int, body: object) -> Answer:
    return Answer(status, {"content-type": "application/json"}, json.dumps(body).encode())
