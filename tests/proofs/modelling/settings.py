"""What is checked: one large model, smaller ones with every read apart and with what is rare, and the planted bugs."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from tests.proofs.modelling.asking import AskedSetting
from tests.proofs.modelling.pair.state import PairSetting
from tests.proofs.modelling.standing import StandingSetting
from tests.proofs.modelling.state import Setting

PEOPLE = ("accept", "accept|edit", "accept|reject")

KEYED = Setting(
    "keyed, every read apart",
    ("accept",),
    1,
    resumers=1,
    workers=1,
    crashes=1,
    copies=0,
    keyed=True,
    stops=True,
    apart=True,
)

RENEWING = Setting(
    "a claim that is renewed, every read apart",
    ("accept",),
    1,
    resumers=1,
    crashes=1,
    copies=0,
    stops=True,
    renews=True,
    apart=True,
)

HELD = Setting(
    "a decision is taken back",
    ("accept",),
    1,
    resumers=1,
    workers=1,
    crashes=1,
    copies=0,
    undoes=1,
    skewed=True,
    polls=True,
)

ANSWERED = Setting(
    "a question is answered while people vote",
    ("accept", "accept|reject"),
    2,
    resumers=1,
    workers=1,
    crashes=1,
    copies=0,
    answers=2,
)

TWO = PairSetting(
    "two calls, every read apart",
    ("accepted", "rejected"),
    ("rejected", "accepted"),
    keyed=True,
    stops=True,
    stale=True,
    doubts=True,
)

MOMENTS = AskedSetting("reminded, and more are asked", moments=True)
STANDS_IN = AskedSetting("decided in another's place", stands_in=True)
MOVED = StandingSetting("a pause is moved, every read apart")

AnySetting = Setting | PairSetting | AskedSetting | StandingSetting

FULL: list[AnySetting] = [
    replace(TWO, crashes=2),
    replace(TWO, name="two calls, a tool without a key", keyed=False),
    replace(TWO, name="two calls, one of which passed", passes=True),
    MOMENTS,
    STANDS_IN,
    MOVED,
    KEYED,
    RENEWING,
    replace(RENEWING, name="a claim that is renewed, of a tool with a key", keyed=True),
    HELD,
    replace(
        HELD, name="a decision is taken back, or its run cancelled", verdicts=("accept|edit",), stops=True, copies=1
    ),
    replace(HELD, name="a decision is taken back twice", verdicts=("accept|reject",), crashes=0, undoes=2),
    ANSWERED,
    replace(ANSWERED, name="a question is answered, and a call edited", verdicts=PEOPLE, crashes=0, answers=1),
    replace(HELD, name="a question is answered, and a decision taken back", answers=1, crashes=0),
    replace(
        HELD, name="two decide and take back, and the agent is called", verdicts=("accept", "edit|reject"), polls=False
    ),
    Setting("everybody", PEOPLE, 2, leaves=True),
    Setting("cancelled", ("accept|reject", "accept|edit"), 2, stops=True, keyed=True),
    Setting("every read apart", ("accept|reject",), 1, crashes=1, copies=1, stops=True, apart=True),
    Setting("votes and edits, every read apart", PEOPLE, 2, resumers=1, workers=1, crashes=0, copies=1, apart=True),
    Setting(
        "too old, and repaired",
        ("accept", "accept|edit"),
        1,
        crashes=1,
        copies=1,
        stops=True,
        stale=True,
        operator=True,
    ),
]
QUICK: list[AnySetting] = [
    MOVED,
    MOMENTS,
    STANDS_IN,
    KEYED,
    replace(HELD, crashes=0),
    replace(RENEWING, workers=1, stops=False),
    replace(ANSWERED, crashes=0, answers=1),
    Setting("everybody", PEOPLE, 2, crashes=1, copies=0, leaves=True),
    Setting("cancelled", ("accept|reject", "edit"), 1, crashes=1, copies=0, stops=True, keyed=True),
    Setting(
        "too old, and repaired",
        ("accept|edit",),
        1,
        workers=1,
        crashes=1,
        copies=0,
        stale=True,
        stops=True,
        operator=True,
    ),
    replace(TWO, name="two calls, one of which passed", passes=True, stale=False),
    replace(TWO, name="two calls", verdicts_a=("accepted",), verdicts_b=("rejected",)),
]

SMALL = Setting("", ("accept|reject",), 1)
CALM = replace(HELD, crashes=0)
QUORUM = Setting("", PEOPLE, 2, resumers=1, workers=1, crashes=0, copies=0)


S = TypeVar("S", Setting, PairSetting, AskedSetting, StandingSetting)


def _without(setting: S, *dropped: tuple[str, str]) -> S:
    return replace(setting, dropped=frozenset(dropped))


PLANTED: dict[str, AnySetting] = {
    "read, then write without a condition": _without(
        QUORUM,
        *(("decide", one) for one in ("call_pending", "shown_revision", "shown_digest", "votes_seen", "in_time")),
    ),
    "a last vote that does not look at the others": _without(QUORUM, ("decide", "votes_seen")),
    "the event outside the transaction": replace(SMALL, bugs=frozenset({"event_apart"})),
    "expiry without a condition": _without(SMALL, ("expire", "call_pending"), ("expire", "deadline_passed")),
    "a late accept is taken": _without(SMALL, ("decide", "in_time")),
    "more time for a call whose time was over": _without(SMALL, ("extend", "in_time")),
    "more time for a call that is decided": _without(SMALL, ("extend", "call_pending"), ("extend", "in_time")),
    "resumed is written before the call": replace(SMALL, bugs=frozenset({"told_first"})),
    "the tool does not ask for a permit": replace(SMALL, bugs=frozenset({"no_claim"})),
    "a permit per attempt, not per call": _without(SMALL, ("claim", "permit_free")),
    "an unknown is run again": replace(SMALL, bugs=frozenset({"rerun_unknown"})),
    "membership is not looked at when it commits": _without(
        Setting("", ("accept", "accept"), 1, crashes=0, copies=0, leaves=True), ("decide", "still_member")
    ),
    "an edit keeps the votes": replace(QUORUM, bugs=frozenset({"votes_kept"})),
    "an answer keeps the votes": replace(ANSWERED, bugs=frozenset({"answer_keeps_votes"})),
    "an answer after the decision": _without(ANSWERED, ("answer", "call_pending")),
    "an answer after the deadline": _without(ANSWERED, ("answer", "in_time")),
    "a page of before the answer decides": _without(ANSWERED, ("decide", "shown_revision")),
    "no sweeper": replace(SMALL, bugs=frozenset({"no_sweeper"})),
    "a cancel that does not see a claim": _without(replace(SMALL, stops=True), ("cancel", "permits_as_seen")),
    "a run ends and does not see a claim": _without(SMALL, ("resumed", "permits_as_seen")),
    "a claim after the run was cancelled": _without(
        replace(SMALL, stops=True), ("claim", "not_cancelled"), ("claim", "not_resumed")
    ),
    "giving up what was just reported": _without(SMALL, ("give_up", "permit_claimed")),
    "a permit is freed that an ended run has no use for": _without(KEYED, ("free_again", "not_resumed")),
    "an attempt is given up that has just renewed": _without(RENEWING, ("give_up", "not_renewed")),
    "a permit is freed whose attempt has just renewed": _without(
        replace(RENEWING, keyed=True), ("free_again", "not_renewed")
    ),
    "a worker with the arguments of the last round": _without(
        Setting("", ("accept|edit",), 1, crashes=0, copies=1, stale=True), ("claim", "digest_named")
    ),
    "a call that may have run is asked for again": _without(
        Setting(
            "", ("accept|reject",), 1, crashes=1, copies=0, stale=True, keyed=True, bugs=frozenset({"tries_forgotten"})
        ),
        ("reopen", "never_tried"),
    ),
    "a new round keeps the lease of the last one": replace(
        Setting("", ("accept",), 1, crashes=1, copies=1, stale=True), bugs=frozenset({"fence_kept"})
    ),
    "a last decision that does not see an unknown": _without(TWO, ("decide", "permits_as_seen")),
    "an expiry that does not see an unknown": _without(TWO, ("expire", "permits_as_seen")),
    "two last calls, and neither sees itself as the last": _without(TWO, ("decide", "urgent_pending")),
    "an unknown beside a call that was just decided": _without(TWO, ("outcome", "open_as_seen")),
    "an old attempt beside a call that was just decided": _without(TWO, ("give_up_tried", "open_as_seen")),
    "a freed permit of a pause that is over": _without(TWO, ("free_again", "not_resumed")),
    "a run ends and does not see an attempt": _without(TWO, ("resumed", "never_tried")),
    "a cancel that does not see an attempt": _without(TWO, ("cancel", "never_tried")),
    "a pause is shown, and a claim beside the open call is forgotten": _without(
        replace(TWO, passes=True), ("notify", "permits_as_seen")
    ),
    "a new round moves the other call's deadline": replace(TWO, bugs=frozenset({"deadlines_anew"})),
    "a decision is taken back too late": _without(CALM, ("undo", "window_open")),
    "a decision is taken back that was handed out": _without(CALM, ("undo", "not_handed_out")),
    "a decision is taken back whose call runs": _without(CALM, ("undo", "permits_as_seen")),
    "who means one decision takes back the next one": _without(replace(CALM, undoes=2), ("undo", "first")),
    "a call runs whose decision may be taken back": _without(CALM, ("claim", "window_over")),
    "a run is taken up whose decision may be taken back": _without(CALM, ("lease", "not_held")),
    "a run has gone on whose decision may be taken back": _without(CALM, ("resumed", "not_held")),
    "a timer ends the hold of the next decision": _without(CALM, ("end_hold", "hold_as_seen")),
    "a hold never ends": replace(CALM, polls=False, bugs=frozenset({"hold_never_ends"})),
    "a clock turns away whoever was handed the decision": replace(CALM, bugs=frozenset({"clocks_turn_away"})),
    "a page of before the taking back decides": _without(
        replace(CALM, verdicts=("accept", "accept|reject")), ("decide", "shown_revision")
    ),
    "people are reminded twice of one moment": _without(MOMENTS, ("remind", "reminded_as_seen"), ("remind", "first")),
    "people are reminded of what is decided": _without(MOMENTS, ("remind", "call_pending")),
    "people are reminded of the round before": _without(MOMENTS, ("remind", "my_generation")),
    "a level is asked twice": _without(MOMENTS, ("widen", "level_as_seen"), ("widen", "first")),
    "a level is asked of what is decided": _without(MOMENTS, ("widen", "open_as_seen")),
    "a level is asked by a timer of the round before": _without(MOMENTS, ("widen", "my_generation")),
    "a level decides that is not asked yet": _without(MOMENTS, ("decide", "level_reached")),
    "a delegate decides for somebody who left": _without(STANDS_IN, ("decide", "still_member")),
    "a delegate decides for somebody who is back": _without(STANDS_IN, ("decide", "absence_lasts")),
    "a delegate decides before the absence": _without(STANDS_IN, ("decide", "absence_begun")),
    "a delegate decides who is named no more": _without(STANDS_IN, ("decide", "names_delegate")),
    "a decision moves a pause back before whom it was handed to": _without(MOVED, ("decide", "handed_as_seen")),
    "a decision moves a pause back before a level that is asked": _without(MOVED, ("decide", "level_as_seen")),
    "a decision puts off mails that are owed": _without(
        MOVED, ("decide", "mails_as_seen"), ("decide", "reminded_as_seen")
    ),
    "a handing-on forgets whom a reminder named": _without(
        MOVED, ("reassign", "mails_as_seen"), ("reassign", "reminded_as_seen")
    ),
    "a level forgets whom a reminder named": _without(MOVED, ("widen", "mails_as_seen"), ("widen", "reminded_as_seen")),
    "mails that went strike out a handing-on": _without(MOVED, ("mailed", "handed_as_seen")),
    "mails that went strike out a level": _without(MOVED, ("mailed", "level_as_seen")),
}
