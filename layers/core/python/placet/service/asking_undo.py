"""Asking for the undo of an executed call: by who may decide it, or an operator. `resume` makes it, which may capture."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from placet.model.errors import Busy, Conflict, Invalid, NotAllowed, NotFound, Refused, TooLarge
from placet.model.pauses import Reviewer, split_call_id
from placet.model.people import is_comparable, is_one_person
from placet.service.loading import call_of, not_frozen
from placet.service.ports import Ports, wired
from placet.service.rights import head_for, right_of
from placet.service.undo import check_person


@dataclass(frozen=True)
class Asked:
    """The undo call that waits for people, passed, or was denied: where it is.

    Attributes:
        state: of its pause.
        became: the state of the call itself; empty of a gateway that does not say yet.
    """

    call: str
    pause: str
    tool: str
    state: str
    became: str
    replayed: bool


def ask_undo(ports: Ports, by: str, call: str, names: Collection[str] = ()) -> Asked:
    """Have the undo call of an executed one proposed. Raises as `undo_calls.propose`; Frozen, Busy.

    Args:
        by: who asks, as people read it.
        names: every name of whoever asks: they do not decide it, whatever their address is by then.
    """
    split_call_id(call)
    not_frozen(ports)
    told = wired(ports.verbs).ask(
        "resume", {"tenant": ports.keys.tenant, "undo": call, "by": by, "names": sorted(names)}
    )
    if "refused" in told:
        raise _refusal(told["refused"])
    if not isinstance(told.get("pause"), str):
        raise Busy
    asked = Asked(call, told["pause"], told["tool"], told["state"], told.get("became", ""), told["replayed"])
    if asked.state == "closed":  # the policy let it pass
        wired(ports.verbs).call("resume", {"tenant": ports.keys.tenant, "pause": asked.pause})
    return asked


def ask_undo_as_reviewer(ports: Ports, reviewer: Reviewer, call: str) -> Asked:
    """The same for a person who may decide the call, and is the requester of its undo then. Raises NotFound for anybody else."""
    pause, number = split_call_id(call)
    head = head_for(ports, reviewer, pause)
    current = call_of(head, number)
    check_person(head, current, reviewer, right_of(ports, reviewer, head, current))
    return ask_undo(ports, reviewer.email or reviewer.sub, call, reviewer.names)


def ask_undo_as_operator(ports: Ports, operator: str, call: str) -> Asked:
    """The same for an operator, `role/session name`, who is kept from deciding it as the person whom the session's name names.

    The caller may have chosen that name: one address or `sub` keeps out one person and no list of them, and without one nobody
    could tell who must not decide.

    Raises NotAllowed `operator_unnamed`.
    """
    name = operator.partition("/")[2]
    if not (is_comparable(name) and is_one_person(name) and name.count("@") <= 1):
        raise NotAllowed(
            "operator_unnamed",
            "Whoever proposes this must not decide it, so your session has to be called as you are here: by one mail address. "
            "Assume the role with your address as the session name, or let somebody who may decide the call propose it.",
        )
    return ask_undo(ports, operator, call, (operator, name))


def _refusal(told: dict[str, Any]) -> Refused:
    if told["kind"] == "NotFound":
        return NotFound()
    return _KINDS.get(told["kind"], Conflict)(told["code"], told["detail"], **told["members"])


_KINDS: dict[str, type[Refused]] = {one.__name__: one for one in (Conflict, Invalid, NotAllowed, TooLarge)}
