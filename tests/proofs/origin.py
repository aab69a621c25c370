"""Nobody else on a developer's machine: pages of others and unsigned programs against every port that the local mode opens.

Each port is tried by raw requests and from real Chromium; nothing that may not come in is answered, nothing changes, nothing is
read across origins, and what has to come in does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from botocore.exceptions import ClientError

from tests.proofs import Proof, Size
from tests.proofs.visiting import allowed, attacks, chromium
from tests.proofs.visiting.asking import Sent, send
from tests.proofs.visiting.chromium import REFUSED, Looked
from tests.proofs.visiting.place import SECRET, Place, opened

PORTS, REQUESTS, ALLOWED, IN_CHROMIUM = 4, 200, 40, 20


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """The quick size tries one thing of each port; the full one all of them."""
    with opened() as place:
        say(f"origin: ports {', '.join(map(str, sorted(place.listening())))}")
        return judged(
            place, lambda: raw(place, whole=not size.quick), lambda: chromium.look(place, whole=not size.quick)
        )


def raw(place: Place, whole: bool) -> Looked:
    """Raw requests of both kinds."""
    looked = Looked()
    looked.allowed, looked.shut_out = allowed.shut_out(place)
    before = place.state()
    for sents in (attacks.unsigned(place), attacks.from_other_pages(place, whole)):
        _tried(sents, looked)
    after = _state(place)
    if after != before:
        looked.let_in.append(f"something changed: {before} became {after}")
    return looked


def _state(place: Place) -> dict[str, Any]:
    """What is there; a sentence when what was there is not."""
    try:
        return place.state()
    except ClientError as error:
        return {"gone": str(error)}


def _tried(sents: Iterable[Sent], looked: Looked) -> None:
    for sent in sents:
        looked.requests += 1
        status, headers, body = send(sent)
        if status not in REFUSED:
            looked.let_in.append(f"{sent} was answered {status}")
        if SECRET.encode() in body or any(name.startswith("access-control-") for name in headers):
            looked.let_in.append(f"{sent} was told more than it may know")


def judged(place: Place, *ways: Callable[[], Looked]) -> Proof:
    """All ways together."""
    begun = time.monotonic()
    open_ports, looked = place.listening(), [way() for way in ways]
    let_in = [one for way in looked for one in way.let_in]
    shut_out = [one for way in looked for one in way.shut_out]
    requests, in_allowed = sum(way.requests for way in looked), sum(way.allowed for way in looked)
    violations = [*let_in, *shut_out]
    if open_ports != set(place.settings.ports) or len(open_ports) < PORTS:
        violations.append(f"ports {sorted(open_ports)} are open and {sorted(place.settings.ports)} were tried")
    if requests < REQUESTS or in_allowed < ALLOWED:
        violations.append(f"too little was tried: {requests} requests, {in_allowed} that have to come in")
    if len(looked) > 1 and looked[1].requests < IN_CHROMIUM:
        violations.append(f"Chromium reached a port {looked[1].requests} times only")
    figures = {
        "ports": len(open_ports),
        "requests": requests,
        "let_in": len(let_in),
        "allowed": in_allowed,
        "shut_out": len(shut_out),
    }
    told = [f"{way.requests} requests that may not come in, {way.allowed} that have to" for way in looked]
    table = "\n".join(
        [f"by hand: {told[0]}", *(f"in Chromium: {one}" for one in told[1:]), f"{time.monotonic() - begun:.1f} s"]
    )
    return Proof("origin", table, figures, violations)
