"""The inbox is dealt in turns: every agent that waits has its turn, and over all pages each entry is shown once."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from placet.model.cursors import FIRST, MOST_LANES, LanesRead, Place, cursor, lanes_cursor, lanes_in
from placet.model.errors import Invalid
from placet.model.pauses import Agent
from placet.model.states import Verdict
from placet.policy import Level
from placet.records.lanes import STEP, in_lane, lane_at, lane_of, moment_at
from placet.records.ops import Item
from placet.service import loading, queues
from placet.service.inbox import inbox
from placet.service.views import Inbox
from tests.gateway import BILLING, DELETE, REFUND, SUPPORT, Gateway

DESKS = [Agent(f"desk-{number}", f"placet-desk-{number}", "owner@example.com", "pick_up") for number in range(60)]


def waits(gateway: Gateway, agent: Agent, number: int, *calls: Any, move_s: float = 0) -> str:
    gateway.clock.move(move_s)
    name = f"{agent.name}-{number}"
    return gateway.shown(*(calls or (REFUND,)), agent=agent, run=name, checkpoint=name).pause


def flooded(gateway: Gateway, single: Agent = BILLING, by: Agent = SUPPORT, many: int = 130) -> str:
    """A queue full of one agent's calls, of which another agent has one in the middle; that one."""
    found = ""
    for number in range(many):
        waits(gateway, by, number, move_s=1)
        found = waits(gateway, single, number) if number == many // 2 else found
    return found


def page(gateway: Gateway, limit: int = 50, after: str = "") -> Inbox:
    return inbox(gateway.ports, gateway.maria, limit, after)


def all_pages(gateway: Gateway, limit: int) -> list[list[str]]:
    found, after = [], ""
    for _ in range(1_000):
        shown = page(gateway, limit, after)
        found.append([row.pause for row in shown.rows])
        after = shown.next
        if not after:
            return found
    raise AssertionError("an inbox without an end")


def test_a_lane_and_its_moment_are_one_number() -> None:
    assert (lane_at(in_lane("desk", 12)), moment_at(in_lane("desk", 12))) == (lane_of("desk"), 12)
    assert lane_of("desk") != lane_of("Desk")
    assert 0 < lane_of("desk") <= 2**32
    assert (lane_at(1_795_968_000_000), moment_at(1_795_968_000_000)) == (0, 1_795_968_000_000)
    assert in_lane("desk", 1_795_968_000_000) < 10**25  # DynamoDB has 38 digits
    assert STEP > 99_999_999_999_999 - 1  # ms of the year 5138


@pytest.mark.parametrize(("single", "by"), [(BILLING, SUPPORT), (SUPPORT, BILLING)])
def test_one_call_of_another_agent_is_on_the_first_page(gateway: Gateway, single: Agent, by: Agent) -> None:
    """Whichever of them has the earlier lane."""
    found = flooded(gateway, single, by)
    shown = page(gateway)
    assert found in {row.pause for row in shown.rows}
    assert (len(shown.rows), bool(shown.next)) == (50, True)
    deadlines = [row.deadline_ms for row in shown.rows if row.pause != found]
    assert deadlines == sorted(deadlines)
    assert min(deadlines) == min(gateway.head(pause).deadline_ms for one in all_pages(gateway, 100) for pause in one)


@pytest.mark.parametrize("limit", [1, 7, 50, 100])
def test_everything_is_on_one_page_only(gateway: Gateway, limit: int) -> None:
    made = {waits(gateway, BILLING, number, REFUND, DELETE) for number in range(12)}
    made |= {waits(gateway, SUPPORT, number, *((DELETE,), (REFUND,))[number % 2]) for number in range(110)}
    made |= {waits(gateway, DESKS[0], number) for number in range(70)}
    found = all_pages(gateway, limit)
    shown = [pause for one in found for pause in one]
    assert (len(shown), set(shown)) == (len(made), made)
    assert [len(one) for one in found[:-1]] == [limit] * (len(found) - 1)


def test_it_costs_one_request_more_than_a_queue_that_is_empty(gateway: Gateway) -> None:
    asked: list[int] = []
    work = gateway.table.work

    def counted(pk: str, **bounds: Any) -> list[Item]:
        found = work(pk, **bounds)
        asked.append(len(found))
        return found

    gateway.table.work = counted
    page(gateway)
    queues_read = len(asked)
    flooded(gateway)
    asked.clear()
    page(gateway)
    assert len(asked) == queues_read + 1
    assert sum(asked) <= 53


def test_agents_have_their_turns_and_the_rest_is_for_what_is_due(gateway: Gateway) -> None:
    for agent in (SUPPORT, BILLING):
        for number in range(30):
            waits(gateway, agent, number, move_s=1)
    agents = [row.agent for row in page(gateway, 10).rows]
    assert (
        agents.count(BILLING.name) == 2 + 1
    )  # in the first turns, which fill half of the page; all of the other is older
    assert agents.count(SUPPORT.name) == 7


def test_more_agents_than_a_page_has_rows_come_one_after_the_other(gateway: Gateway) -> None:
    made = {waits(gateway, agent, number) for agent in DESKS for number in range(2)}
    found = all_pages(gateway, 50)
    assert {pause for one in found for pause in one} == made
    assert sum(map(len, found)) == len(made)
    first = page(gateway, 50)
    assert len({row.agent for row in first.rows}) == len(first.rows) == MOST_LANES


