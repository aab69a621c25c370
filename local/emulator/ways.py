"""Which way a request to the AWS emulator or to the API may come in: what people and strangers may reach on AWS, and nothing else,
comes without a signature."""

from __future__ import annotations

import re
from collections.abc import Callable

from local.emulator.doors import Way
from local.emulator.signatures import Request, is_signed

PAGES = {("GET", "/oauth2/authorize"), ("GET", "/logout")}  # people are sent there by the API's pages
LOGIN = {
    *PAGES,
    ("POST", "/oauth2/login"),
    ("POST", "/login"),
    ("POST", "/oauth2/token"),
    ("GET", "/oauth2/userInfo"),
    ("GET", "/_ministack/health"),
}
WELL_KNOWN = re.compile(r"/[\w-]+/\.well-known/(jwks\.json|openid-configuration)")
POOL = "AWSCognitoIdentityProviderService."


def of_aws(unsigned_calls: Callable[[], frozenset[str]]) -> Callable[[Request], Way]:
    """The emulator's port: the login pages and the pool's keys are open, everything else is AWS and signed, but for
    ``unsigned_calls`` of the user pool."""

    def way(request: Request) -> Way:
        where, target = (request.method, request.path), request.one("x-amz-target")
        if is_signed(request):
            return Way()
        if target.startswith(POOL):
            return Way(signed=target.removeprefix(POOL) not in unsigned_calls() or where != ("POST", "/"))
        well_known = request.method == "GET" and WELL_KNOWN.fullmatch(request.path)
        aws = any(name.startswith("x-amz") for name, _ in request.headers)
        return Way(page=where in PAGES, signed=aws or not (where in LOGIN or well_known))

    return way


def of_api(authorization: Callable[[str, str], str | None]) -> Callable[[Request], Way]:
    """The API's port: its pages and tokens are its own matter, and a route for IAM takes signed requests only.

    ``authorization`` says what kind the route of a method and path has; None when there is no such route.
    """

    def way(request: Request) -> Way:
        return Way(page=True, signed=authorization(request.method, request.path) == "AWS_IAM")

    return way
