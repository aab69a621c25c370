"""What the synth says it costs: from one list of prices, the counts that were measured, and the templates as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from infra.app import ROOT
from infra.checks.template import Templates
from infra.estimate import APPROVAL, PRICES, estimate
from tests.docs.reading import rows
from tests.infra.planting import Bug, more


def test_an_approval_takes_what_was_measured() -> None:
    head = ("kind", "until", *APPROVAL, "micro-dollars")
    (told,) = [cells for cells in rows(ROOT / "docs/data-model.md", *head) if cells[0] == "accepted"]
    assert [float(cell) for cell in told[2:-1]] == list(APPROVAL.values())
    assert round(sum(APPROVAL[column] * price for column, price in PRICES["micro_usd"].items())) == int(told[-1])


def test_it_follows_the_templates(templates: Templates, broken: Callable[[Bug], Templates]) -> None:
    found = estimate(templates)
    assert found.parts["keys"] == 2
    assert found.parts["alarms"] == pytest.approx(0.1 * len(templates.of("AWS::CloudWatch::Alarm")))
    assert 5 < found.month < 15
    assert found.thousand == pytest.approx(0.145, abs=0.001)
    another = estimate(broken(more("AWS::KMS::Key", KeyPolicy={"Statement": []})))
    assert another.month == pytest.approx(found.month + 1)
    summed = estimate(
        broken(more("AWS::CloudWatch::Alarm", Metrics=[{"MetricStat": {}}, {"MetricStat": {}}, {"Id": "e"}]))
    )
    assert summed.month == pytest.approx(found.month + 0.2)


def test_it_is_one_line_with_its_date_and_the_page_says_the_same(templates: Templates) -> None:
    told = estimate(templates).told()
    assert "\n" not in told
    assert PRICES["as_of"] in told
    assert f"${estimate(templates).month:.2f} a month" in told
    page = (ROOT / "docs/aws.md").read_text()
    assert f"${estimate(templates).month:.2f}" in page
    assert f"${estimate(templates).thousand:.2f}" in page
    assert set(PRICES["monthly_usd"]) == set(PRICES["monthly_notes"])


def test_prices_stand_in_one_place() -> None:
    assert [str(one.relative_to(ROOT)) for one in ROOT.glob("*/**/prices.json") if "cdk.out" not in one.parts] == [
        str(Path("infra/prices.json"))
    ]
