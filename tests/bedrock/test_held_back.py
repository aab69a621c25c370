"""What an attempt at an answer leaves to another one, and what it tells an operator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.bedrock import Mode
from placet.model.errors import Busy
from placet.model.states import ResumeState
from placet.service import operate
from placet.service.bedrock import answering
from placet.service.bedrock.turns import run_of
from placet.service.resume import resume
from tests.bedrock.crashing import Died
from tests.bedrock.desk import desk
from tests.bedrock.test_undone import BusyAt
from tests.bedrock.verified import VERIFIED


def test_while_frozen_no_answer_is_sent_although_it_needs_no_permit() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "reject")
        operate.freeze(made.ports, "ops/olga", "restore")
        sent = len(made.runtime.log)
        with pytest.raises(Busy):
            made.resumes(head.pause)
        assert len(made.runtime.log) == sent
        operate.thaw(made.ports, "ops/olga")
        assert made.resumes(head.pause) == "delivered", "the lease was given back"


def test_an_action_that_did_not_claim_its_permit_rings() -> None:
    """Bedrock was told that the call is confirmed, and its action is not checked by the gateway after all."""
    with desk(Mode.CONFIRM, target=VERIFIED) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        assert made.resumes(head.pause) == "delivered"
        told = [fields for name, fields in made.log if name == "failed"]
        assert told == [{"pause": head.pause, "call": 1, "code": "confirmed_not_run"}]


def test_an_answer_that_was_not_sent_leaves_it_known_that_one_was_lost() -> None:
    """Set by hand: an earlier answer of this run never came back."""
    with desk(Mode.CONFIRM, table=BusyAt("claimed", 1)) as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        for item in made.table.items.values():
            item.update({"lost": True} if item.get("kind") == "RUN" else {})
        with pytest.raises(Busy):
            made.resumes(head.pause)
        run = run_of(made.ports, made.agent, made.run)
        assert run is not None
        assert run.lost


def test_of_a_restored_call_the_answer_is_tried_again_and_not_left_to_another() -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")
        with pytest.raises(Busy, match="restored"):
            resume(replace(made.ports, epoch=2), head.pause)
        assert made.paid() == []


def test_a_run_has_not_gone_on_before_what_it_asks_next_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    with desk() as made:
        head = made.asks()
        made.ends(head, 1, "accept")

        def dies(*given: Any, **named: Any) -> str:
            raise Died

        with monkeypatch.context() as patched:
            patched.setattr(answering, "go_on", dies)
            with pytest.raises(Died):
                made.resumes(head.pause)
        assert made.head(head.pause).resume_state is not ResumeState.DONE
