"""Times and numbers as they are read."""

from __future__ import annotations

import pytest

from placet.web import phrases
from tests.web.made import DAY, HOUR, MINUTE, NOW


@pytest.mark.parametrize(
    ("span_ms", "said"),
    [
        (2 * HOUR + 14 * MINUTE, "2 h 14 min left"),
        (2 * HOUR, "2 h left"),
        (19 * MINUTE + 59_999, "19 min left"),
        (59_000, "59 s left"),
        (2 * DAY + 21 * HOUR + 59 * MINUTE, "2 d 21 h left"),
        (999, "over"),
        (0, "over"),
        (-HOUR, "over"),
    ],
)
def test_time_left_is_rounded_down(span_ms, said):
    assert phrases.left(NOW + span_ms, NOW) == said


@pytest.mark.parametrize(
    ("span_ms", "said"),
    [
        (41 * MINUTE, "41 min ago"),
        (23 * HOUR + 59 * MINUTE, "23 h ago"),
        (9_000, "just now"),
        (12_000, "12 s ago"),
        (-HOUR, "just now"),
    ],
)
def test_time_ago(span_ms, said):
    assert phrases.ago(NOW - span_ms, NOW) == said


def test_clocks_say_their_zone_and_their_day():
    assert phrases.clock_s(NOW) == "14:46:03"
    assert phrases.until(NOW + 2 * HOUR, NOW) == "today 16:46 UTC"
    assert phrases.until(NOW + 3 * DAY, NOW) == "Thu 3 Dec, 14:46 UTC"
    assert phrases.until(NOW + 40 * DAY, NOW) == "Sat 9 Jan 2027, 14:46 UTC"
    assert phrases.full(NOW) == "Mon 30 Nov 2026, 14:46 UTC"
    assert phrases.iso(NOW) == "2026-11-30T14:46:03Z"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1240.00", "1,240.00"),
        ("-1240", "-1,240"),
        ("12345678901234567890.5", "12,345,678,901,234,567,890.5"),
        ("0.50", "0.50"),
        ("0", "0"),
        ("999", "999"),
        ("1000", "1,000"),
        ("1e-7", "1e-7"),
        ("1E400", "1E400"),
        ("-0", "-0"),
        ("007", "007"),
        ("", ""),
        ("١٢٣٤", "١٢٣٤"),
    ],
)
def test_numbers(written, read):
    assert phrases.number(written) == read


def test_counts():
    assert [phrases.many(1, "call"), phrases.many(0, "call"), phrases.many(1914, "call waits", "calls wait")] == [
        "1 call",
        "0 calls",
        "1,914 calls wait",
    ]


@pytest.mark.parametrize(
    ("name", "read"),
    [("langchain", "LangChain, LangGraph"), ("bedrock", "Amazon Bedrock Agents"), ("of tomorrow", "of tomorrow")],
)
def test_frameworks_have_their_names(name, read):
    assert phrases.framework(name) == read
