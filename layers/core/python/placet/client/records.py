"""What the gateway answers, as values. The fields are those of docs/api.md; absent ones are empty."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

RUNS = frozenset({"passed", "accepted", "edited"})
TEXTS = (
    "call", "tool", "framework_call_id", "interrupt_id", "state", "digest", "arguments", "reason", "decided_by",
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One call of a pause and how it was decided.

    Attributes:
        state: pending, passed, accepted, edited, rejected, expired or cancelled.
        digest, arguments: what may run, exactly; empty unless `may_run`.
        native: the answer in the framework's own shape, None while pending.
        fence: of the lease under which its run is resumed; 0 without one.
        decided_by: as pages show it, `Ingrid Solberg for Jonas Weber`; decided_by_name, decided_in_place_of: both names, the
            second one empty when the first decided by their own right.
        by_rule: it was rejected because nobody decided and the rule of its class rejects then; no person said no.
    """

    call: str
    tool: str
    framework_call_id: str
    interrupt_id: str
    state: str
    digest: str = ""
    arguments: str = ""
    reason: str = ""
    decided_by: str = ""
    native: dict[str, Any] | None = None
    fence: int = 0
    by_rule: bool = False
    decided_by_name: str = ""
    decided_in_place_of: str = ""

    @property
    def may_run(self) -> bool:
        """Whether the gateway holds a permit for it."""
        return self.state in RUNS

    @classmethod
    def of(cls, body: dict[str, Any], fence: int = 0) -> Call:
        """From a call in an answer of the gateway."""
        texts = {name: body.get(name) or "" for name in TEXTS}
        whom = body.get("by_whom") or {}
        texts |= {"decided_by_name": whom.get("name") or "", "decided_in_place_of": whom.get("in_place_of") or ""}
        return cls(**texts, native=body.get("native"), fence=fence, by_rule=body.get("by_rule") is True)


@dataclass(frozen=True)
class Pause:
    """A captured pause and where it stands.

    Attributes:
        state: waiting, decided or ended.
        run: the framework's name of the run; capture's answer does not repeat it.
        native_ref: what the framework needs to find the paused place again.
        say: what the end user may be told meanwhile.
        fence: names the lease under which it was taken; 0 when it was only looked at.
    """

    pause: str
    state: str
    calls: tuple[Call, ...]
    run: str = ""
    framework: str = ""
    native_ref: dict[str, str] = field(default_factory=dict)
    say: str = ""
    replayed: bool = False
    fence: int = 0

    @classmethod
    def of(cls, body: dict[str, Any]) -> Pause:
        """From an answer of the gateway, or from the event a resumed agent function is invoked with."""
        return cls(
            pause=body["pause"],
            state=body["state"],
            calls=tuple(Call.of(call, body.get("fence") or 0) for call in body["calls"]),
            run=body.get("run") or "",
            framework=body.get("framework") or "",
            native_ref=body.get("native_ref") or {},
            say=body.get("say") or "",
            replayed=bool(body.get("replayed")),
            fence=body.get("fence") or 0,
        )


@dataclass(frozen=True)
class Gates:
    """What must pause, generated from the policy. A tool that is not listed pauses."""

    policy_version: str
    tools: dict[str, str]

    def free(self, tool: str) -> bool:
        """Whether the tool runs without asking."""
        return self.tools.get(tool) == "free"


@dataclass(frozen=True)
class Resumes:
    """One page of the pick-up list, oldest first.

    Attributes:
        retry_after_s: the earliest moment to ask again.
        more: whether more pauses wait than came in this answer.
        next: where the next page begins; of pauses that were taken, behind which the next ones are looked for first.
    """

    pauses: tuple[Pause, ...]
    retry_after_s: float
    more: bool = False
    next: str = ""

    @classmethod
    def of(cls, body: dict[str, Any], retry_after_s: float) -> Resumes:
        """The page in an answer of the gateway."""
        pauses = tuple(Pause.of(item) for item in body["resumes"])
        return cls(pauses, retry_after_s, bool(body.get("more")), body.get("next") or "")


@dataclass(frozen=True)
class Permit:
    """A claimed permit: run exactly `arguments`, once.

    Attributes:
        worker: the name of this attempt; outcome is reported under it.
        idempotency_key: the same text for every attempt of this call.
    """

    call: str
    tool: str
    arguments: str
    digest: str
    idempotency_key: str
    worker: str
    replayed: bool = False
