"""The deployed HTTP API answers on a port of its own: ``http://localhost:<port>/`` is its root.

MiniStack serves it at ``http://<id>.execute-api.localhost:<port>/``. Browsers resolve that name; Python's resolver, and
with it every agent, mostly does not. The path form cannot be used either: our pages link from the root.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from local.emulator.doors import App, Message, Receive, Send

Target = tuple[str, str, str]
MARK = "/_placet/api"  # before the path of a request to the API's port, which none of MiniStack's own addresses begins with


def apply() -> None:
    import ministack.app as app

    app._parse_execute_api_url = behind_the_mark(app._parse_execute_api_url, the_only_api)
    app.pin_signed_request = as_it_was_sent(app.pin_signed_request)


def the_only_api() -> str | None:
    """The id of the API; the product has one."""
    import ministack.services.apigateway as apis

    return next((key[-1] for key, _ in apis._apis.all_items()), None)


def authorization(method: str, path: str) -> str | None:
    """The kind of authorization of the API's route for this path, as it was sent; None when there is none."""
    import ministack.app as app

    target = app._parse_execute_api_url("", MARK + unquote(path))
    if target is None:
        return None
    stage, rest = app._resolve_stage_and_path(*target)
    found = app._execute_api_authorization_type(target[0], stage, method, rest)
    return None if found is None else str(found)


def marked(app: App, api_port: int) -> App:
    """Whatever comes to the API's port is for the API, whichever path and headers it has."""

    async def run(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["server"][1] == api_port:
            scope = {**scope, "path": MARK + scope["path"], "raw_path": MARK.encode() + scope["raw_path"]}
        await app(scope, receive, send)

    return run


def as_it_was_sent(pin: Callable[..., None]) -> Callable[..., None]:
    """The path that was signed is the one without the mark."""
    return lambda method, path, *others, **more: pin(method, path.removeprefix(MARK), *others, **more)


def behind_the_mark(
    parse: Callable[[str, str], Target | None], api: Callable[[], str | None]
) -> Callable[[str, str], Target | None]:
    """Requests with the mark belong to the API; all others are looked up as before."""

    def run(host: str, path: str) -> Target | None:
        api_id = api() if path.startswith(f"{MARK}/") else None
        if api_id is None:
            return parse(host, path)
        stage, _, rest = path.removeprefix(MARK).lstrip("/").partition("/")
        return api_id, stage or "$default", f"/{rest}"

    return run
