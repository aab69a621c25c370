"""The conditions of the model's writes. `tests.proofs.modelling.comparing` holds them and its moves against the code.

Every write of the code is named, with every clause that it carries there: modelled as a test on the state (`conditions`), or
left out with the reason why the model need not know it.
"""

from __future__ import annotations

ONE_CALL = "abstract: the model has one reviewer level, one agent, one epoch and one pause"
LEFT_OUT = (
    "abstract: the event's key is the call's state and round, which call_pending and permit clauses guard already"
)
ONE_WAIT = "abstract: of the waits of one pause the model keeps the last"
PAIR = "pair: needs a second call; the pair of calls has it"
ASKED = "asked: of levels, reminders and who stands in; the model of who is asked has it"
ONE_RUNS = "abstract: of a pair one call runs, and it is claimed; permits_as_seen stands for it"
MAIL = "abstract: mail changes nothing"
LOOKS = "abstract: as of notify and decide, for the same moment"
SAME_LIST = "abstract: nothing but the sweep lists in the model"
READABLE = "abstract: every record of the model can be read"
RUNS = "abstract: the model ends where the decisions are delivered; `make proof-bedrock` plays what follows"
HOLDS = (
    "abstract: of two calls that may be taken back; the model has one, the scenarios of `make proof-mutants` play it"
)
MOMENTS = "abstract: of a deadline the model knows whether it has passed, and no moment"
MAILS = "abstract: of what a person is told and when; no call and no pause moves by it"
PLACE = "abstract: of where a pause stands, and when the sweep looks; the scenarios of `make proof-mutants` play it"
CALLS = ("level_as_seen", "handed_as_seen", "reminded_as_seen", "deadline_as_seen")
PLACED = (*CALLS, "mails_as_seen", "same_moment")
STANDS = "standing: of where a pause stands, and when the sweep looks; the model of that has it"
MOVED = {**dict.fromkeys(PLACED, STANDS), "deadline_as_seen": PLACE}
CARD = "abstract: of what a list says of questions"

NO_CLAUSE = (
    *("store_token", "remember_list", "put_absence", "drop_member", "freeze", "thaw", "refuse_mail", "mark_sink"),
    *("count_wait", "put_member", "put_session", "end_session"),
)

