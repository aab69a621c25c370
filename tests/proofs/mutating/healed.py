"""Bugs that no clause holds and that a sweep heals within a minute, so that only a test of their own notices them."""

from __future__ import annotations

from tests.proofs.mutating.changes import Planted

SERVICE = "layers/core/python/placet/service"
WRITES = "layers/core/python/placet/records/writes"
BUGS: dict[str, tuple[Planted, str]] = {
    "the clock is read once for all tries": (
        Planted(
            f"{SERVICE}/timely.py",
            "    for tried in range(TRIES):\n        now = ports.clock.now_ms()\n",
            "    now = ports.clock.now_ms()\n    for tried in range(TRIES):\n",
        ),
        "unit/test_timely.py::test_a_deadline_that_passes_while_a_decision_meets_others_has_passed",
    ),
    "the record is read before the token is stored": (
        Planted(
            f"{SERVICE}/notify.py",
            "    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))\n"
            "    head = head_of(ports, pause)\n",
            "    head = head_of(ports, pause)\n"
            "    ports.table.write(writes.store_token(ports.keys, pause, gen, token, ports.clock.now_ms()))\n",
        ),
        "unit/test_beside.py::test_a_decision_just_before_its_token_is_stored_is_told_to_that_token",
    ),
    "a permit is freed after its run has ended": (
        Planted(
            f"{SERVICE}/sweep.py",
            "if call.takes_key and head.resume_state is not ResumeState.DONE:",
            "if call.takes_key:",
        ),
        "unit/test_meanwhile.py::test_a_keyed_permit_is_not_freed_once_the_run_has_ended",
    ),
    "decisions of another round count as handed over": (
        Planted(f"{SERVICE}/resume.py", "return head.delivered_gen == head.gen and now_ms", "return now_ms"),
        "unit/test_beside.py::test_decisions_of_a_new_round_are_not_those_that_were_handed_over",
    ),
    "a repetition is known without its verdict": (
        Planted(
            f"{SERVICE}/decide.py",
            "(reviewer.sub, ballot.verdict.value, ballot.digest, ballot.reason)",
            "(reviewer.sub, fact.verdict, ballot.digest, ballot.reason)",
        ),
        "unit/test_last_attempt.py::test_another_verdict_in_the_same_words_repeats_nothing",
    ),
    "after a partial expiry there is no timer": (
        Planted(
            f"{SERVICE}/escalate.py",
            "_told(ports, head, now):\n        set_timer(ports, head)",
            '_told(ports, head, now):\n        return _first(done, "early")',
        ),
        "unit/test_beside.py::test_after_a_partial_expiry_the_timer_holds_the_next_deadline",
    ),
    "who only sends does not know its own lease": (
        Planted(f"{SERVICE}/leases.py", '"lease_free", "sending_free", "my_fence"', '"lease_free", "my_fence"'),
        "unit/test_leases.py::test_decisions_are_sent_although_the_answer_of_the_lease_was_lost",
    ),
    "a repeated request is told an end of its own": (
        Planted(f"{SERVICE}/leases.py", 'int(held["lease_until_ms"]))', "now + length_ms)"),
        "unit/test_leases.py::test_a_repeated_request_is_told_the_end_that_the_record_has",
    ),
    "a repeated request gets what is oldest": (
        Planted(f"{SERVICE}/resume.py", "return _own_first(ports, usable, holder)", "return usable"),
        "unit/test_leases.py::test_a_repeated_request_gets_what_it_has_before_what_is_older",
    ),
    "a decision puts missing mails off": (
        Planted(f"{WRITES}/places.py", "min(due, head.wsk if is_called(head) else now_ms + MAIL_AGAIN_MS)", "due"),
        "unit/test_told.py::test_a_mail_that_is_missing_is_sent_soon_although_a_call_of_its_pause_was_decided",
    ),
    "who joins inherits the tries of those who left": (
        Planted(f"{WRITES}/places.py", '{"mails_tried": 0} if mail and head.mails_tried else {}', "{}"),
        "unit/test_readers.py::test_who_joins_is_mailed_as_soon_as_anybody_whatever_failed_before",
    ),
    "an answer that was throttled counts as sent": (
        Planted(f"{SERVICE}/bedrock/answering.py", "posts=sent.run.posts - 1", "posts=sent.run.posts"),
        "bedrock/test_tried_again.py::test_an_answer_that_was_throttled_was_not_sent",
    ),
    "a turn begins with what was wrong before": (
        Planted(f"{SERVICE}/bedrock/turns.py", 'mark=mark, why="", ', "mark=mark, "),
        "bedrock/test_tried_again.py::test_what_was_wrong_with_the_turn_before_is_not_told_of_the_next",
    ),
    "a turn begins with what was lost before": (
        Planted(f"{SERVICE}/bedrock/turns.py", "lost=True, mark=mark", "mark=mark"),
        "bedrock/test_tried_again.py::test_of_answers_that_never_came_back_a_person_is_told_that_nobody_knows",
    ),
    "a turn begins on the word of a record that was read before": (
        Planted(
            f"{WRITES}/turns.py", "c.same_turn(run.turn - 1), c.run_as_seen(seen.value)", "c.same_turn(run.turn - 1),"
        ),
        "bedrock/test_tried_again.py::test_a_text_that_comes_as_the_answer_ends_goes_into_the_living_session",
    ),
    "an own attempt is waited for as its class says": (
        Planted(f"{SERVICE}/execute.py", "max(works_ms, claim_ms_of(ports, current))", "claim_ms_of(ports, current)"),
        "bedrock/test_own_claims.py::test_an_own_attempt_is_waited_for_while_its_function_may_run",
    ),
    "a report that is refused ends the turn": (
        Planted(
            f"{SERVICE}/bedrock/executing.py",
            '        ports.log("failed", {"pause": pause, "call": number, "code": refused.code})\n        return False\n',
            "        raise refused\n",
        ),
        "bedrock/test_own_claims.py::test_what_an_operator_settled_meanwhile_stands_and_the_turn_is_told_of",
    ),
    "a permit that became unknown does not ring": (
        Planted(
            f"{SERVICE}/sweep.py",
            '        ports.log("stuck", {"pause": head.pause, "reason": "permit_unknown"})\n',
            "",
        ),
        "unit/test_beside.py::test_a_permit_that_nobody_reported_rings_after_the_time_of_its_class",
    ),
    "a permit that was tried stays free on an ended run while another is out": (
        Planted(f"{WRITES}/running.py", "if tried := given_up(head):", "if (tried := given_up(head)) and not claimed:"),
        "unit/test_left_behind.py::test_a_run_that_ends_while_a_claim_is_out_leaves_no_tried_permit_free",
    ),
    "a restored pause keeps its deadlines": (
        Planted(
            f"{WRITES}/ending.py",
            '    changes |= {f"calls.{call.number}.deadline_ms": 0 for call in head.pending}\n    return [',
            "    return [",
        ),
        "unit/test_left_behind.py::test_what_a_restore_brought_back_waits_for_the_whole_of_its_time_anew",
    ),
    "an answer is sent while everything is held": (
        Planted(f"{SERVICE}/bedrock/answering.py", "        not_frozen(ports)\n", ""),
        "bedrock/test_held_back.py::test_while_frozen_no_answer_is_sent_although_it_needs_no_permit",
    ),
    "nobody hears of an action that did not claim": (
        Planted(f"{SERVICE}/bedrock/answering.py", "    _watch_actions(ports, sent)\n", ""),
        "bedrock/test_held_back.py::test_an_action_that_did_not_claim_its_permit_rings",
    ),
    "an answer that is undone forgets one that was lost": (
        Planted(f"{SERVICE}/bedrock/answering.py", "turn=begun.turn), lost=before.lost)", "turn=begun.turn))"),
        "bedrock/test_held_back.py::test_an_answer_that_was_not_sent_leaves_it_known_that_one_was_lost",
    ),
    "a restored call is left to another attempt": (
        Planted(f"{SERVICE}/bedrock/executing.py", '("policy_denies", "epoch_differs")', '("policy_denies",)'),
        "bedrock/test_held_back.py::test_of_a_restored_call_the_answer_is_tried_again_and_not_left_to_another",
    ),
    "a run has gone on before what it asks next is captured": (
        Planted(
            f"{SERVICE}/bedrock/answering.py",
            "    child = go_on(\n",
            "    _went_on(ports, sent)\n    child = go_on(\n",
        ),
        "bedrock/test_held_back.py::test_a_run_has_not_gone_on_before_what_it_asks_next_is_captured",
    ),
}
