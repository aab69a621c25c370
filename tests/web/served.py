"""A small server for the browser tests: the gallery's pages under their real headers, and every form that was posted."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from placet.web import assets, security
from tests.web.gallery import PAGES

PLANTED = '<style>.planted{color:#999}</style><p class="planted">grey on white</p>'


class Served:
    """The server.

    Attributes:
        base: its address.
        posts: (path, fields in order) of each POST.
    """

    def __init__(self) -> None:
        self.posts: list[tuple[str, list[tuple[str, str]]]] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.get(self)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                served.posts.append((self.path, parse_qsl(body, keep_blank_values=True)))
                served.answer(self, b"taken", security.headers() | {"content-type": "text/plain"})

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def get(self, request: BaseHTTPRequestHandler) -> None:
        """An asset, a page of the gallery by name, or 404."""
        name = urlsplit(request.path).path.removeprefix("/").removeprefix("static/")
        found = assets.find(name)
        if found:
            self.answer(request, found[0], security.asset_headers(name, found[1]))
        elif name == "planted":
            self.answer(
                request, PAGES["detail"]().replace("</h1>", f"</h1>{PLANTED}").encode(), {"content-type": "text/html"}
            )
        elif name in PAGES:
            self.answer(request, PAGES[name]().encode(), security.headers())
        else:
            self.answer(request, b"", security.headers(), 404)

    @staticmethod
    def answer(request: BaseHTTPRequestHandler, body: bytes, headers: dict[str, str], status: int = 200) -> None:
        """One answer."""
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
