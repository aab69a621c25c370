"""The doctor names whoever is not told: reviewers whose mail came back, and sinks that refuse."""

from __future__ import annotations

from typing import Any

import pytest

from infra import doctor_lists, doctor_telling
from infra.doctor_telling import mailboxes, sinks
from infra.findings import Finding
from placet.model.sinks import Sink
from tests.infra.aws_double import Account
from tests.infra.test_doctor import SETTINGS

TOLD = SETTINGS.model_copy(update={"sinks": (Sink("ops", "sns", "t"), Sink("finance", "slack", secret="s"))})


def found(
    probe: Any, monkeypatch: pytest.MonkeyPatch, items: dict[str, dict[str, str]], table: str = "t"
) -> list[Finding]:
    """What a probe says of a table that has these items, by partition; Maria is in every group."""
    monkeypatch.setattr(doctor_telling, "table_of", lambda clients: table)

    def item(asked: dict[str, Any]) -> dict[str, Any]:
        stored = items.get(asked["Key"]["pk"]["S"])
        return {"Item": {name: {"S": value} for name, value in stored.items()}} if stored else {}

    account = Account(
        {
            "dynamodb.Query": {"Items": [{"sk": {"S": "U#maria"}}], "Count": 1, "ScannedCount": 1},
            "dynamodb.GetItem": item,
        }
    )
    return list(probe(account.client, TOLD))


def test_a_reviewer_whose_mail_came_back_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = found(mailboxes, monkeypatch, {"T#main#M#maria": {"refused": "bounced", "address": "m@example.com"}})
    assert (one.level, one.sentence) == ("look", "mail_refused: maria at m@example.com: bounced")


def test_nobodys_mail_came_back(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = found(mailboxes, monkeypatch, {"T#main#M#maria": {"kind": "MAILBOX"}})
    assert (one.level, one.sentence) == ("ok", "mail came back from none of 1 reviewers")


def test_a_sink_that_refuses_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    ops, finance = found(sinks, monkeypatch, {"T#main#Y#finance": {"refused": "hooks.slack.com answered 404."}})
    assert (ops.level, finance.level) == ("ok", "look")
    assert finance.sentence == "finance refused the last message: hooks.slack.com answered 404."


@pytest.mark.parametrize("probe", [mailboxes, sinks])
def test_before_a_deploy_there_is_nothing_to_say(probe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = found(probe, monkeypatch, {}, table="")
    assert one.level == "ok"


def test_the_table_is_asked_for_as_by_the_other_questions() -> None:
    assert doctor_telling.table_of is doctor_lists.table_of
