"""review: what a reviewer sees. Reads only; GET never changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.frameworks import adapter_of
from placet.model.canonical import digest as digest_of
from placet.model.canonical import exact_text
from placet.model.errors import NotFound
from placet.model.events import EventName
from placet.model.frameworks import OWN
from placet.model.pauses import Reviewer, call_id
from placet.model.people import is_comparable
from placet.model.states import CallState, PauseState, PermitState
from placet.policy.evaluate import fixed_in, tool_of
from placet.policy.rules import Tool
from placet.records import writes
from placet.records.bodies import Body
from placet.records.calls import HeadCall
from placet.records.facts import NOTHING, Fact, read_fact
from placet.records.heads import Head
from placet.service.ask import may_ask
from placet.service.asking import NOBODY
from placet.service.course import course, next_reminder, reminders_in
from placet.service.editing import edited
from placet.service.extend import latest_ms
from placet.service.headlines import headline, value_text
from placet.service.loading import arguments_of, body_of, call_of, head_of, readable
from placet.service.ports import Ports
from placet.service.questions import questions_in
from placet.service.rights import Right, Rights, head_for, standing_votes
from placet.service.standing import MAY_WAIT, Hindrance, check_standing, hindrance
from placet.service.talk import comments_in, earlier_in, extensions_in
from placet.service.typed import value_to_type
from placet.service.undo import is_open, may_have_a_say, may_undo
from placet.service.views import CallView, Decided, Detail, EditPreview, HandedOn


def detail(ports: Ports, reviewer: Reviewer, pause: str) -> Detail:
    """A pause with its calls. Raises NotFound when it is absent or no call of it is this person's to see."""
    head = head_for(ports, reviewer, pause)
    held = Rights(ports, reviewer)
    rights = {call.number: held.of(head, call) for call in head.calls}
    if not any(rights.values()):
        raise NotFound
    body = body_of(ports, head)
    shown = {call.number: arguments_of(ports, head, body, call) for call in head.calls}
    tells = head.said or any(map(_tells_more, head.calls))
    told = ports.table.query(ports.keys.pause(pause), "E#") if tells else []
    facts = dict(readable(ports, told, lambda item: (str(item["sk"]), read_fact(item))))
    now = ports.clock.now_ms()
    named = {"requester": head.requester, "owner": head.owner}
    return Detail(
        pause=pause,
        run=head.run,
        agent=head.agent,
        framework=head.framework,
        requester=head.requester,
        entity=body.entity,
        asked_ms=head.captured_ms,
        deadline_ms=head.deadline_ms,
        as_of_ms=now,
        state=head.state.value,
        calls=tuple(
            _call(ports, head, body, call, rights[call.number], reviewer, facts, now, shown) for call in head.calls
        ),
        evidence=body.evidence,
        says=body.says,
        policy_version=body.policy_version,
        not_compared=tuple(name for name, text in named.items() if text and not is_comparable(text)),
        confidence="" if body.confidence is None else str(body.confidence),
        numbers=tuple((name, str(value)) for name, value in body.numbers.items()),
        extensions=extensions_in(facts.values()),
        comments=comments_in(facts.values(), reviewer),
        questions=questions_in(ports, head, facts, reviewer),
        reminded=reminders_in(facts.values()),
        earlier=earlier_in(head, facts),
        unheard=head.stuck in NOBODY,
    )


def _tells_more(call: HeadCall) -> bool:
    """Whether events say more of a call than its head does: how it ended, when a later level was asked, when people were reminded,
    who agreed, or what was taken back."""
    return _is_closed(call) or call.level > 0 or call.reminded > 0 or call.round > 1 or bool(call.votes)


def _is_closed(call: HeadCall) -> bool:
    return call.state is not CallState.PENDING


def preview(ports: Ports, reviewer: Reviewer, pause: str, number: int, text: str, reason: str) -> EditPreview:
    """An edit as it would be decided. Changes nothing. Raises as `edited`, as `check_standing`, and NotFound."""
    calls = detail(ports, reviewer, pause).calls
    view = next((call for call in calls if call.number == number), None)
    if view is None:
        raise NotFound
    check_standing(view)
    head = head_of(ports, pause)
    arguments = edited(ports, head, call_of(head, number), text)
    tool = tool_of(ports.policy, view.tool)
    return EditPreview(
        call=view,
        text=exact_text(arguments),
        digest=digest_of(arguments),
        headline=headline(tool, arguments),
        rows=_differences(view.arguments, arguments),
        reason=reason,
        type_to_accept=value_to_type(tool, arguments, _beside(calls, view)),
    )


def _beside(calls: tuple[CallView, ...], view: CallView) -> list[dict[str, Any]]:
    return [one.arguments for one in calls if one.tool == view.tool and one.number != view.number]


