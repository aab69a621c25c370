"""Results as the JSON of docs/api.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from placet.model.canonical import Lexeme
from placet.records.bodies import Body
from placet.records.heads import Head
from placet.service.answer import Answered
from placet.service.answers import as_resume
from placet.service.ask import Asked
from placet.service.asking_undo import Asked as UndoAsked
from placet.service.comment import Commented
from placet.service.decide import Decided
from placet.service.extend import Extended
from placet.service.happened import Question
from placet.service.ports import Ports
from placet.service.questions import OpenQuestion
from placet.service.reassign import Reassigned
from placet.service.undo import Undone
from placet.service.views import CallView, Detail, Inbox, InboxRow


def pause(ports: Ports, head: Head, body: Body | None = None, *, replayed: bool) -> dict[str, Any]:
    """A pause as its agent sees it, with what it may tell its user. `body` as in `as_resume`."""
    return as_resume(ports, head, body) | {"replayed": replayed, "say": _say(ports, head)}


def _say(ports: Ports, head: Head) -> str:
    """One plain sentence for the end user while a person is asked."""
    if not head.pending:
        return ""
    action_class = ports.policy.classes.get(head.pending[0].action_class)
    return action_class.say if action_class else "A person has to agree to this first."


def decided(answer: Decided) -> dict[str, Any]:
    """The stored answer to a decision."""
    return {
        "call": answer.call,
        "state": answer.state.value,
        "digest": answer.digest,
        "decided_by": answer.by,
        "by_whom": answer.by.parts,
        "decided_at": answer.at_ms,
        "replayed": answer.replayed,
    }


def undone(answer: Undone) -> dict[str, Any]:
    """The stored answer to who took a decision back."""
    return {
        "call": answer.call,
        "state": "pending",
        "revision": answer.revision,
        "digest": answer.digest,
        "undone_by": answer.by,
        "by_whom": answer.by.parts,
        "undone_at": answer.at_ms,
        "replayed": answer.replayed,
    }


def reassigned(answer: Reassigned) -> dict[str, Any]:
    """Whom a call was handed to."""
    return {
        "call": answer.call,
        "to": answer.to or None,
        "group": answer.group,
        "to_name": answer.to_name,
        "handed_by": answer.by_name,
        "by_whom": answer.by_name.parts,
        "handed_at": answer.at_ms,
        "replayed": answer.replayed,
    }


def undo_asked(asked: UndoAsked) -> dict[str, Any]:
    """The undo call that was asked for."""
    return {
        "call": asked.call,
        "undo": asked.pause,
        "tool": asked.tool,
        "state": asked.became,
        "replayed": asked.replayed,
    }


def extended(answer: Extended) -> dict[str, Any]:
    """The stored answer to an extension."""
    return {
        "call": answer.call,
        "deadline": answer.until_ms,
        "before": answer.before_ms,
        "extended_by": answer.by,
        "by_whom": answer.by.parts,
        "extended_at": answer.at_ms,
        "replayed": answer.replayed,
    }


def asked(answer: Asked) -> dict[str, Any]:
    """The stored answer to who asked."""
    return {
        "call": answer.call,
        "question": answer.question,
        "revision": answer.revision,
        "asked_by": answer.by,
        "by_whom": answer.by.parts,
        "asked_at": answer.at_ms,
        "replayed": answer.replayed,
    }


def answered(answer: Answered) -> dict[str, Any]:
    """The stored answer to an agent that answered."""
    return {
        "call": answer.call,
        "question": answer.question,
        "revision": answer.revision,
        "at": answer.at_ms,
        "replayed": answer.replayed,
    }


def open_question(one: OpenQuestion) -> dict[str, Any]:
    """A question as its agent gets it: it names a group and no person."""
    told = {"call": one.call, "question": one.question, "group": one.group, "at": one.at_ms}
    return {**told, "revision": one.revision, "text": one.text}


def commented(answer: Commented) -> dict[str, Any]:
    """The stored answer to a comment."""
    return {"pause": answer.pause, "comment": answer.number, "at": answer.at_ms, "replayed": answer.replayed}


def inbox(found: Inbox) -> dict[str, Any]:
    """The list of what waits."""
    return {"reviews": [_row(row) for row in found.rows], "more": bool(found.next), "next": found.next}


def _row(row: InboxRow) -> dict[str, Any]:
    facts = asdict(row)
    asked, deadline = facts.pop("asked_ms"), facts.pop("deadline_ms")
    for name in ("kept_out", "handed"):  # names and `sub`s of others; whether to this reader, the list does not know
        del facts[name]
    facts["may_decide"] = not row.why_not
    found: dict[str, Any] = _plain(facts | {"effect": row.effect.value, "asked_at": asked, "deadline": deadline})
    return found


def detail(found: Detail) -> dict[str, Any]:
    """A pause as a reviewer sees it."""
    return {
        "pause": found.pause,
        "run": found.run,
        "agent": found.agent,
        "framework": found.framework,
        "requester": found.requester,
        "not_compared": list(found.not_compared),
        "entity": found.entity,
        "asked_at": found.asked_ms,
        "deadline": found.deadline_ms,
        "policy_version": found.policy_version,
        "says": found.says,
        "confidence": Lexeme(found.confidence) if found.confidence else None,
        "numbers": {name: Lexeme(value) for name, value in found.numbers},
        "evidence": [asdict(one) for one in found.evidence],
        "calls": [_call(call) for call in found.calls],
        "extensions": [
            {"call": f"{found.pause}-{one.call}", "by": one.by, "by_whom": one.by.parts, "at": one.at_ms}
            | {"before": one.before_ms, "deadline": one.until_ms, "reason": one.reason}
            for one in found.extensions
        ],
        "earlier": [
            {
                "call": f"{found.pause}-{one.call}",
                "what": one.what,
                "by": one.by,
                "by_whom": one.by.parts,
                "at": one.at_ms,
            }
            | {"verdict": one.verdict or None, "reason": one.reason}
            for one in found.earlier
        ],
        "nobody_there": found.unheard,
        "questions": [_question(found.pause, one) for one in found.questions],
        "comments": [{"by": one.by, "by_you": one.by_you, "at": one.at_ms, "text": one.text} for one in found.comments],
    }


def _question(pause: str, one: Question) -> dict[str, Any]:
    asked = {"call": f"{pause}-{one.call}", "question": one.number, "by": one.by, "by_whom": one.by.parts}
    asked |= {"by_you": one.by_you, "at": one.at_ms}
    told = one.answer
    answer = None if told is None else {"at": told.at_ms, "revision": told.revision, "text": told.text}
    if answer is not None and told is not None:
        answer["evidence"] = [asdict(piece) for piece in told.evidence]
    return {**asked, "revision": one.revision, "text": one.text, "answer": answer}


def _call(call: CallView) -> dict[str, Any]:
    return {
        "call": call.call,
        "tool": call.tool,
        "title": call.headline.text,
        "state": call.state,
        "revision": call.revision,
        "digest": call.digest,
        "arguments": call.text,
        "schema": call.schema,
        "class": call.action_class,
        "effect": call.effect.value,
        "why": [{"rule": rule, "sentence": sentence} for rule, sentence in call.why],
        "known": list(call.known),
        "observed": call.observed,
        "sampled": call.sampled,
        "deadline": call.deadline_ms,
        "then": call.then,
        "latest_deadline": call.latest_ms or None,
        "may_ask": call.may_ask,
        "may_decide": call.may_decide,
        "why_not": call.why_not,
        "in_place_of": call.in_place_of,
        "handed": [
            {"to_name": one.to_name, "by_name": one.by_name, "by_whom": one.by_name.parts, "at": one.at_ms}
            for one in call.handed
        ],
        "asked": [{"groups": list(one.groups), "at": one.at_ms, "reached": one.reached} for one in call.asked],
        "reminds_at": call.remind_ms or None,
        "may_edit": call.may_edit,
        "type_to_accept": list(call.type_to_accept) if call.type_to_accept else None,
        "quorum": call.quorum,
        "votes": call.votes,
        "unreadable": [{"argument": name, "why": why} for name, why in call.unreadable],
        "notes": list(call.notes),
        "undo_until": call.undo_until_ms,
        "may_undo": call.may_undo,
        "undo_tool": call.undo_tool,
        "undone_by": list(call.undone_by),
        "undoes": call.undoes,
        "decided": _plain(asdict(call.decided)) | {"by_whom": call.decided.by.parts} if call.decided else None,
    }


def _plain(value: Any) -> Any:
    """Tuples as lists, for exact JSON."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
