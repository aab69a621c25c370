"""`python -m infra.synth`: skips, says what is wrong in a sentence, and lets the checks stop a synth."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra import synth
from infra.checks import CHECKS, Templates
from infra.settings import Settings


def test_nothing_changed_means_nothing_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    stamp = {"inputs": synth.fingerprint(synth.ROOT), "figures": "synth: stacks=2"}
    (tmp_path / synth.STAMP).write_text(json.dumps(stamp))
    monkeypatch.setattr(synth, "_run_app", lambda *_: pytest.fail("ran"))
    assert synth.synth(tmp_path) == "synth: stacks=2"


@pytest.mark.parametrize("stamp", ["", "[", '{"inputs": "old", "figures": "x"}'])
def test_anything_else_is_synthesized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stamp: str) -> None:
    (tmp_path / synth.STAMP).write_text(stamp)
    ran = []
    monkeypatch.setattr(synth, "_run_app", lambda output, where: ran.append(output))
    monkeypatch.setattr(synth, "_reported", lambda output: [])
    monkeypatch.setattr(synth, "_lint", lambda output: None)
    monkeypatch.setattr(synth, "_figures", lambda output: "figures")
    monkeypatch.setattr(synth, "_cost", lambda output: "about nothing")
    assert synth.synth(tmp_path) == "figures"
    assert ran == [tmp_path]
    assert json.loads((tmp_path / synth.STAMP).read_text())["figures"] == "figures"


def test_assets_that_nothing_names_are_dropped(tmp_path: Path) -> None:
    for name in ("asset.new", "asset.old"):
        (tmp_path / name).mkdir()
    files = {"files": {"a": {"source": {"path": "asset.new"}}, "b": {"source": {"path": "S.template.json"}}}}
    (tmp_path / "S.assets.json").write_text(json.dumps(files))
    synth._prune(tmp_path)
    assert {path.name for path in tmp_path.glob("asset.*")} == {"asset.new"}


def test_the_fingerprint_follows_inputs_only(tmp_path: Path) -> None:
    for name in ("app.py", "cdk.json", "requirements.lock", "infra/a.py", "layers/core/python/placet/client/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    before = synth.fingerprint(tmp_path)
    (tmp_path / "layers/core/python/placet/client/b.py").write_text("changed")
    (tmp_path / "infra/__pycache__").mkdir()
    (tmp_path / "infra/__pycache__/a.pyc").write_text("compiled")
    assert synth.fingerprint(tmp_path) == before
    (tmp_path / "infra/a.py").write_text("changed")
    assert synth.fingerprint(tmp_path) != before


def test_a_synth_never_knows_an_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_PROFILE", "customer")
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "123456789012")
    monkeypatch.setenv("CDK_VALIDATION", "false")
    given = synth.environment(tmp_path)
    assert not [name for name in given if name.startswith("AWS_")]
    assert {name for name in given if name.startswith("CDK_")} == {"CDK_OUTDIR"}
    assert Path(given["JSII_NODE"]).name == "node"


def test_a_failure_is_told_without_its_traceback() -> None:
    err = "ERROR The pool is open. (placet)\n   PlacetData/Reviewers\n\njsii.errors.JavaScriptError: \n  at Kernel\n"
    err += "\nThe above exception was the direct cause\n\nTraceback (most recent call last):\n  File\n"
    assert synth._essence("Bundling asset x\n", f"{err}RuntimeError: ValidationFailed: see the report\n") == (
        "ERROR The pool is open. (placet)\n   PlacetData/Reviewers\nRuntimeError: ValidationFailed: see the report"
    )


def test_cfn_lint_is_heard(tmp_path: Path) -> None:
    (tmp_path / "Bad.template.json").write_text(
        '{"Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": {"X": 1}}}}'
    )
    with pytest.raises(synth.SynthError, match="E3002"):
        synth._lint(tmp_path)


def test_the_assembly_asks_no_account_anything(assembly: Path) -> None:
    manifest = json.loads((assembly / "manifest.json").read_text())
    assert not manifest.get("missing")
    stacks = {name: one for name, one in manifest["artifacts"].items() if one["type"] == "aws:cloudformation:stack"}
    assert {name: one["environment"] for name, one in stacks.items()} == {
        "PlacetData": "aws://unknown-account/unknown-region",
        "PlacetGateway": "aws://unknown-account/unknown-region",
    }
    assert "PlacetData" in stacks["PlacetGateway"]["dependencies"]
    assert stacks["PlacetData"]["properties"]["terminationProtection"] is True


def run_plugin(folder: Path, templates: Templates, **settings: Any) -> Any:
    from infra.checks.plugin import PlacetChecks

    for name, template in (("PlacetData", templates.data), ("PlacetGateway", templates.gateway)):
        (folder / f"{name}.template.json").write_text(json.dumps(template))
    base = {"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": []}
    context = SimpleNamespace(template_paths=[str(folder / "PlacetData.template.json")])
    return PlacetChecks(Settings.of({**base, **settings})).validate(context)


def test_a_finding_fails_the_synth(
    tmp_path: Path, broken: Callable[[Callable[[Templates], None]], Templates], templates: Templates
) -> None:
    assert run_plugin(tmp_path, templates).success is True

    def bug(copied: Templates) -> None:
        table = next(one for one in copied.data["Resources"].values() if one["Type"] == "AWS::DynamoDB::Table")
        table["Properties"].pop("TimeToLiveSpecification")

    report = run_plugin(tmp_path, broken(bug))
    assert report.success is False
    (violation,) = report.violations
    assert violation.rule_name == "table_recovers"
    assert violation.violating_resources[0].resource_logical_id.startswith("Table")
    assert violation.violating_resources[0].template_path.endswith("PlacetData.template.json")


REPORT = {"pluginReports": [{"pluginName": "cdk", "violations": [{"ruleName": "W1", "description": "is odd"}]}]}


def test_a_warning_is_not_overlooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "validation-report.json").write_text(json.dumps(REPORT))
    monkeypatch.setattr(synth, "_run_app", lambda *_: None)
    with pytest.raises(synth.SynthError, match="cdk: W1: is odd"):
        synth.synth(tmp_path)


def test_the_figures(assembly: Path, tmp_path: Path) -> None:
    shutil.copytree(assembly, tmp_path, dirs_exist_ok=True)
    (tmp_path / "validation-report.json").write_text('{"pluginReports": []}')
    figures = synth._figures(tmp_path)
    assert figures.startswith("synth: stacks=2 resources=")
    assert figures.endswith(f" nag_findings=0 checks={len(CHECKS)} cfn_lint=0")
