"""An edit of a call: what it must keep of the proposal, and what makes it another call."""

from __future__ import annotations

from typing import Any

from placet.model.canonical import MAX_BODY_BYTES, canonical, canonical_of, exact_text, parse
from placet.model.errors import Invalid, NotAllowed, TooLarge
from placet.policy.evaluate import fixed_in, tool_of
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.heads import Head
from placet.service.denials import denials
from placet.service.loading import arguments_of, body_of
from placet.service.mistyped import told
from placet.service.ports import Ports
from placet.service.schemas import check_arguments


def edited(ports: Ports, head: Head, call: HeadCall, text: str) -> dict[str, Any]:
    """The arguments of an edit, checked against everything an edit must keep.

    Raises:
        Invalid: `json_…`, as `check_arguments`, `edit_changes_nothing`, `argument_fixed`.
        NotAllowed: `edit_not_allowed`, `edit_changes_class`, `edit_denied`.
        TooLarge: `body_too_large`.
    """
    body = body_of(ports, head)
    action_class = ports.policy.classes[call.action_class]
    if not action_class.may_edit:
        raise NotAllowed("edit_not_allowed", f"Calls of the class {action_class.name} may not be edited.")
    arguments = _parsed(text)
    if not isinstance(arguments, dict):
        raise Invalid("arguments_break_schema", "The arguments must be a JSON object.", problems=[])
    check_arguments(arguments, body.call(call.number).schema)
    before = arguments_of(ports, head, body, call)
    _check_size(ports, head, call, body, before, arguments)
    if canonical(before) == canonical(arguments):
        raise Invalid(
            "edit_changes_nothing", "The edited arguments are the proposed ones. Accept, or change something."
        )
    for name in fixed_in(tool_of(ports.policy, call.tool), before | arguments):
        if canonical_of(before, name) != canonical_of(arguments, name):
            raise Invalid("argument_fixed", f"The policy fixes {name}; an edit may not change it.", argument=name)
    if tool_of(ports.policy, call.tool).action_class != action_class.name:
        raise NotAllowed(
            "edit_changes_class", "The edited call belongs to another class; its people have to decide it."
        )
    # Else it would be accepted here, and refused when its permit is claimed.
    if denied := denials(ports, head, body, call, arguments):
        why = " ".join(sentence for _, sentence in denied)
        raise NotAllowed("edit_denied", f"The policy forbids the edited call. {why}")
    return arguments


def _check_size(
    ports: Ports, head: Head, call: HeadCall, body: Body, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """What edits make of all calls of a pause is no more than a request may propose: it has to fit into one answer.

    Raises TooLarge `body_too_large`.
    """
    if _bytes(after) <= _bytes(before):
        return
    others = [arguments_of(ports, head, body, one) for one in head.calls if one.number != call.number]
    if _bytes(after) + sum(map(_bytes, others)) > MAX_BODY_BYTES:
        limit = f"at most {MAX_BODY_BYTES} bytes"
        raise TooLarge(
            "body_too_large", f"The arguments of all calls of a pause have {limit} together.", limit=MAX_BODY_BYTES
        )


def _bytes(arguments: dict[str, Any]) -> int:
    return len(exact_text(arguments).encode())


def _parsed(text: str) -> Any:
    """The value of an edit's text: the body around it was read, so what is wrong is this field."""
    try:
        return parse(text)
    except Invalid as error:
        says = told(text) if error.code == "json_invalid" else error.detail
        raise Invalid(error.code, says, **error.members) from None
