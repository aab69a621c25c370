"""Who sends a request to this machine: its own processes and pages, or a page of somebody else in the developer's browser.

A browser says where a request comes from (``Origin``, ``Sec-Fetch-Site``) and whom it was meant for (``Host``); no script can
change them. Other programs say nothing of the first two. Source of the rules: the Fetch and Fetch Metadata standards.
"""

from __future__ import annotations

import re

from local.emulator.signatures import Refused, Request

NAMES = re.compile(r"localhost|127\.0\.0\.1|\[::1\]|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+localhost")
FOREIGN = {"cross-site", "same-site"}  # another port of this machine is the same site


def judge(request: Request, port: int, page: bool) -> None:
    """Raise Refused for what a page of somebody else may have sent; ``page`` tells whether people may come here by a link
    or a redirect from our other port."""
    host = _host(request, port)
    if request.method == "OPTIONS" or request.one("access-control-request-method"):
        raise Refused("PreflightRefused", "No other page may ask this machine for anything.")
    if any(origin.lower() != f"http://{host}" for origin in request.all("origin")):
        raise Refused("OriginRefused", "Another page sent this request; only pages of this address may.")
    sites = {one.lower() for one in request.all("sec-fetch-site")}
    if sites & FOREIGN and not (page and sites == {"same-site"} and _by_a_link(request)):
        raise Refused(
            "OriginRefused", "Another site sent this request. Type the address, or come by Placet's own pages."
        )


def _host(request: Request, port: int) -> str:
    """The name in the request, which is one of this machine with the port that listens."""
    named = [one.lower() for one in request.all("host")]
    name, colon, number = named[0].rpartition(":") if len(named) == 1 else ("", "", "")
    if not colon and port == 80:
        name, number = named[0] if named else "", "80"
    if number != str(port) or not NAMES.fullmatch(name):
        raise Refused("HostRefused", "The request was meant for another host than this machine.")
    return named[0]


def _by_a_link(request: Request) -> bool:
    """Somebody is led here and sees the page; nothing is read or framed by the page that they come from."""
    how = (request.method, request.one("sec-fetch-mode"), request.one("sec-fetch-dest"), request.one("origin"))
    return how == ("GET", "navigate", "document", "")
