"""One run of a Bedrock agent per state, written by whatever code is on the path, printed as JSON, as `scenes.py` is by `make.py`.

Each has a table of its own, and says what a session of Bedrock has to have heard to stand where that run's session stood.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from local.bedrock import Fault, Mode, refund_agent
from placet.aws.expressions import to_wire
from placet.model.errors import Busy
from tests.bedrock.desk import ONE, TTL_S, Desk
from tests.bedrock.test_inline import INLINE, Inline

THEN = "refund ORD-7 50000 then refund ORD-8 60000"
Scene = Callable[[Desk], str]  # plays on a desk; the text that its session heard last


def asked(made: Desk) -> str:
    made.asks()
    return ONE


def confirm_asked(made: Desk) -> str:
    return asked(made)


def inline_asked(made: Desk) -> str:
    return asked(made)


def accepted(made: Desk) -> str:
    made.ends(made.asks(), 1, "accept")
    return ONE


def confirm_edited(made: Desk) -> str:
    made.ends(made.asks(), 1, "edit")
    return ONE


def inline_accepted(made: Desk) -> str:
    return accepted(made)


def asked_again(made: Desk) -> str:
    """Its first call ran, its second one waits."""
    head = made.asks(THEN)
    made.ends(head, 1, "accept")
    made.resumes(head.pause)
    made.seen(made.status().pause)
    return "refund ORD-8 60000"


def answer_lost(made: Desk) -> str:
    """The call ran, and the response to the answer never came."""
    head = made.asks()
    made.ends(head, 1, "accept")
    made.runtime.faults.arm(Fault.LOST, "answer")
    with suppress(Busy):
        made.resumes(head.pause)
    return ONE


def finished(made: Desk) -> str:
    made.say("ask")
    return "ask"


def refused(made: Desk) -> str:
    """Its control could not be read."""
    made.say("untyped type")
    return "untyped type"


def inconclusive(made: Desk) -> str:
    """Nobody knows what its turn came to."""
    made.runtime.faults.arm(Fault.TRUNCATED, "text")
    made.say("ask")
    return "ask"


SCENES: list[Scene] = [
    asked,
    confirm_asked,
    inline_asked,
    accepted,
    confirm_edited,
    inline_accepted,
    asked_again,
    answer_lost,
    finished,
    refused,
    inconclusive,
]


def desk_of(name: str) -> Desk:
    """A desk whose agent is built as this scene's."""
    if name.startswith("inline"):
        return Inline(target=INLINE, run=name)
    mode = Mode.CONFIRM if name.startswith("confirm") else Mode.RESULT
    return Desk(script=refund_agent(mode, idle_ttl_s=TTL_S, complies=True), run=name)


def story(scene: Scene) -> dict[str, Any]:
    """What a scene leaves behind."""
    made = desk_of(scene.__name__)
    try:
        heard = scene(made)
        return {
            "heard": heard,
            "at_ms": made.clock.at_ms,
            "bodies": getattr(made.bodies, "texts", {}),
            "items": [to_wire(item) for _, item in sorted(made.table.items.items())],
        }
    finally:
        made.server.stop()


def main(commit: str, date: str, subject: str) -> None:
    told = {"commit": commit, "date": date, "subject": subject, "runs": {one.__name__: story(one) for one in SCENES}}
    print(json.dumps(told, indent=1, ensure_ascii=True, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
