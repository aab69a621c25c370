"""A request to the relay as one to the stack behind it: the stack takes those only that name its own port, so it is signed anew, by
the same key."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from local.emulator import signatures
from local.emulator.keys import ROOM
from local.endpoint import Endpoint
from tests.cost.relay import Request


def to(aws: Endpoint) -> Callable[[Request], Request]:
    """What gives a request that was signed for the relay the address and a signature for this stack."""
    known: dict[str, signatures.Key] = {}

    def readdress(request: Request) -> Request:
        path, _, query = request.path.partition("?")
        came = signatures.Request(request.method, path, query, tuple(request.headers.items()), request.body)
        signature = signatures.read(came)
        key = known.get(signature.key_id) or known.setdefault(signature.key_id, _key(aws, signature.key_id))
        meant = replace(came, headers=(("host", urlsplit(aws.url).netloc),))
        now = datetime.datetime.now(datetime.UTC)
        return replace(
            request,
            headers=request.headers | signatures.signed(meant, key, signature.region, signature.service, now),
        )

    return readdress


def _key(aws: Endpoint, key_id: str) -> signatures.Key:
    told = json.loads(aws.open(ROOM + key_id))
    return signatures.Key(key_id, told["secret"], told["token"])
