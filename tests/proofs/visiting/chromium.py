"""Pages of somebody else in a real Chromium, and people at ours."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.conftest import QUIET
from tests.proofs.visiting.asking import asks_of
from tests.proofs.visiting.place import PASSWORD, Place

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

NAME = "evil.example"
REFUSED = {0, 400, 403}
# Every way in which a page's script or markup can send something: each is tried with each ask.
SCRIPT = """
async (asks) => {
  const later = [];
  for (const {url, method, headers, body} of asks) {
    const query = url + (url.includes('?') ? '&' : '?') +
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=test%2F20261130%2Fus-east-1%2Fdynamodb%2Faws4_request' +
      '&X-Amz-Date=20261130T000000Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature=00';
    const plain = {method, mode: 'no-cors', credentials: 'include'};
    const send = (where, how) => later.push(fetch(where, how).then(answer => answer.text()).catch(() => ''));
    if (method === 'POST') { plain.body = body; plain.headers = {'content-type': 'text/plain'}; }
    send(url, plain); send(query, plain);
    send(query, {method, headers, body: method === 'POST' ? body : undefined});
    send(url, {method: 'PUT'});
    navigator.sendBeacon(query, body || 'a');
    for (const [tag, attribute] of [['img', 'src'], ['script', 'src'], ['iframe', 'src'], ['link', 'href']]) {
      const one = document.createElement(tag);
      if (tag === 'link') one.rel = 'stylesheet';
      one[attribute] = url; document.body.append(one);
    }
    const form = document.createElement('form'), frame = document.createElement('iframe');
    frame.name = 'f' + Math.random(); document.body.append(frame);
    form.action = query; form.method = 'post'; form.enctype = 'text/plain'; form.target = frame.name;
    document.body.append(form); form.submit();
    try { new WebSocket(url.replace('http', 'ws')); } catch (error) {}
  }
  const read = (await Promise.all(later)).join('');
  await new Promise(done => setTimeout(done, 500));
  return read;
}
"""
FRAMED = "<iframe sandbox='allow-scripts' srcdoc='<body><script>(__SCRIPT__)(__ASKS__)</script>'></iframe>"


@dataclass
class Looked:
    """What a browser saw: how often each port answered, and what came in that may not, or stayed out that has to come in."""

    requests: int = 0
    let_in: list[str] = field(default_factory=list)
    allowed: int = 0
    shut_out: list[str] = field(default_factory=list)


def look(place: Place, whole: bool) -> Looked:
    """Open the pages of others, then ours."""
    from playwright.sync_api import sync_playwright

    found = Looked()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "The proof needs Chromium: make browser"
    rules = [f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    with _pages() as port, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=[*QUIET, *rules])
        with contextlib.closing(browser):
            for origin in _origins(port, whole):
                _attack(browser, place, origin, found, whole)
            _rebind(browser, place, found)
            _people(browser, place, found)
    return found


def _origins(port: int, whole: bool) -> list[str]:
    """Another site and, with time, another port of this machine."""
    return [f"http://{name}:{port}" for name in ((NAME, "localhost", "127.0.0.1") if whole else (NAME,))]


def _attack(browser: Browser, place: Place, origin: str, found: Looked, whole: bool) -> None:
    page = browser.new_page()
    _count(page, place, found, origin)
    page.goto(origin)
    asks = [
        {
            "url": f"http://localhost:{one.port}{one.path}",
            "method": one.method,
            "headers": one.headers,
            "body": one.body,
        }
        for one in asks_of(place, whole)
    ]
    read = page.evaluate(SCRIPT, asks)
    if read and "refused" not in read.lower():
        found.let_in.append(f"a page of {origin} read {read[:80]!r}")
    if whole:
        page.set_content(
            FRAMED.replace("__SCRIPT__", SCRIPT.replace("'", '"')).replace("__ASKS__", str(asks).replace("'", '"'))
        )
        page.wait_for_timeout(1_000)  # a page without an origin: null
    page.close()


def _count(page: Page, place: Place, found: Looked, who: str) -> None:
    def answered(response: Response) -> None:
        port = int(response.url.split("/")[2].rpartition(":")[2] or 80)
        if port not in place.settings.ports:
            return
        found.requests += 1
        if response.status not in REFUSED:
            found.let_in.append(
                f"{who} was answered {response.status} at {response.request.method} {response.url[:80]}"
            )

    page.on("response", answered)


def _rebind(browser: Browser, place: Place, found: Looked) -> None:
    """The name of another page that leads to this machine: the page itself would come from our port."""
    for port in place.settings.ports:
        page = browser.new_page()
        _count(page, place, found, "a rebound name")
        page.goto(f"http://{NAME}:{port}/")
        page.close()


def _people(browser: Browser, place: Place, found: Looked) -> None:
    """Somebody opens the inbox, follows its link, signs in, and comes back."""
    page = browser.new_page()

    def arrived(what: str, response: Any, at: str) -> None:
        found.allowed += 1
        if response is None or response.status != 200 or not page.url.startswith(at):
            found.shut_out.append(f"{what}: {response and response.status} at {page.url[:80]}")

    settings = place.settings
    arrived("the inbox", page.goto(f"{settings.api_url}/"), settings.api_url)
    with page.expect_navigation() as led:
        page.click("#login")
    arrived("the login page", led.value, settings.login_url)
    page.fill("input[name=username]", "maria")
    page.fill("input[name=password]", PASSWORD)
    with page.expect_navigation() as led:
        page.press("input[name=password]", "Enter")
    arrived("back at the inbox", led.value, place.callback)
    found.allowed += 1
    if page.evaluate("fetch('/').then(answer => answer.status)") != 200:
        found.shut_out.append("a page of ours cannot ask its own address")
    page.close()


@contextlib.contextmanager
def _pages() -> Iterator[int]:
    """A server of somebody else's pages; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<!doctype html><title>Somebody else</title><body>"
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_port
        server.shutdown()
