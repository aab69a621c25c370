"""DynamoDBSaver: it lists no threads and reads eventually, so paused threads are noted in its table and reads made consistent."""

from __future__ import annotations

import pytest

from placet.client import GatewayUnavailable
from placet.client.langchain import Finished, Waiting
from placet.client.langchain.savers import check_saver
from placet.client.langchain.threads import NotedThreads
from tests.frameworks.fake_gateway import FakeGateway
from tests.frameworks.langchain.on_dynamodb import Process, notes
from tests.frameworks.langchain.scene import config, refund


def test_dynamodb_lists_no_threads_by_itself(saver):
    check_saver(saver)
    with pytest.raises(ValueError, match="thread_id"):
        list(saver.list(None))


def test_a_pause_is_noted_before_it_is_told_and_forgotten_once_it_went_on(saver):
    fake = FakeGateway()
    one = Process(fake, saver, [[refund(1, 240.0)]])
    fake.down = True
    with pytest.raises(GatewayUnavailable):
        one.run(entity="order:1182")
    fake.down = False
    assert notes(saver) == ["t1"]
    later = Process(fake, saver, [[refund(1, 240.0)]])
    found = later.approvals.recover(later.agent)
    assert isinstance(found["t1"], Waiting)
    assert fake.pauses[found["t1"].pause.pause]["body"]["entity"] == "order:1182"
    assert notes(saver) == ["t1"]
    fake.decide(*fake.pending(), "edited", '{"order_id":"1182","amount":200.00}')
    last = Process(fake, saver, [[refund(1, 240.0)]])
    assert isinstance(last.approvals.resume(last.agent, last.approvals.gateway.resumes().pauses[0]), Finished)
    assert last.ran == [("issue_refund", "1182", 200.0)]
    assert notes(saver) == []


def test_a_run_that_never_pauses_writes_no_note(saver):
    one = Process(FakeGateway(), saver, ["hello"])
    assert isinstance(one.run(), Finished)
    assert notes(saver) == []


def test_many_threads_are_found(saver):
    fake = FakeGateway()
    one = Process(fake, saver, [[refund(1, 240.0)]])
    for number in range(12):
        one.run(f"thread-{number}")
    assert len(notes(saver)) == 12
    assert len(one.approvals.recover(one.agent)) == 12
    assert len(fake.pauses) == 12


def test_a_note_that_is_newer_than_what_was_seen_stays(saver):
    threads = NotedThreads(saver, "")
    threads.note("t1")
    seen = threads.seen("t1")
    threads.note("t1")
    threads.forget("t1", seen)
    assert notes(saver) == ["t1"]
    threads.forget("t1", threads.seen("t1"))
    assert notes(saver) == []


def test_half_answered_the_checkpoint_id_stays(saver):
    fake = FakeGateway()
    one = Process(fake, saver, [[refund(1, 240.0), refund(2, 300.0, "1183")]])
    waiting = one.run()
    for name in fake.pending():
        fake.decide(name, "accepted")
    (pause,) = one.approvals.gateway.resumes().pauses
    before = one.agent.get_state(config("t1")).config["configurable"]["checkpoint_id"]
    one.approvals.resume(one.agent, type(pause)(**{**vars(pause), "calls": pause.calls[:1]}))
    assert one.agent.get_state(config("t1")).next == ()
    assert list(fake.pauses) == [waiting.pause.pause]
    assert before == fake.pauses[waiting.pause.pause]["body"]["native"]["checkpoint_id"]
    assert sorted(one.ran) == [("issue_refund", "1182", 240.0), ("issue_refund", "1183", 300.0)]


def test_reads_are_consistent(saver):
    """DynamoDBSaver 1.2.6 asks for none, and a pause that was just stored could be missing from what is captured."""
    asked = []
    saver.client.meta.events.register_last(
        "before-parameter-build.dynamodb.*", lambda params, model, **_: asked.append((model.name, dict(params)))
    )
    one = Process(FakeGateway(), saver, [[refund(1, 240.0)]])
    one.run()
    reads = [params.get("ConsistentRead") for name, params in asked if name in ("GetItem", "Query")]
    assert reads
    assert all(reads)
    assert {name for name, _ in asked} <= {"GetItem", "Query", "PutItem", "DeleteItem", "BatchGetItem"}