# write -> clause -> "" (modelled) or why it is left out
WRITES: dict[str, dict[str, str]] = {
    **{name: {} for name in NO_CLAUSE},
    "capture": dict.fromkeys(("not_captured", "within_budget"), "abstract: the model begins with a captured pause"),
    "answer_token_now": {"token_known": "abstract: a token is stored before it is marked, by one caller"},
    "notify": {
        "urgent_pending": "",
        "not_notified": "",
        "permits_as_seen": PAIR,
        "unclaimed": ONE_RUNS,
        "my_generation": ONE_WAIT,
        **dict.fromkeys(("as_listed", "same_work_list"), SAME_LIST),
        **dict.fromkeys((*CALLS, "mails_as_seen"), PLACE),
    },
    "mailed": {
        **{name: why for name, why in MOVED.items() if name != "same_moment"},
        **dict.fromkeys(("same_work_list", "my_generation", "same_deadline"), MAIL),
        **dict.fromkeys(("permits_as_seen", "unclaimed"), LOOKS),
    },
    "remind": {
        **MOVED,
        "as_listed": SAME_LIST,
        **dict.fromkeys(("call_pending", "my_generation", "reminded_as_seen", "first"), ASKED),
        "same_work_list": MAIL,
        **dict.fromkeys(("permits_as_seen", "unclaimed"), LOOKS),
    },
    "widen": {
        **MOVED,
        **dict.fromkeys(("my_generation", "level_as_seen", "open_as_seen", "first"), ASKED),
        **dict.fromkeys(("same_work_list", "as_listed"), SAME_LIST),
        **dict.fromkeys(("permits_as_seen", "unclaimed"), LOOKS),
    },
    "tell_at": {
        **dict.fromkeys((*CALLS, "mails_as_seen"), PLACE),
        **dict.fromkeys(("same_work_list", "same_moment"), MAIL),
        **dict.fromkeys(("permits_as_seen", "unclaimed"), LOOKS),
    },
    "requeue": dict.fromkeys(
        (
            *PLACED,
            *("open_as_seen", "my_generation", "same_work_list", "as_listed", "permits_as_seen", "unclaimed"),
        ),
        "abstract: one queue stands for all; `make proof-deploys` plays what a deploy does to them",
    ),
    "next_generation": {
        "still_open": "",
        "not_notified": "",
        "my_generation": "abstract: starting twice is starting once",
        "as_listed": SAME_LIST,
    },
    "expire": {
        **dict.fromkeys(PLACED, PLACE),
        "questions_as_seen": CARD,
        "call_pending": "",
        "deadline_passed": "",
        "first": LEFT_OUT,
        **dict.fromkeys(("as_listed", "same_work_list"), SAME_LIST),
        **dict.fromkeys(("urgent_pending", "not_notified", "permits_as_seen"), PAIR),
        "urgent_deadline": MOMENTS,
        "unclaimed": ONE_RUNS,
        "window_as_seen": HOLDS,
    },
    "comment": dict.fromkeys(("first", "head_known"), "abstract: nothing of a call or pause moves by it"),
    "ask": dict.fromkeys(
        (
            *(
                "call_pending",
                "shown_revision",
                "in_time",
                "not_requester",
                "not_kept_out",
                "not_owner",
                "level_reached",
                "handed_over",
            ),
            *("questions_as_seen", "first", "still_member", "badge_lasts"),
            *("absence_begun", "absence_lasts", "names_delegate"),
        ),
        "abstract: a question moves nothing of a call or pause; its answer does",
    ),
    "answer": {
        **dict.fromkeys(("call_pending", "shown_revision", "in_time"), ""),
        "questions_as_seen": "abstract: each answer of the model is read and written in one step",
        **dict.fromkeys(("same_work_list", "as_listed"), SAME_LIST),
        **dict.fromkeys(PLACED, PLACE),
        **dict.fromkeys(("permits_as_seen", "unclaimed"), LOOKS),
        "first": "abstract: a question has one answer, which questions_as_seen guards already",
    },
    "extend": {
        **dict.fromkeys(("call_pending", "in_time"), ""),
        **dict.fromkeys(PLACED, PLACE),
        **dict.fromkeys(("deadline_grows", "within_maximum"), MOMENTS),
        **dict.fromkeys(
            ("still_member", "badge_lasts", "absence_begun", "absence_lasts", "names_delegate"),
            "abstract: as of decide, for less",
        ),
        **dict.fromkeys(("not_requester", "not_kept_out", "not_owner"), "abstract: true of a person for ever, no race"),
        **dict.fromkeys(("level_reached", "handed_over"), ONE_CALL),
        "first": "abstract: the event's key is the new deadline, which deadline_grows guards already",
        **dict.fromkeys(("same_work_list", "as_listed"), SAME_LIST),
        "open_as_seen": "abstract: a sibling that closes moves no call",
        **dict.fromkeys(("permits_as_seen", "unclaimed"), LOOKS),
    },
    "decide": {
        **MOVED,
        "questions_as_seen": CARD,
        **dict.fromkeys(("call_pending", "shown_revision", "shown_digest", "in_time", "not_cancelled"), ""),
        **dict.fromkeys(("votes_seen", "new_voter", "still_member"), ""),
        "new_person": "abstract: as new_voter; everybody in the model has one account",
        **dict.fromkeys(("absence_begun", "absence_lasts", "names_delegate"), ASKED),
        "badge_lasts": "abstract: a right that ends between the read and the write, as still_member",
        **dict.fromkeys(("not_requester", "not_kept_out", "not_owner"), "abstract: true of a person for ever, no race"),
        "level_reached": ASKED,
        **dict.fromkeys(("handed_over", "same_epoch"), ONE_CALL),
        **dict.fromkeys(("urgent_pending", "not_notified", "permits_as_seen"), PAIR),
        "urgent_deadline": MOMENTS,
        "unclaimed": ONE_RUNS,
        "first": LEFT_OUT,
        **dict.fromkeys(("as_listed", "same_work_list"), SAME_LIST),
        "window_as_seen": HOLDS,
    },
    "undo": {
        **dict.fromkeys(("window_open", "not_handed_out", "permits_as_seen", "first"), ""),
        **dict.fromkeys(
            ("still_member", "absence_begun", "absence_lasts", "names_delegate", "badge_lasts"),
            "abstract: as of decide, for less",
        ),
        **dict.fromkeys(("same_work_list", "as_listed"), SAME_LIST),
        "same_epoch": ONE_CALL,
        "open_as_seen": "abstract: a sibling that closes moves no call",
        **dict.fromkeys(PLACED, PLACE),
        "unclaimed": LOOKS,
        **dict.fromkeys(("questions_as_seen", "call_pending"), CARD),
    },
    "end_hold": {"hold_as_seen": ""},
    "mend_closed": dict.fromkeys(
        ("all_decided", "not_resumed", "permits_as_seen", "window_as_seen", "as_listed"),
        "abstract: mends what two last calls left behind that an earlier release let race",
    ),
    "cancel": {
        **dict.fromkeys(("not_cancelled", "not_resumed", "call_pending", "permits_as_seen", "as_listed"), ""),
        "never_tried": PAIR,
        "successor_waits": "abstract: the model has one pause; `make proof-sim` has runs that ask again",
        "first": LEFT_OUT,
    },
    "list_stuck": dict.fromkeys(
        ("not_resumed", "my_generation", "open_as_seen", "same_work_list", "same_moment", "my_fence", "first"),
        SAME_LIST,
    ),
    "list_unreadable": dict.fromkeys(("same_work_list", "head_known", "not_resumed"), READABLE),
    "unlist": {
        **dict.fromkeys(("as_listed", "my_generation", "open_as_seen", "permits_as_seen"), ONE_CALL),
        **dict.fromkeys((*CALLS, "mails_as_seen", "same_work_list", "unclaimed"), PLACE),
        "first": LEFT_OUT,
    },
    "into_epoch": dict.fromkeys(("old_epoch", "permits_as_seen", "as_listed", "open_as_seen"), ONE_CALL),
    "lease": {
        **dict.fromkeys(("all_decided", "not_resumed", "not_cancelled", "lease_free", "my_fence"), ""),
        "as_listed": SAME_LIST,
        "not_held": "",
        "sending_free": "abstract: sending twice is sending once, and who gets it takes a lease",
    },
    "release_lease": dict.fromkeys(("my_fence", "not_resumed"), "abstract: a lease may end at any moment"),
    "delivered": dict.fromkeys(("my_fence", "not_resumed"), "abstract: a lease may end at any moment"),
    "renew": dict.fromkeys(
        ("my_fence", "lease_held", "not_given_back", "lease_grows", "all_decided", "not_resumed", "not_cancelled"),
        "abstract: a lease may end at any moment",
    ),
    "shorten_lease": dict.fromkeys(
        ("my_fence", "lease_longer", "not_resumed"), "abstract: a lease may end at any moment"
    ),
    "resumed": {
        **dict.fromkeys(("all_decided", "not_resumed", "my_fence", "permits_as_seen", "as_listed"), ""),
        "never_tried": PAIR,
        "not_held": "",
        "first": LEFT_OUT,
    },
    "nothing_out": dict.fromkeys(("permits_as_seen", "as_listed"), ""),
    "claim": {
        **dict.fromkeys(("may_run", "permit_free", "not_cancelled", "not_resumed", "still_fresh", "digest_named"), ""),
        "window_over": "",
        "my_fence": "abstract: optional, and only makes doubles rarer; the model claims without it",
        "same_epoch": ONE_CALL,
        **dict.fromkeys(("same_moment", "open_as_seen"), "abstract: a claim of the model reads and writes in one step"),
    },
    "renew_claim": {
        "permit_claimed": "",
        "same_worker": "",
        "claim_grows": "abstract: the model knows that a claim was renewed, not until when",
    },
    "refuse_claim": {"first": LEFT_OUT},
    "outcome": {
        "permit_used": "",
        "my_permit": "",
        "first": LEFT_OUT,
        "as_listed": "abstract: only of a worker that reports unknown itself",
        "open_as_seen": PAIR,
    },
    "give_up": {
        **dict.fromkeys(("permit_claimed", "same_worker", "not_renewed"), ""),
        "first": LEFT_OUT,
        "as_listed": SAME_LIST,
        "open_as_seen": PAIR,
    },
    "give_up_tried": {
        **dict.fromkeys(("permit_free", "too_old", "not_cancelled"), ""),
        "as_listed": SAME_LIST,
        "open_as_seen": PAIR,
        "first": LEFT_OUT,
    },
    "free_again": dict.fromkeys(("permit_claimed", "same_worker", "not_renewed", "not_resumed"), ""),
    "unclaim": dict.fromkeys(
        ("permit_claimed", "same_worker", "not_resumed"),
        "abstract: of an attempt that was never started, as if it had not claimed",
    ),
    "reassign": MOVED
    | dict.fromkeys(
        (
            *("call_pending", "in_time", "not_cancelled", "not_requester", "not_kept_out", "not_owner"),
            *("level_reached", "handed_over"),
            *("my_generation", "same_work_list", "same_epoch", "as_listed", "first", "permits_as_seen", "unclaimed"),
            *("still_member", "absence_begun", "absence_lasts", "names_delegate", "badge_lasts"),
        ),
        ONE_CALL,
    ),
    "reopen": {
        **dict.fromkeys(("questions_as_seen", "call_pending"), CARD),
        **dict.fromkeys(("may_run", "permit_free", "too_old", "not_cancelled", "not_resumed", "never_tried"), ""),
        "as_listed": SAME_LIST,
        "first": LEFT_OUT,
    },
    "reconcile": {"permit_unknown": "", "first": LEFT_OUT},
    "begin_turn": dict.fromkeys(("first", "same_turn", "run_as_seen"), RUNS),
    "end_turn": {"same_turn": RUNS},
    "take_mail": dict.fromkeys(("mail_apart", "nothing_owed", "takes_mail"), MAILS),
    "return_mail": {"same_mail": MAILS},
    "hold_mail": dict.fromkeys(("nothing_owed", "takes_mail"), MAILS),
    "hold_more": {"same_moment": MAILS},
    "begin_digest": {"same_moment": MAILS},
    "end_digest": {"same_moment": MAILS},
    "accept_mail": {"mail_refused": MAILS},
    "count_open": {"room_left": "abstract: the model begins with a captured pause"},
    "recount_open": {"counted_as_seen": "abstract: the model begins with a captured pause"},
    "put_badges": {"badge_as_seen": "abstract: everybody in the model is entered by hand"},
}