def test_entries_that_cannot_be_shown_hide_no_other_agents_call(gateway: Gateway) -> None:
    classes = gateway.policy.classes
    other = replace(next(iter(classes.values())), name="others", levels=(Level(("others",)),))
    gateway.policy = replace(gateway.policy, classes={**classes, "others": other})
    for number in range(80):
        pause = waits(gateway, SUPPORT, number, REFUND, DELETE)
        gateway.table.items[gateway.keys.head(pause)]["card"]["classes"] = ["others"]
    mine = waits(gateway, BILLING, 1, REFUND, DELETE)
    assert [row.pause for row in page(gateway).rows] == [mine]


def test_entries_of_an_earlier_release_have_one_lane_together(gateway: Gateway) -> None:
    """They have only their moment, and are shown, reminded of, claimed and decided as they were."""
    made = {waits(gateway, agent, number) for agent in (SUPPORT, BILLING) for number in range(30)}
    for pause in made:
        item = gateway.table.items[gateway.keys.head(pause)]
        item["wsk"] = moment_at(item["wsk"])
    new = {waits(gateway, DESKS[1], number) for number in range(30)}
    assert {pause for one in all_pages(gateway, 25) for pause in one} == made | new
    old = gateway.head(min(made))
    assert (old.lane, old.wsk, old.stands) == (0, old.deadline_ms, old.deadline_ms)
    gateway.decide(old, 1, Verdict.ACCEPT)
    assert gateway.head(old.pause).wpk == gateway.keys.out(old.agent)


def test_decided_meanwhile_shows_nothing_twice_and_hides_nothing(gateway: Gateway) -> None:
    flooded(gateway)
    first = page(gateway)
    for row in first.rows[::2]:
        gateway.decide(gateway.head(row.pause), 1, Verdict.REJECT)
    late = waits(gateway, SUPPORT, 999, move_s=1)
    rest, after = [], first.next
    while after:
        shown = page(gateway, 50, after)
        rest += [row.pause for row in shown.rows]
        after = shown.next
    assert len(rest) == len(set(rest)) == 131 + 1 - 50
    assert late in rest
    assert not {row.pause for row in first.rows} & set(rest)


PLACE = Place(1_795_968_000_000, "a" * 26)
READ = LanesRead({7: PLACE, 9: None}, 12)


@pytest.mark.parametrize("read", [READ, LanesRead({1: PLACE}, None), LanesRead({}, 3), LanesRead({0: None}, None)])
def test_a_cursor_says_how_far_each_lane_was_read(read: LanesRead) -> None:
    assert lanes_in(lanes_cursor("inbox", read), "inbox") == read


def test_the_longest_cursor_is_one() -> None:
    longest = LanesRead({2**32 - number: PLACE for number in range(MOST_LANES)}, 2**32)
    assert lanes_in(lanes_cursor("inbox", longest), "inbox") == longest
    more = LanesRead({2**32 - number: PLACE for number in range(MOST_LANES + 1)}, 2**32)
    with pytest.raises(Invalid):
        lanes_in(lanes_cursor("inbox", more), "inbox")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        cursor("inbox", PLACE),
        lanes_cursor("stuck", READ),
        lanes_cursor("inbox", LanesRead({7: Place(1, "a")}, None)),
        lanes_cursor("inbox", LanesRead({}, FIRST)),
        lanes_cursor("inbox", READ) + "A",
        lanes_cursor("inbox", READ)[:-2],
        "A" * 5_000,
    ],
)
def test_what_is_no_cursor_of_it_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        lanes_in(text, "inbox")
    assert refused.value.code == "cursor_invalid"


def test_planted_an_inbox_by_time_only_is_noticed(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_time(lanes: list[queues.Lane[Any]], limit: int) -> list[Any]:
        rows: list[Any] = []
        while len(rows) < limit and (there := queues._with_rows(lanes)):
            rows.append(there[0].take())
        return rows

    monkeypatch.setattr("placet.service.inbox.dealt", by_time)
    with pytest.raises(AssertionError):
        test_one_call_of_another_agent_is_on_the_first_page(gateway, BILLING, SUPPORT)


def test_a_card_names_the_classes_of_what_is_open(gateway: Gateway) -> None:
    head = gateway.shown(REFUND, DELETE)
    assert head.card.classes == ("general", "money-out")
    gateway.decide(head, 1, Verdict.REJECT)
    assert gateway.head(head.pause).card.classes == ("general",)


def test_half_of_a_page_is_dealt_in_turns_and_the_rest_is_what_is_due_soonest() -> None:
    def lane(name: str, *places: int) -> queues.Lane[str]:
        entries = [SimpleNamespace(place=place) for place in places]
        return queues.Lane(None, iter(entries), lambda one: f"{name}{one.place}", 99)  # type: ignore[arg-type]

    lanes = [lane("a", *range(1, 9)), lane("b", 100, 101)]
    assert queues.dealt(lanes, 4) == ["a1", "b100", "a2", "a3"]


def test_the_lane_next_to_one_that_has_nothing_due_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PAGE", 1)
    gateway = Gateway()
    queue = gateway.keys.queue("money-out", 0)
    for lane, at_ms in ((1, 900), (2, 5), (3, 900), (5, 6)):
        key = gateway.keys.head(f"p{lane}")
        gateway.table.items[key] = {**key._asdict(), "wpk": queue, "wsk": lane * STEP + at_ms}
    found = [moment_at(entry["wsk"]) for entry in loading.due_in(gateway.ports, queue, 10)]
    assert found == [5, 6]
