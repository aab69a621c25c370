"""docs/operations.md names every function whose failures are kept."""

from __future__ import annotations

import re

from infra.checks.template import Templates
from tests.docs.reading import ROOT, rows


def test_the_page_names_every_function_whose_failures_are_kept(templates: Templates) -> None:
    verbs = {name: verb for verb, name, _ in templates.functions()}
    kept = {verbs[one["FunctionName"]["Ref"]] for one in templates.of("AWS::Lambda::EventInvokeConfig").values()}
    assert "invoke_agent" in kept
    (told,) = [
        means
        for alarm, means, _ in rows(ROOT / "docs/operations.md", "alarm", "it means", "do")
        if alarm == "`AsyncFailures`"
    ]
    assert set(re.findall(r"`(\w+)`", told)) == kept
