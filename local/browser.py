"""A small browser without scripts: cookies, redirects and forms, enough to go through the real sign-in."""

from __future__ import annotations

import http.client
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

REDIRECTS = {301, 302, 303, 307, 308}
MOST_REDIRECTS = 10


@dataclass(frozen=True)
class Page:
    """One answer, after all redirects; ``url`` is where they ended."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def forms(self) -> list[Form]:
        """The forms of the page, with the values that a click would send; one for each button that says where it sends them."""
        reader = _Forms()
        reader.feed(self.text)
        return reader.forms()


@dataclass
class Form:
    """A form: where it goes and what it sends."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self.named: dict[str, Form] = {}
        self.pressed: list[tuple[Form, str, dict[str, str]]] = []

    def forms(self) -> list[Form]:
        """Those of the page; and what each button sends that has a name or a place of its own, before the form that it is of."""
        buttons = [Form(action, form.method, form.fields | more) for form, action, more in self.pressed]
        return [*buttons, *self.found]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given.get("action", ""), given.get("method", "get").upper()))
            self.named[given.get("id", "")] = self.found[-1]
            return
        owner = self.named.get(given["form"]) if "form" in given else self.found[-1] if self.found else None
        if owner is None:
            return
        if tag == "button" and ("formaction" in given or "name" in given):
            more = {given["name"]: given.get("value", "")} if "name" in given else {}
            self.pressed.append((owner, given.get("formaction", owner.action), more))
        elif tag in {"input", "textarea"} and "name" in given:
            kind = given.get("type", "")
            if kind not in {"radio", "checkbox"} or "checked" in given:
                owner.fields.setdefault(given["name"], given.get("value", ""))


class Browser:
    """One person's browser. Cookies are kept per host name: browsers do not tell ports apart either."""

    def __init__(self) -> None:
        self.cookies: dict[str, dict[str, str]] = {}

    def get(self, url: str, headers: dict[str, str] | None = None) -> Page:
        return self.open("GET", url, b"", headers or {})

    def post(self, url: str, fields: dict[str, str], headers: dict[str, str] | None = None) -> Page:
        """Send a form, with the Origin that a browser adds."""
        parts = urlsplit(url)
        own = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"{parts.scheme}://{parts.netloc}"}
        return self.open("POST", url, urlencode(fields).encode(), own | (headers or {}))

    def submit(self, page: Page, form: Form, **fields: str) -> Page:
        """Fill a form of a page and send it."""
        return self.post(urljoin(page.url, form.action), form.fields | fields)

    def open(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> Page:
        """One request and the redirects behind it."""
        for _ in range(MOST_REDIRECTS):
            page = self._once(method, url, body, headers)
            if page.status not in REDIRECTS or "location" not in page.headers:
                return page
            url = urljoin(url, page.headers["location"])
            if page.status not in {307, 308}:
                method, body, headers = "GET", b"", {}
        raise RuntimeError(f"more than {MOST_REDIRECTS} redirects, the last to {url}")

    def _once(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> Page:
        parts = urlsplit(url)
        jar = self.cookies.setdefault(parts.hostname or "", {})
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())} if jar else {}
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request(method, path, body or None, headers | cookies)
            answer = connection.getresponse()
            for line in answer.headers.get_all("set-cookie") or []:
                _keep(jar, line)
            fields = {name.lower(): value for name, value in answer.getheaders()}
            return Page(url, answer.status, fields, answer.read())
        finally:
            connection.close()


def _keep(jar: dict[str, str], line: str) -> None:
    pair, *attributes = [part.strip() for part in line.split(";")]
    name, _, value = pair.partition("=")
    if any(one.lower() == "max-age=0" for one in attributes):
        jar.pop(name, None)
    else:
        jar[name] = value
