"""Every error the SDK raises on purpose (x raised, + family only).

+ ClientError
  + GatewayError
    x GatewayRefused        the gateway understood and said no; `code` says why, asking again changes nothing
      x NotTaken            what the agent's own code says of a run, or a tool's schema, is not what the gateway takes
    x GatewayUnavailable    no answer worth keeping after all tries; nothing is lost, the same request may be sent again
  + NotRun                  a tool was not run, and nothing happened
    x NotReleased           a gated tool was called outside the resume of its own call
    x DigestDiffers         the permit's arguments are not those that were decided
  x Misused                 the SDK was called with what it cannot use; the message says what to write
  x NotExact                a value cannot be written as exact JSON
  x NotADelivery            a message is not signed by the gateway, or does not tell of a decided pause
  x OutcomeUnknown          raised *by a tool*: it may or may not have acted
  + RunError                the framework's run cannot be paused or resumed as it stands
    x NotGated              a tool of the agent is not behind its gate
    x SaverForgets          the checkpointer would lose a paused run with its process
    x RunIsPaused           new input for a run that waits for a decision
    x RunIsBusy             the run moved a moment ago, so another process seems to work on it
    x RunNotFound           the checkpointer does not know the run
    x NotCapturable         the run paused in a way the gateway cannot carry
    x StillPending          an answer was sent and the framework still asks
"""

from __future__ import annotations

from typing import Any


class ClientError(Exception):
    """Base of every deliberate error of the SDK."""


class GatewayError(ClientError):
    """The gateway did not do what was asked."""


class GatewayRefused(GatewayError):
    """The gateway understood and said no.

    Attributes:
        status: HTTP status.
        code: stable machine-readable name, `permit_claimed` for example; docs/api.md lists them.
        members: the other fields of the problem document; the message names its `problems`, each with its place.
    """

    def __init__(self, status: int, code: str, detail: str, members: dict[str, Any] | None = None) -> None:
        super().__init__(detail or code)
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members or {}

    def __str__(self) -> str:
        problems = [one for one in self.members.get("problems") or () if isinstance(one, dict)]
        listed = "; ".join(f"{one.get('at', '')}: {one.get('problem', '')}" for one in problems)
        said = [self.detail, f"({listed})" if listed else ""]
        return ": ".join(filter(None, [self.code, " ".join(filter(None, said))]))


class NotTaken(GatewayRefused):
    """What the agent's own code says of a run, or a tool's schema, is not what the gateway takes. No model can mend that.

    Attributes:
        todo: what to do now.
    """

    def __init__(self, status: int, code: str, detail: str, members: dict[str, Any] | None, todo: str) -> None:
        super().__init__(status, code, detail, members)
        self.todo = todo

    def __str__(self) -> str:
        return f"{super().__str__()} {self.todo}"


class GatewayUnavailable(GatewayError):
    """No answer worth keeping after all tries.

    Attributes:
        status: the last HTTP status, 0 when there was no answer at all.
        retry_after_s: seconds the gateway asked to wait, 0 when it did not say.
        problem: the problem document that the gateway itself answered with; empty of anybody else's answer.
    """

    def __init__(
        self, detail: str, status: int = 0, retry_after_s: float = 0.0, problem: dict[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.retry_after_s = retry_after_s
        self.problem = problem or {}

    @property
    def passes(self) -> bool:
        """Whether it may be gone in a while. What AWS refuses the gateway (502 with a code) somebody has to mend."""
        return self.status != 502 or not self.problem


class NotRun(ClientError):
    """A tool was not run, and nothing happened."""


class NotReleased(NotRun):
    """A gated tool was called outside the resume of its own call."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"{tool} was not run: it acts only while the decision on exactly this call is being resumed.")


class DigestDiffers(NotRun):
    """The permit's arguments are not those that were decided."""


class Misused(ClientError):
    """The SDK was called with what it cannot use; nothing was asked and nothing was started."""


class NotExact(ClientError):
    """A value cannot be written as exact JSON: NaN, Infinity, or a type JSON does not have. The message names its place."""


class NotADelivery(ClientError):
    """A message is not signed by the gateway, or does not tell of a decided pause. Nothing may be done because of it."""


class OutcomeUnknown(ClientError):
    """Raised by a tool that cannot tell whether it acted; the permit becomes `unknown` and a person looks."""


class RunError(ClientError):
    """The framework's run cannot be paused or resumed as it stands."""


class NotGated(RunError):
    """A tool of the agent is not behind its gate: nobody would be asked before it acts."""


class SaverForgets(RunError):
    """The checkpointer would lose a paused run with its process."""


class RunIsPaused(RunError):
    """New input for a run that waits for a decision; LangGraph would drop the pause without a word."""


class RunIsBusy(RunError):
    """The run moved a moment ago, so another process seems to work on it."""


class RunNotFound(RunError):
    """The checkpointer does not know the run."""


class NotCapturable(RunError):
    """The run paused in a way the gateway cannot carry."""


class StillPending(RunError):
    """An answer was sent and the framework still asks."""
