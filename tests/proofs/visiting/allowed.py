"""What has to come in: the stack's own processes, SDKs, and people at its pages. A door that is always shut is no guard."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace

import boto3
from botocore.config import Config

from local.endpoint import Endpoint
from local.settings import REGION
from tests.proofs.visiting.asking import Ask, Sent, asks_of, plain, send, signed, with_lines
from tests.proofs.visiting.place import SECRET, TABLE, Place

LINK = (("sec-fetch-site", "same-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"))


def requests(place: Place) -> Iterator[Sent]:
    """Raw requests, each of which is answered."""
    harmless = {"scan", "machines", "capture", "page", "login"}
    for ask in asks_of(place, whole=True):
        if ask.name not in harmless:
            continue
        for host in (f"localhost:{ask.port}", f"127.0.0.1:{ask.port}", f"[::1]:{ask.port}", f"a.localhost:{ask.port}"):
            yield _made(place, ask, f"host {host}", host)
        good = _made(place, ask, "good", ask.host)
        yield with_lines(good, "origin ours", ("origin", f"http://{ask.host}"), ("sec-fetch-site", "same-origin"))
        yield with_lines(good, "typed", ("sec-fetch-site", "none"))
        if ask.name in ("page", "login"):
            yield with_lines(good, "by a link of the other port", *LINK)
        if ask.name in ("scan", "machines", "capture"):
            yield signed(ask, place.role, "signed by a role")
    settings = place.settings
    for name, port, path in (
        ("health", settings.gateway_port, "/_ministack/health"),
        ("health", settings.steps_port, "/moto-api/"),
        ("health", settings.bedrock_port, "/_bedrock/health"),
        ("keys of the pool", settings.gateway_port, f"/{place.pool}/.well-known/jwks.json"),
    ):
        yield plain(Ask(name, port, "GET", path))


def _made(place: Place, ask: Ask, how: str, host: str) -> Sent:
    if ask.service:
        return signed(ask, place.aws.root, how, host)
    return replace(with_lines(plain(ask), how, ("host", host)), how=how)


def programs(place: Place) -> dict[str, Callable[[], bool]]:
    """What programs do; each gives whether it went as it should."""

    def a_function_asks_the_interpreter() -> bool:
        event = json.dumps({"steps": place.settings.steps_endpoint}).encode()
        answer = place.aws.client("lambda").invoke(FunctionName="page", Payload=event)
        return bool(json.loads(answer["Payload"].read()) == 1)

    def an_object_by_its_address() -> bool:
        root = place.aws.root
        s3 = boto3.client(
            "s3",
            region_name=REGION,
            endpoint_url=place.settings.endpoint,
            aws_access_key_id=root.id,
            aws_secret_access_key=root.secret,
            config=Config(signature_version="s3v4"),
        )
        s3.create_bucket(Bucket="visited")
        s3.put_object(Bucket="visited", Key="a b/c+d", Body=b"text")
        url = s3.generate_presigned_url("get_object", Params={"Bucket": "visited", "Key": "a b/c+d"})
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - loopback only
            return bool(answer.read() == b"text")

    def a_table_by_a_role() -> bool:
        found = place.aws.client("dynamodb", place.role).scan(TableName=TABLE)["Items"]
        return bool(found == [{"pk": {"S": SECRET}}])

    def the_runtimes_own_page() -> bool:
        return "faults" in json.loads(Endpoint(place.settings.bedrock_endpoint).open("/_bedrock/state"))

    return {
        one.__name__: one
        for one in (a_function_asks_the_interpreter, an_object_by_its_address, a_table_by_a_role, the_runtimes_own_page)
    }


def shut_out(place: Place) -> tuple[int, list[str]]:
    """How many were tried, and a sentence for each that did not come in."""
    tried, found = 0, []
    for sent in requests(place):
        tried += 1
        status, headers, _ = send(sent)
        if not 200 <= status < 400:
            found.append(f"{sent} is shut out: {status}")
        if any(name.startswith("access-control-") for name in headers):
            found.append(f"{sent} is answered with CORS")
    for name, program in programs(place).items():
        tried += 1
        try:
            went = program()
        except Exception as error:
            found.append(f"{name}: {type(error).__name__} {error}")
        else:
            found += [] if went else [f"{name} did not go as it should"]
    return tried, found
