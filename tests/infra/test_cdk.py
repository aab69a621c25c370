"""The pinned CDK command line: exact, held against a digest, from no named host, and installed once."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from infra import cdk
from infra.synth import SynthError


@pytest.fixture
def npm(monkeypatch, tmp_path):
    """What would be called, and a folder to install into; the program is there afterwards unless the call fails."""
    calls = []

    def run(words, cwd, **_options):
        calls.append(words)
        if npm_fails:
            return subprocess.CompletedProcess(words, 1, "", "npm error network")
        program = cwd / "node_modules" / "aws-cdk" / "bin" / "cdk"
        program.parent.mkdir(parents=True)
        program.write_text("")
        return subprocess.CompletedProcess(words, 0, "", "")

    npm_fails: list[bool] = []
    monkeypatch.setattr(cdk.subprocess, "run", run)
    return tmp_path, calls, npm_fails


def test_it_is_pinned_exactly_with_a_digest_and_names_no_host():
    wanted = json.loads((cdk.PINS / "package.json").read_text())["dependencies"]
    lock = (cdk.PINS / "package-lock.json").read_text()
    packages = json.loads(lock)["packages"]
    assert set(wanted) == {"aws-cdk"}
    assert re.fullmatch(r"2\.\d+\.\d+", wanted["aws-cdk"])
    assert packages.pop("")["dependencies"] == wanted
    assert packages["node_modules/aws-cdk"]["version"] == wanted["aws-cdk"]
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert "http" not in lock


def test_it_is_installed_once_and_again_when_the_pins_change(npm, monkeypatch):
    home, calls, _ = npm
    for _ in range(2):
        node, program = cdk.command(home)
    assert (len(calls), program) == (1, str(home / "cdk" / "node_modules" / "aws-cdk" / "bin" / "cdk"))
    assert "--ignore-scripts" in calls[0]
    assert node.endswith("/node")
    monkeypatch.setattr(cdk, "_fingerprint", lambda: "others")
    cdk.command(home)
    assert len(calls) == 2


def test_a_failed_install_says_so_and_is_tried_again(npm):
    home, calls, fails = npm
    fails.append(True)
    for _ in range(2):
        with pytest.raises(SynthError, match=r"(?s)with no network, connect once.*npm error network"):
            cdk.command(home)
    assert len(calls) == 2


def test_the_app_is_run_by_the_python_of_this_checkout_and_nothing_is_sent_home():
    found = cdk.environment({"PATH": "/usr/bin", "AWS_PROFILE": "mine"})
    assert found["PATH"].split(":")[0].endswith(".venv/bin")
    assert found["PATH"].endswith(":/usr/bin")
    assert (found["AWS_PROFILE"], found["CDK_DISABLE_CLI_TELEMETRY"]) == ("mine", "true")
