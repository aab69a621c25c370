"""Asking for the undo of an executed call: by who may decide it, or an operator. `resume` makes it, which may capture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.model.errors import Busy, Conflict, Invalid, NotAllowed, NotFound, Refused, TooLarge
from placet.model.pauses import Reviewer, split_call_id
from placet.service.loading import call_of, not_frozen
from placet.service.ports import Ports, wired
from placet.service.rights import head_for, right_of
from placet.service.undo import check_person


@dataclass(frozen=True)
class Asked:
    """The undo call that waits for people, or passed: where it is."""

    call: str
    pause: str
    tool: str
    state: str
    replayed: bool


def ask_undo(ports: Ports, by: str, call: str) -> Asked:
    """Have the undo call of an executed one proposed. Raises as `undo_calls.propose`; Frozen, Busy."""
    split_call_id(call)
    not_frozen(ports)
    told = wired(ports.verbs).ask("resume", {"tenant": ports.keys.tenant, "undo": call, "by": by})
    if "refused" in told:
        raise _refusal(told["refused"])
    if not isinstance(told.get("pause"), str):
        raise Busy
    asked = Asked(call, told["pause"], told["tool"], told["state"], told["replayed"])
    if asked.state == "closed":  # the policy let it pass
        wired(ports.verbs).call("resume", {"tenant": ports.keys.tenant, "pause": asked.pause})
    return asked


def ask_undo_as_reviewer(ports: Ports, reviewer: Reviewer, call: str) -> Asked:
    """The same for a person who may decide the call, and is the requester of its undo then. Raises NotFound for anybody else."""
    pause, number = split_call_id(call)
    head = head_for(ports, reviewer, pause)
    current = call_of(head, number)
    check_person(head, current, reviewer, right_of(ports, reviewer, head, current))
    return ask_undo(ports, reviewer.email or reviewer.sub, call)


def _refusal(told: dict[str, Any]) -> Refused:
    if told["kind"] == "NotFound":
        return NotFound()
    return _KINDS.get(told["kind"], Conflict)(told["code"], told["detail"], **told["members"])


_KINDS: dict[str, type[Refused]] = {one.__name__: one for one in (Conflict, Invalid, NotAllowed, TooLarge)}
