"""Talk to a Bedrock agent through Placet, and ask where its run stands. No process of the caller has to wait for a person."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

from placet.client.evidence import fitted
from placet.client.gateway import Gateway
from placet.client.waiting import Pace

GOING = frozenset({"running", "resuming"})


@dataclass(frozen=True)
class Finished:
    """The agent has answered.

    Attributes:
        completion: what it said; `cut` when that was too long to be kept whole.
    """

    run: str
    completion: str
    cut: bool = False


@dataclass(frozen=True)
class Waiting:
    """A person has to decide about calls of the pause; `say` is what the end user may be told. Nothing needs to stay in memory."""

    run: str
    pause: str
    say: str


@dataclass(frozen=True)
class Going:
    """Nobody has to do anything: ask again later.

    Attributes:
        status: `running` (a turn is out) or `resuming` (everything is decided, and the answer is on its way).
    """

    run: str
    status: str
    say: str


@dataclass(frozen=True)
class Stopped:
    """The run does not go on by itself.

    Attributes:
        status: `stuck` (an operator was told), `failed` (the agent took nothing in), `inconclusive` (nobody knows what the turn
            came to; it proves neither that something was done nor that nothing was), `cancelled` or `ended`.
        code: what went wrong, empty when nothing did.
        why: what was wrong with a request of the agent that could not be put before a person, for who built it.
        pause: the one that it stopped at, if it did at one.
    """

    run: str
    status: str
    say: str
    code: str = ""
    pause: str = ""
    why: str = ""


Standing = Finished | Waiting | Going | Stopped


def invoke(gateway: Gateway, agent: str, run: str, text: str, *, key: str = "", **about: Any) -> Standing:
    """Send one turn of the user to the agent.

    Args:
        agent: its name in the registry; this process's role has to be the one that stands there.
        run: the caller's name of the conversation, 2 to 90 of letters, digits and `._:-`; the same again goes on with it.
        text: what the user says.
        key: names this turn, so that sending it again is not saying it twice; a fresh one when left out.
        about: entity, requester, evidence, facts, confidence, numbers, wait_at_most_s, docs/api.md; empty ones are not sent.
            Evidence is cut to what the gateway takes, and says so.

    Raises:
        GatewayRefused: `run_waits` (a person has to decide first; `pause` names what), `run_busy`, `text_invalid`, …
        GatewayUnavailable: no answer worth keeping. The turn may be out: `follow` says so, and the same `key` does not repeat it.
    """
    given = {name: value for name, value in about.items() if value not in (None, "", [], (), {})}
    if "evidence" in given:
        given["evidence"] = fitted(given["evidence"])
    return _standing(gateway.turn(agent, {"run": run, "text": text, "key": key or secrets.token_hex(16), **given}))


def follow(gateway: Gateway, run: str, patience_s: float = 0.0, *, pace: Pace | None = None) -> Standing:
    """Where a run stands once it has finished or stopped, or as it stands when patience is over. Changes nothing."""
    pace = pace or Pace(soon_s=0.5, longest_s=30.0)
    until = time.monotonic() + patience_s
    while True:
        answer = gateway.run(run)
        standing, left = _standing(answer.body), until - time.monotonic()
        if isinstance(standing, Finished | Stopped) or left <= 0:
            return standing
        time.sleep(min(pace.next_s(answer.retry_after_s), left))


def _standing(body: dict[str, Any]) -> Standing:
    run, status, say = body["run"], body["status"], body.get("say") or ""
    if status == "finished":
        return Finished(run, body.get("completion") or "", bool(body.get("cut")))
    if status == "waiting":
        return Waiting(run, body["pause"], say)
    if status in GOING:
        return Going(run, status, say)
    return Stopped(run, status, say, body.get("code") or "", body.get("pause") or "", body.get("why") or "")
