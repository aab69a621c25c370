"""What rests on a badge: its session ends, or the next sign-in says something else, by the time of the write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from placet.model.pauses import Reviewer, call_id
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.heads import Head
from placet.service import badges, members, sessions
from placet.service.decide import Decided
from placet.service.reassign import Reassigned, reassign
from placet.service.sessions import LIFE_MS
from placet.service.undo import Undone, undo
from tests.gateway import REFUND
from tests.proofs.clauses.stage import Stage, scenario

CLARA = Reviewer("clara", "Clara Clark", "clara@example.com")


def signed_in(stage: Stage, **changes: object) -> tuple[Head, Reviewer, Callable[[], object]]:
    """A call that waits, somebody who may decide it by their sign-in alone, and how the next one ends that."""
    stage.policy = replace(stage.policy, sign_in_groups={"finance": ("Finance-EU",)})
    stage.with_policy(**changes)
    badges.signed_in(stage.ports, CLARA, ["Finance-EU"], stage.clock.now_ms() + LIFE_MS)
    clara = members.reviewer(stage.ports, "clara")
    return stage.shown(REFUND), clara, lambda: badges.signed_in(stage.ports, CLARA, [], stage.clock.now_ms() + LIFE_MS)


@scenario("put_badges", "badge_as_seen")
def a_right_outlives_both_sign_outs(stage: Stage) -> bool:
    """Two browsers of one person sign out at once: each leaves what the other one said."""
    stage.policy = replace(stage.policy, sign_in_groups={"finance": ("Finance-EU",)})
    cookies = [sessions.new_cookie(stage.ports) for _ in range(2)]
    for cookie in cookies:
        until_ms = stage.clock.now_ms() + LIFE_MS
        badges.signed_in(stage.ports, CLARA, ["Finance-EU"], until_ms, sessions.stored_name(cookie))
        sessions.begin(stage.ports, "clara", cookie)

    def signs_out(cookie: str) -> None:
        badges.signed_out(stage.ports, "clara", sessions.stored_name(cookie))
        sessions.end(stage.ports, cookie)

    stage.meanwhile = lambda: signs_out(cookies[1])
    signs_out(cookies[0])
    return bool(members.reviewer(stage.ports, "clara").groups)


@scenario("decide", "badge_lasts")
def somebody_decides_whom_the_provider_took_out_of_the_group(stage: Stage) -> bool:
    head, clara, ends = signed_in(stage)
    stage.meanwhile = ends
    return isinstance(stage.attempt(stage.decide, head, 1, Verdict.ACCEPT, clara), Decided)


@scenario("undo", "badge_lasts")
def somebody_takes_a_decision_back_who_is_in_the_group_no_more(stage: Stage) -> bool:
    head, clara, ends = signed_in(stage, undo_s=600)
    stage.decide(head, 1, Verdict.ACCEPT)
    stage.meanwhile = ends
    return isinstance(stage.attempt(undo, stage.ports, clara, call_id(head.pause, 1), 1), Undone)


@scenario("reassign", "badge_lasts")
def somebody_hands_a_call_on_who_is_in_the_group_no_more(stage: Stage) -> bool:
    head, clara, ends = signed_in(stage, levels=(Level(("finance",)), Level(("leads",), 3_600)))
    stage.person("lea", "Lea Lang", "leads")
    stage.meanwhile = ends
    return isinstance(stage.attempt(reassign, stage.ports, clara, call_id(head.pause, 1), to="lea"), Reassigned)
