"""The deployed HTTP API answers on a port of its own: ``http://localhost:<port>/`` is its root.

MiniStack serves it at ``http://<id>.execute-api.localhost:<port>/``. Browsers resolve that name; Python's resolver, and
with it every agent, mostly does not. The path form cannot be used either: our pages link from the root.
"""

from __future__ import annotations

from collections.abc import Callable

Target = tuple[str, str, str]


def apply(api_port: int) -> None:
    import ministack.app as app

    app._parse_execute_api_url = on_port(app._parse_execute_api_url, api_port, the_only_api)


def the_only_api() -> str | None:
    """The id of the API; the product has one."""
    import ministack.services.apigateway as apis

    return next((key[-1] for key, _ in apis._apis.all_items()), None)


def on_port(
    parse: Callable[[str, str], Target | None], api_port: int, api: Callable[[], str | None]
) -> Callable[[str, str], Target | None]:
    """Requests whose Host names this port belong to the API; all others are looked up as before."""
    hosts = {f"localhost:{api_port}", f"127.0.0.1:{api_port}"}

    def run(host: str, path: str) -> Target | None:
        api_id = api() if host in hosts else None
        if api_id is None:
            return parse(host, path)
        stage, _, rest = path.lstrip("/").partition("/")
        return api_id, stage or "$default", f"/{rest}"

    return run
