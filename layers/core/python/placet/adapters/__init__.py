"""One file per framework, gateway side, pure: native pause to our calls, our decisions to the native answer."""

from __future__ import annotations

from typing import Any, Protocol

from placet.adapters import bedrock, langchain, own
from placet.model.errors import Invalid
from placet.model.frameworks import OWN
from placet.model.pauses import NativePause
from placet.model.states import CallState


class Adapter(Protocol):
    """What every framework's module offers."""

    def read(self, run: str, native: dict[str, Any]) -> NativePause:
        """The calls in a native pause. Raises Invalid `native_invalid` when it is not one this release understands."""

    def answer(self, state: CallState, tool: str, arguments: dict[str, Any], reason: str) -> dict[str, Any]:
        """The decision in the framework's own shape."""

    def notes(self, native: dict[str, Any], number: int) -> tuple[str, ...]:
        """Sentences for a reviewer on how the framework will take the decision on this call."""


ADAPTERS: dict[str, Adapter] = {"bedrock": bedrock, "langchain": langchain, OWN: own}


def adapter_of(framework: str) -> Adapter:
    """The adapter by the name an agent gave. Raises Invalid `framework_unknown`."""
    try:
        return ADAPTERS[framework]
    except KeyError:
        known = ", ".join(sorted(ADAPTERS.keys() - {OWN}))
        raise Invalid("framework_unknown", f"This gateway knows the frameworks: {known}.") from None
