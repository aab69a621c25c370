"""No answer is larger than Lambda can hand over: lists stop before, and what is too large by itself is told."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

import pytest

from placet.http.messages import json_answer
from placet.http.routing import MOST_BYTES, fitting
from placet.model.canonical import MAX_BODY_BYTES, digest, exact_text, parse
from placet.model.cursors import Place
from placet.model.errors import TooLarge
from placet.model.pauses import Agent
from placet.model.states import Verdict
from placet.records.heads import Head
from placet.service.pages import BUDGET_BYTES, Budget, page_of, weight
from placet.service.resume import pick_up, take
from placet.service.review import detail
from placet.service.went_on import resumed
from placet.web import arguments, pages
from placet.web.forms import FormFacts
from tests.gateway import SUPPORT, Gateway, native

LAMBDA_TAKES = 6_291_556
FORM = FormFacts("csrf", "mark", 0)


def handed_over(answer: dict[str, Any]) -> int:
    """Bytes of an answer as Lambda counts them: its JSON."""
    return len(json.dumps(answer, ensure_ascii=False).encode())


def shown(gateway: Gateway, arguments: dict[str, Any], *, calls: int = 1, checkpoint: str = "cp-1") -> Head:
    """A pause with calls of these arguments, as many bytes as a request may have."""
    raw = parse(json.dumps(native(*[("delete_records", arguments)] * calls, checkpoint=checkpoint), ensure_ascii=False))
    return gateway.show(gateway.hand_in(raw, agent=SUPPORT).head)


def large(gateway: Gateway, number: int) -> str:
    """A decided pause of 480 KB as an answer: every sign of its arguments is escaped twice."""
    head = shown(gateway, {"table": '"' * 120_000, "where": "x"}, checkpoint=f"cp-{number}")
    gateway.decide(head, 1, Verdict.ACCEPT)
    return head.pause


def test_the_pick_up_list_comes_in_pages_that_fit(gateway: Gateway) -> None:
    made = {large(gateway, number) for number in range(12)}
    seen, after = [], ""
    while True:
        page = pick_up(gateway.ports, SUPPORT, 25, after)
        assert handed_over(json_answer({"resumes": list(page), "more": page.more, "next": page.next})) <= MOST_BYTES
        seen += [one["pause"] for one in page]
        after = page.next
        if not after:
            break
        assert page.more
        assert sum(map(weight, page)) > BUDGET_BYTES / 2, "a page is filled"
    assert (len(seen), set(seen)) == (12, made)


def test_only_what_is_in_the_answer_is_leased(gateway: Gateway) -> None:
    made = {large(gateway, number) for number in range(12)}
    first = take(gateway.ports, SUPPORT, limit=25)
    assert first.more
    assert handed_over(json_answer({"resumes": list(first), "more": first.more})) <= MOST_BYTES
    now = gateway.clock.at_ms
    leased = {pause for pause in made if gateway.head(pause).is_leased(now)}
    assert leased == {one["pause"] for one in first}
    rest: list[str] = []
    while page := take(gateway.ports, SUPPORT, limit=25):
        rest += [one["pause"] for one in page]
    assert set(rest) == made - leased


def test_a_request_that_is_repeated_gets_what_it_got(gateway: Gateway) -> None:
    for number in range(12):
        large(gateway, number)
    first, again = (take(gateway.ports, SUPPORT, limit=25, holder="request-1") for _ in range(2))
    assert [one["fence"] for one in first] == [one["fence"] for one in again]
    assert [one["pause"] for one in first] == [one["pause"] for one in again]


def test_a_pause_over_the_budget_comes_alone(gateway: Gateway) -> None:
    made = [large(gateway, number) for number in range(3)]
    with mock.patch("placet.service.resume.Budget", side_effect=lambda: Budget(1_000)):
        assert [len(take(gateway.ports, SUPPORT, limit=25)) for _ in range(4)] == [1, 1, 1, 0]
        pages, after = [], ""
        for _ in made:
            page = pick_up(gateway.ports, SUPPORT, 25, after)
            pages += [[one["pause"] for one in page]]
            after = page.next
    assert (pages, after) == ([[pause] for pause in made], "")


def test_whether_there_is_more_is_told(gateway: Gateway) -> None:
    made = [large(gateway, number) for number in range(2)]
    assert take(gateway.ports, SUPPORT, limit=1).more
    assert not take(gateway.ports, SUPPORT, limit=1).more
    assert not take(gateway.ports, SUPPORT, limit=1).more
    resumed(gateway.ports, SUPPORT, made[0])


def test_the_first_row_counts() -> None:
    rows = [(Place(number, "a" * 26), "x" * 100) for number in range(3)]
    assert len(page_of("list", rows, 10, Budget(250).fits)) == 2


ODD = {
    "quotes": {"table": '"' * 120_000},
    "angles": {"table": "<" * 250_000},
    "hidden": {"table": "\u200b" * 30_000},
    "entries": {"table": parse("[" + ",".join(["0"] * 80_000) + "]")},
    "names": {f"\u200b{number}": "\u200b" for number in range(2_000)},
    "groups": {"table": [{"a": "\u200b"}] * 3_000},
}


@pytest.mark.parametrize("kind", ODD)
def test_every_page_of_the_largest_call_fits(gateway: Gateway, kind: str) -> None:
    head = shown(gateway, ODD[kind])
    found = detail(gateway.ports, gateway.maria, head.pause)
    for text in (pages.detail(found, gateway.maria, FORM), pages.edit(found, found.calls[0], gateway.maria, FORM)):
        assert handed_over({"body": text}) < MOST_BYTES


def test_of_too_many_arguments_every_one_is_in_one_text(gateway: Gateway) -> None:
    many = {f"name-{number}\u200b": number for number in range(arguments.MOST_ROWS + 1)}
    head = shown(gateway, many)
    call = detail(gateway.ports, gateway.maria, head.pause).calls[0]
    (row,) = arguments.arguments_of(call)
    assert (row.boxed, row.marked.hidden, row.kind) == (True, len(many), f"{len(many)} arguments in one text")
    assert parse(row.text) == many
    text = pages.detail(detail(gateway.ports, gateway.maria, head.pause), gateway.maria, FORM)
    assert 'name="read-1-1"' in text
    assert text.count("name-500") >= 1


def test_edits_together_are_no_more_than_a_request(gateway: Gateway) -> None:
    head = shown(gateway, {"table": "contacts", "where": "x"}, calls=3)

    def edit(number: int, size: int) -> None:
        text = exact_text({"table": "contacts", "where": "y" * size})
        gateway.decide(head, number, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))

    edit(1, 130_000)
    edit(2, 130_000)
    with pytest.raises(TooLarge) as refused:
        edit(3, 10_000)
    assert (refused.value.code, refused.value.members) == ("body_too_large", {"limit": MAX_BODY_BYTES})
    edit(3, 500)
    assert not gateway.head(head.pause).open_calls


def test_a_call_may_be_made_smaller_whatever_the_others_have(gateway: Gateway) -> None:
    head = shown(gateway, {"table": "contacts", "where": "x" * 80_000}, calls=3)
    with mock.patch("placet.service.editing.MAX_BODY_BYTES", 100_000):
        text = exact_text({"table": "contacts", "where": "x" * 79_999})
        gateway.decide(head, 1, Verdict.EDIT, arguments=text, new_digest=digest(parse(text)))


def test_one_thing_that_is_too_large_is_told(gateway: Gateway) -> None:
    fits = {"statusCode": 200, "body": "x" * (MOST_BYTES - 100)}
    assert fitting(fits) is fits
    for body in ("x" * (MOST_BYTES + 1), '"' * (MOST_BYTES // 2), "\u20ac" * (MOST_BYTES // 3)):
        with pytest.raises(TooLarge) as refused:
            fitting({"statusCode": 200, "body": body})
        assert refused.value.code == "answer_too_large"
    assert MOST_BYTES < LAMBDA_TAKES


def test_planted_a_list_without_a_budget_is_noticed(gateway: Gateway) -> None:
    with mock.patch("placet.service.resume.Budget", side_effect=lambda: Budget(10**9)), pytest.raises(AssertionError):
        test_the_pick_up_list_comes_in_pages_that_fit(gateway)


def test_planted_a_lease_of_what_is_not_in_the_answer_is_noticed(gateway: Gateway) -> None:
    real = take

    def leases_first(ports: Any, agent: Agent, pause: str = "", limit: int = 1, *more: Any, **facts: Any) -> Any:
        with mock.patch("placet.service.resume.Budget", side_effect=lambda: Budget(10**9)):
            found = real(ports, agent, pause, limit, *more, **facts)
        return type(found)(found[:5], more=len(found) > 5)

    with mock.patch("tests.unit.test_budgets.take", leases_first), pytest.raises(AssertionError):
        test_only_what_is_in_the_answer_is_leased(gateway)


def test_small_things_are_not_weighed() -> None:
    answer = {"statusCode": 200, "body": "small"}
    with mock.patch("placet.http.routing.json.dumps", side_effect=AssertionError):
        assert fitting(answer) is answer
