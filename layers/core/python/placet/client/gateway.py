"""The gateway as an agent sees it: one method per route of docs/api.md, framework-free."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol
from urllib.parse import quote

import botocore.session

from placet.client.address import address
from placet.client.aws_setup import aws_setup
from placet.client.errors import ClientError
from placet.client.evidence import BODY_BYTES, EVIDENCE_BYTES, MARGIN_BYTES, fitted, readable, shortened_words
from placet.client.exact import to_text
from placet.client.records import Gates, Pause, Permit, Resumes
from placet.client.region import region_of
from placet.client.transport import Answer, Transport
from placet.client.usage import check_has, check_list, check_name, check_one_of, check_text

RESULT_CHARACTERS = 4_096
MOST_SKIPPED = 100
OUTCOMES = ("done", "failed", "unknown")


class Session(Protocol):
    """What is needed of a botocore or boto3 session."""

    def get_credentials(self) -> Any:
        """Resolvable AWS credentials, or None."""


class Sends(Protocol):
    """The one seam: sends a request and gives its answer. `Transport` is the real one."""

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        """One request."""


class Gateway:
    """A Placet gateway, called under this process's own IAM role.

    Args:
        url: base address of the API; PLACET_URL when left out.
        region: AWS_REGION (or AWS_DEFAULT_REGION) when left out.
        session: a botocore or boto3 session; the usual chain of credentials when left out.
        transport: in place of all three, for tests.

    Raises (every method): GatewayRefused with the gateway's code; GatewayUnavailable when it does not answer.
    """

    def __init__(
        self,
        url: str | None = None,
        region: str | None = None,
        session: Session | None = None,
        *,
        transport: Sends | None = None,
    ) -> None:
        self._transport = transport or _transport(url, region, session)

    def capture(self, framework: str, run: str, native: dict[str, Any], **about: Any) -> Pause:
        """Store a paused run. The same pause again is answered with what is stored (`replayed`).

        Args:
            native: the pause as the framework gave it (docs/api.md has the shape); numbers are written exactly.
            about: entity, requester, evidence, says, facts, parent, wait_at_most_s, confidence, numbers, before; empty ones
                are not sent, but for `before`. Evidence and says are cut to what the gateway takes, and say so.
        """
        check_name("run", run, "as the framework does")
        given = {name: value for name, value in about.items() if value not in (None, "", [], (), {})}
        if isinstance(about.get("before"), str):
            given["before"] = about["before"]
        check_text("says", given.get("says", ""))
        if "says" in given:
            given["says"] = shortened_words(given["says"])
        pieces = given.pop("evidence", [])
        check_list("evidence", pieces, 'written [{"title": "…", "text": "…"}]')
        told = {"framework": framework, "run": run, "native": native, **given}
        room = BODY_BYTES - MARGIN_BYTES - len(to_text(told).encode())
        evidence = fitted(pieces, min(EVIDENCE_BYTES, room))
        body = to_text({**told, "evidence": evidence} if evidence else told)
        return Pause.of(self._transport.send("POST", "/v1/pauses", body).body)

    def pause(self, pause: str) -> Pause:
        """Where a pause stands."""
        return Pause.of(self._transport.send("GET", f"/v1/pauses/{_named('pause', pause)}").body)

    def status(self, pause: str) -> dict[str, Any]:
        """What the person who waits for a pause may be told; `placet.client.status.waiting` says it."""
        return self._transport.send("GET", f"/v1/pauses/{_named('pause', pause)}/status").body

    def questions(self, pause: str) -> list[dict[str, Any]]:
        """What was asked about the calls of a pause and has no answer yet; `placet.client.questions` reads it."""
        found: list[dict[str, Any]] = self._transport.send("GET", f"/v1/pauses/{_named('pause', pause)}").body[
            "questions"
        ]
        return found

    def answer(self, call: str, question: int, text: str, evidence: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Answer a question about a call that waits, which is a new revision by that. Evidence is cut to what the gateway takes.

        Raises GatewayRefused `answer_too_late`, `question_answered`.
        """
        check_text("text", text)
        sent: dict[str, Any] = {"call": call, "question": question, "text": readable(text)}
        sent |= {"evidence": fitted(evidence)} if evidence else {}
        return self._send_json(f"/v1/pauses/{_named('call', call).rpartition('-')[0]}/answer", sent)

    def gates(self) -> Gates:
        """What must pause."""
        body = self._transport.send("GET", "/v1/gates").body
        return Gates(body["policy_version"], dict(body["tools"]))

    def resumes(self, after: str = "") -> Resumes:
        """Decided pauses of this agent that no process has resumed yet, oldest first: one page, behind that of `next`."""
        path = f"/v1/resumes?after={quote(after, safe='')}" if after else "/v1/resumes"
        answer = self._transport.send("GET", path)
        return Resumes.of(answer.body, answer.retry_after_s)

    def take(self, pause: str = "", limit: int = 1, *, skip: Sequence[str] = (), after: str = "") -> Resumes:
        """Decided pauses under a lease (`fence`, two minutes): nobody else gets them meanwhile. One by name, or the oldest.

        An empty answer: nothing is decided, or somebody else holds it.

        Args:
            skip: not these, which could not be used here a while ago; at most MOST_SKIPPED.
            after: `next` of the last answer: those behind it come first.
        """
        body: dict[str, Any] = {"limit": limit, "request": secrets.token_urlsafe(9)}
        body |= {name: value for name, value in (("pause", pause), ("skip", list(skip)), ("after", after)) if value}
        answer = self._transport.send("POST", "/v1/resumes", to_text(body))
        return Resumes.of(answer.body, answer.retry_after_s)

    def renew(self, pause: str, fence: int) -> None:
        """Keep a lease. Raises GatewayRefused `lease_lost` when somebody else has it now."""
        self._send_json(f"/v1/resumes/{_named('pause', pause)}/lease", {"fence": fence})

    def release(self, pause: str, fence: int) -> None:
        """Give back a lease that cannot be used here: others get the pause at once. Raises GatewayRefused `lease_lost`."""
        self._send_json(f"/v1/resumes/{_named('pause', pause)}/release", {"fence": fence})

    def cancel(self, pause: str, reason: str, successor: str = "") -> tuple[str, ...]:
        """The run does not want a pause any more; late decisions are told so.

        Gives the ids of calls whose permit was out: those may have run, and a person looks at them.
        """
        body = {"reason": reason, **({"successor": successor} if successor else {})}
        return tuple(self._send_json(f"/v1/pauses/{_named('pause', pause)}/cancel", body)["claimed"])

    def claim(self, call: str, digest: str, worker: str, fence: int = 0, *, renews: bool = False) -> Permit:
        """Claim the permit of a decided call for one attempt; run exactly its `arguments` afterwards.

        Args:
            renews: you call `renew_claim` every 40 seconds until you report. Two minutes of silence then count as death.

        Raises GatewayRefused `permit_claimed`, `permit_settled`, `call_not_approved`, `digest_differs`, `permit_stale`,
        `call_cancelled`, `already_resumed`, `policy_denies`, `lease_lost` or `epoch_differs`: then nothing may run.
        """
        sent: dict[str, Any] = {"digest": digest, "worker": worker, **({"fence": fence} if fence else {})}
        sent |= {"renews": True} if renews else {}
        body = self._send_json(f"/v1/calls/{_named('call', call)}/claim", sent)
        return Permit(
            call=body["call"],
            tool=body["tool"],
            arguments=body["arguments"],
            digest=body["digest"],
            idempotency_key=body["idempotency_key"],
            worker=worker,
            replayed=bool(body.get("replayed")),
        )

    def renew_claim(self, call: str, worker: str) -> None:
        """Say that the attempt goes on. Raises GatewayRefused `claim_lost`: it was given up; report its outcome all the same."""
        self._send_json(f"/v1/calls/{_named('call', call)}/renew", {"worker": worker})

    def outcome(self, call: str, worker: str, permit: str, result: str = "") -> None:
        """Report a claimed permit as `done`, `failed` or `unknown`; `result` is cut to 4,096 characters."""
        check_text("result", result)
        check_one_of("permit", permit, OUTCOMES)
        body = {"worker": worker, "permit": permit, "result": result[:RESULT_CHARACTERS]}
        self._send_json(f"/v1/calls/{_named('call', call)}/outcome", body)

    def resumed(self, pause: str, fence: int = 0) -> None:
        """Report that the run has gone on; the pause leaves the pick-up list."""
        sent = {"state": "resumed", **({"fence": fence} if fence else {})}
        self._send_json(f"/v1/resumes/{_named('pause', pause)}/outcome", sent)

    def turn(self, agent: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send one turn to a Bedrock agent; `placet.client.bedrock.invoke` reads the answer."""
        return self._send_json(f"/v1/agents/{_named('agent', agent)}/invoke", body)

    def run(self, run: str) -> Answer:
        """Where a run stands, and when to ask again; `placet.client.bedrock.follow` reads it."""
        return self._transport.send("GET", f"/v1/runs/{_named('run', run)}")

    def _send_json(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._transport.send("POST", path, to_text(body)).body


def operations(url: str | None = None, region: str | None = None, session: Session | None = None) -> Sends:
    """The operators' routes, signed under the caller's own role. Raises ClientError when address or credentials are missing."""
    return _transport(url, region, session)


def _named(what: str, value: Any) -> str:
    """An id as it stands in an address. Raises Misused for what names nothing: another address would be asked."""
    return quote(check_name(what, value), safe="")


def _transport(url: str | None, region: str | None, session: Session | None) -> Transport:
    url = address(url)
    check_text("region", region or "")
    if session is not None:
        check_has(
            "session", session, "get_credentials", "botocore.session.Session(); a profile's name stands in AWS_PROFILE"
        )
    with aws_setup():
        session = session or botocore.session.Session()
        region = region_of(region, session)
        credentials = session.get_credentials()
    if not region:
        raise ClientError("The AWS region is not known: pass region or set AWS_REGION.")
    if credentials is None:
        raise ClientError("There are no AWS credentials: the agent proves who it is by its IAM role.")
    return Transport(url, region, partial(_frozen, credentials))


def _frozen(credentials: Any) -> Any:
    """As they are now; they are fetched anew while a run waits, which may fail then."""
    with aws_setup():
        return credentials.get_frozen_credentials()