def _call(
    ports: Ports,
    head: Head,
    body: Body,
    call: HeadCall,
    right: Right | None,
    reviewer: Reviewer,
    facts: dict[str, Fact],
    now: int,
    shown: dict[int, dict[str, Any]],
) -> CallView:
    arguments = shown[call.number]
    tool = tool_of(ports.policy, call.tool)
    standing = standing_votes(ports, head, call) if call.state is CallState.PENDING else {}
    against = hindrance(head, call, right, reviewer, standing, now)
    beside = [shown[one.number] for one in head.calls if one.tool == call.tool and one.number != call.number]
    return CallView(
        call=call_id(head.pause, call.number),
        number=call.number,
        tool=call.tool,
        headline=headline(tool, arguments),
        effect=tool.effect,
        consequence=tool.consequence,
        action_class=call.action_class,
        arguments=arguments,
        text=exact_text(arguments),
        digest=call.digest,
        revision=call.rev,
        schema=body.call(call.number).schema,
        why=body.fired.get(call.number, ()),
        deadline_ms=call.deadline_ms,
        state=call.state.value,
        may_decide=against is None,
        why_not=against.says if against else "",
        hindered=against.code if against else "",
        may_edit=against is None and not call.unreadable and right is not None and right.action_class.may_edit,
        fixed=tuple(sorted({*tool.fixed, *fixed_in(tool, arguments)})),
        type_to_accept=value_to_type(tool, arguments, beside),
        group=right.group if right else "",
        in_place_of=right.in_place_of.name if right and right.in_place_of else "",
        quorum=call.quorum,
        votes=_votes(call, standing),
        decided=_decided(head, body, call, arguments, facts, reviewer),
        unreadable=body.call(call.number).unreadable,
        notes=adapter_of(head.framework).notes(body.native, call.number),
        known=body.known.get(call.number, ()),
        observed=call.observed,
        sampled=call.sampled,
        undo_until_ms=call.undo_ms if is_open(head, call, now) else 0,
        may_undo=may_undo(head, call, right, reviewer, now),
        handed=tuple(
            HandedOn(one.to_name, one.by_name, one.at_ms)
            for one in sorted(call.handed.values(), key=lambda one: one.at_ms)
        ),
        undo_tool=_undo_tool(tool, head, call, right, reviewer),
        undone_by=_undone_by(facts, call.number),
        undoes=body.ref["undoes"] if head.framework == OWN else "",
        asked=course(ports, head, call, facts.values()),
        remind_ms=next_reminder(call),
        latest_ms=_latest(head, call, right, against),
        then=call.then,
        may_ask=may_ask(head, call, against),
        proposed=call.written_rev == 1,
    )


def _votes(call: HeadCall, standing: Mapping[str, Right]) -> int:
    """How many people agree to a call, or agreed to it. Where one is enough no vote is kept beside the decision."""
    if call.state is CallState.PENDING:
        return len(standing)
    return max(len(call.votes), call.state in (CallState.ACCEPTED, CallState.EDITED))


def _undo_tool(tool: Tool, head: Head, call: HeadCall, right: Right | None, reviewer: Reviewer) -> str:
    """The tool that takes a call back that ran, for whoever may propose that."""
    proposes = tool.undo is not None and call.permit is PermitState.DONE and may_have_a_say(head, call, right, reviewer)
    return tool.undo.tool if tool.undo is not None and proposes else ""


def _undone_by(facts: dict[str, Fact], number: int) -> tuple[str, ...]:
    """The pauses in which it was proposed to take a call back, in the order of the attempts."""
    told = f"E#{number}#undo#"
    found = [
        (int(sk.removeprefix(told)), fact.pause) for sk, fact in facts.items() if sk.startswith(told) and fact.pause
    ]
    return tuple(pause for _, pause in sorted(found))


def _latest(head: Head, call: HeadCall, right: Right | None, against: Hindrance | None) -> int:
    """The latest deadline that a person can give a call; who has agreed to it already may give the others more time."""
    if right is None or (against is not None and against.code not in MAY_WAIT):
        return 0
    latest = latest_ms(right.action_class, head, call)
    return latest if latest > call.deadline_ms else 0


def _decided(
    head: Head, body: Body, call: HeadCall, arguments: dict[str, Any], facts: dict[str, Fact], reviewer: Reviewer
) -> Decided | None:
    if not _is_closed(call):
        return None
    fact = facts.get(f"E#{writes.decided_fact(call)}", NOTHING)
    expired = [one for one in facts.values() if one.name == "expired" and call.number in one.calls]
    at_ms = fact.at_ms if fact.name else expired[0].at_ms if expired else 0
    edit = call.state is CallState.EDITED
    return Decided(
        state=call.state.value,
        by=fact.who,
        by_you=bool(fact.by) and fact.by == reviewer.sub,
        at_ms=at_ms,
        reason=fact.reason,
        before=body.call(call.number).text if edit else "",
        after=exact_text(arguments) if edit else "",
        permit=call.permit.value,
        ended=head.state is PauseState.ENDED,
        successor=head.successor if call.state is CallState.SUPERSEDED else "",
        by_rule=fact.name == EventName.RULED,
        observed=call.observed,
    )


def _differences(before: dict[str, Any], after: dict[str, Any]) -> tuple[tuple[str, str, str, bool], ...]:
    rows = []
    for name in [*before, *(name for name in after if name not in before)]:
        old = value_text(before[name]) if name in before else ""
        new = value_text(after[name]) if name in after else ""
        same = name in before and name in after and exact_text(before[name]) == exact_text(after[name])
        rows.append((name, old, new, not same))
    return tuple(sorted(rows, key=lambda row: not row[3]))
