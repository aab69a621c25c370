"""What nobody may be let in with: what a page of somebody else sends, and what is signed by nobody, or for something else.

Whatever a browser would tell is tried with root's own good signature, so that nothing but the door can refuse it.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator
from dataclasses import replace

from local.emulator.signatures import Key
from tests.proofs.visiting.asking import Ask, Sent, asks_of, plain, signed, with_lines
from tests.proofs.visiting.place import Place


def hosts(port: int) -> list[str]:
    """Names under which another page reaches this machine, or that pass for ours."""
    names = (
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "evillocalhost",
        "0.0.0.0",  # noqa: S104 - a name, not an address to bind to
        "127.0.0.2",
        "2130706433",
    )
    more = ("localhost.", "[::]", "user@localhost", "[::ffff:127.0.0.1]", "169.254.169.254", "-.localhost")
    return [
        *(f"{name}:{port}" for name in (*names, *more)),
        "localhost",
        f"localhost:{port + 1}",
        f"localhost:0{port}",
        "",
    ]


def origins(ask: Ask) -> list[str]:
    """Pages that are not those of this address."""
    port = ask.port
    mine = (
        f"https://{ask.host}",
        f"http://127.0.0.1:{port}",
        f"http://localhost:{port}.evil.example",
        f"http://a.localhost:{port}",
    )
    return [
        "null",
        "http://evil.example",
        f"http://localhost:{port + 1}",
        "http://localhost",
        "file://",
        "chrome-extension://a",
        *mine,
    ]


def sites() -> list[dict[str, str]]:
    """What Chromium says of requests from other sites and other ports."""
    link = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    return [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "cross-site", **link},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "object"},
    ]


def from_other_pages(place: Place, whole: bool) -> Iterator[Sent]:
    """Every port, with every host, origin and site that is not ours, and the questions before a request."""
    for ask in asks_of(place, whole):
        good = _good(place, ask)
        for host in hosts(ask.port):
            yield _good(place, ask, f"host {host!r}", host) if host else with_lines(good, "no host", ("host", ""))
        yield with_lines(good, "two hosts", ("host", ask.host), ("host", "evil.example"))
        for origin in origins(ask):
            yield with_lines(good, f"origin {origin}", ("origin", origin))
        yield with_lines(good, "two origins", ("origin", f"http://{ask.host}"), ("origin", "http://evil.example"))
        for site in sites():
            yield with_lines(good, f"site {' '.join(site.values())}", *site.items())
        for lines in ((), (("access-control-request-private-network", "true"),)):
            asked = (
                ("access-control-request-method", "POST"),
                ("access-control-request-headers", "x-amz-target"),
                *lines,
            )
            yield replace(with_lines(good, f"preflight {len(lines)}", *asked), method="OPTIONS", body="")
        yield replace(good, how="options", method="OPTIONS", body="")
        socket = (
            ("upgrade", "websocket"),
            ("connection", "Upgrade"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        )
        yield replace(with_lines(good, "web socket", ("origin", "http://evil.example"), *socket), method="GET", body="")


def _good(place: Place, ask: Ask, how: str = "good", host: str = "") -> Sent:
    if ask.service:
        return signed(ask, place.aws.root, how, host)
    return with_lines(plain(ask, how), how, ("host", host or ask.host))


def unsigned(place: Place) -> Iterator[Sent]:
    """Every port, signed by nobody, by keys that are not, or for another request."""
    root, role = place.aws.root, place.role
    guessed = hashlib.sha256(
        b"arn:aws:lambda:us-east-1:000000000000:function:page:arn:aws:iam::000000000000:role/visited"
    ).hexdigest()
    secret, token = (hashlib.sha256(f"{kind}:{guessed}".encode()).hexdigest() for kind in ("secret", "token"))
    wrong = {
        "test": Key("test", "test"),
        "an account": Key("000000000000", "test"),
        "another secret": replace(root, secret="wrong"),
        "an earlier start": Key("AKIA0123456789ABCDEF", "wrong"),
        "a function's, guessed": Key(f"ASIA{guessed[:16].upper()}", secret, token),
        "a role's, without its token": replace(role, token=None),
        "a role's, with another token": replace(role, token="another"),
        "a role's, with another secret": replace(role, secret="another"),
    }
    for ask in asks_of(place, whole=True):
        if not ask.service:
            continue
        yield plain(ask)
        for name, key in wrong.items():
            yield signed(ask, key, f"key {name}")
            yield signed(ask, key, f"key {name} in the address", in_address=True)
        yield from _tampered(ask, root)
        yield from _out_of_time(ask, root)


def _out_of_time(ask: Ask, root: Key) -> Iterator[Sent]:
    """Addresses that root signed, rightly, for another time than now."""
    now = datetime.datetime.now(datetime.UTC)
    for how, ago, good_for_s in (
        ("an address whose hour is over", datetime.timedelta(hours=2), 3600),
        ("an address of last week that says ten years", datetime.timedelta(days=8), 315_360_000),
        ("an address of tomorrow", datetime.timedelta(days=-1), 3600),
    ):
        yield signed(ask, root, how, in_address=True, at=now - ago, good_for_s=good_for_s)


def _tampered(ask: Ask, root: Key) -> Iterator[Sent]:
    good = signed(ask, root)
    value = dict(good.lines)["authorization"]
    yield replace(good, how="another body", body=ask.body + " ")
    yield replace(good, how="another query", path=f"{ask.path}?more=1")
    if ask.service != "execute-api":  # there it is another route, or none
        yield replace(good, how="another method", method="PUT")
    yield with_lines(good, "another signature", ("authorization", value[:-64] + "0" * 64))
    yield with_lines(good, "an old one", ("x-amz-date", "20200101T000000Z"))
    yield with_lines(good, "for another service", ("authorization", value.replace(f"/{ask.service}/", "/sts/")))
    yield with_lines(good, "host not signed", ("authorization", value.replace("host;", "")))
    yield with_lines(good, "two of them", ("authorization", value), ("authorization", value))
    yield with_lines(plain(ask), "bearer", ("authorization", "Bearer made-up"))
    yield with_lines(plain(ask), "basic", ("authorization", "Basic dGVzdDp0ZXN0"))
    yield with_lines(plain(ask), "version 2", ("authorization", f"AWS {root.id}:AAAA"))
    now = datetime.datetime.now(datetime.UTC)
    scope = f"{now:%Y%m%d}%2Fus-east-1%2F{ask.service}%2Faws4_request"
    for key in ("test", root.id):
        asked = f"X-Amz-Credential={key}%2F{scope}&X-Amz-SignedHeaders=host&X-Amz-Signature=00"
        yield replace(plain(ask), how=f"{key[:4]} in the address", path=f"{ask.path}?{asked}")
        whole = f"X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={now:%Y%m%dT%H%M%SZ}&X-Amz-Expires=604800&{asked}"
        yield replace(plain(ask), how=f"{key[:4]} in a whole address", path=f"{ask.path}?{whole}")
