"""Calls that a person proposes through the gateway, which runs them itself: so far those that take an executed one back."""

from __future__ import annotations

from typing import Any

from placet.model.errors import Invalid
from placet.model.ids import joined
from placet.model.pauses import NativePause, ProposedCall


def read(run: str, native: dict[str, Any]) -> NativePause:
    """The one call of such a pause. Its natural key is the call that it takes back, and which attempt at that it is."""
    try:
        undoes, attempt = native["undoes"], native["attempt"]
        call = ProposedCall(
            number=1,
            framework_call_id="",
            interrupt_id="",
            tool=native["tool"],
            arguments=native["arguments"],
            schema=native.get("schema"),
            takes_key=native["takes_key"],
        )
    except KeyError as missing:
        raise Invalid("native_invalid", f"What is proposed here has a {missing}.") from None
    return NativePause(joined("undo", undoes, str(attempt)), {"undoes": undoes}, (call,))
