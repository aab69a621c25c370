"""A policy that this machine can load and the functions cannot is refused at synth: it would fail every function at start."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from infra import policy_runtime
from infra.constructs.function import RUNTIME
from infra.policy_file import check_policy, deployed_policy
from infra.registry import SettingsError
from placet.policy import WorkingHours
from tests.docs.reading import ROOT
from tests.zones import packaged_zones

RIGHT = (ROOT / "tests/policies/right.py").read_text()


def refusal(folder: Path, text: str) -> str:
    path = folder / "policy.py"
    path.write_text(text)
    with pytest.raises(SettingsError) as refused:
        check_policy(deployed_policy(path), [], path)
    return str(refused.value).removeprefix("policy: policy.py: ")


def taken(folder: Path, text: str) -> None:
    path = folder / "policy.py"
    path.write_text(text)
    check_policy(deployed_policy(path), [], path)


def test_it_is_judged_by_the_functions_python() -> None:
    assert RUNTIME.name == f"python{policy_runtime._dotted()}"


@pytest.mark.parametrize("name", ["pytest", "infra.settings", "placet.client", "local.seed", "aws_cdk", "tests"])
def test_a_module_that_is_not_deployed_is_named(name: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, f"{RIGHT}\nimport {name}\n").endswith(f": imports {name}, which the functions do not have")
    top, _, inner = name.rpartition(".")
    if top == "placet":
        said = refusal(tmp_path, f"{RIGHT}\nfrom {top} import {inner}\n")
        assert said.endswith(f": imports {name}, which the functions do not have")


def test_what_the_functions_have_is_taken(tmp_path: Path) -> None:
    (tmp_path / "our_limits.py").write_text("import json\nLIMIT = 1\n")
    found = "import boto3, jsonschema, jwt, our_limits, zoneinfo\nfrom placet.policy import Always\n"
    without = "try:\n    import pytest\nexcept ImportError:\n    pytest = None\n"
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pytest\n"
    sys.path.insert(0, str(tmp_path))
    try:
        taken(tmp_path, f"{RIGHT}\n{found}{without}{typed}")
        (tmp_path / "our_limits.py").write_text("import json\n\nimport pytest\n")
        assert refusal(tmp_path, f"{RIGHT}\n{found}").startswith("our_limits.py, line 3: imports pytest,")
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("our_limits", None)


def test_a_file_that_is_not_deployed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, elsewhere = tmp_path / "policy", tmp_path / "home"
    for folder in (beside, elsewhere):
        folder.mkdir()
        (folder / "limits.json").write_text("{}")
    taken(beside, f"{RIGHT}\nfrom pathlib import Path\nPath(__file__).with_name('limits.json').read_text()\n")
    taken(beside, f"{RIGHT}\ntry:\n    open('/nowhere/limits.json')\nexcept OSError:\n    pass\n")
    monkeypatch.chdir(elsewhere)
    said = refusal(beside, f"{RIGHT}\nopen('limits.json').close()\n")
    assert said == "reads limits.json, which the functions do not have; put it beside the policy"


def test_what_only_a_newer_python_reads_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = f"{RIGHT}\nif (limit := 1):\n    pass\n"
    taken(tmp_path, newer)
    monkeypatch.setattr(policy_runtime, "PYTHON", (3, 7))
    assert refusal(tmp_path, newer).endswith("; the functions run Python 3.7")


READ = """
from pathlib import Path
from infra.definitions import definition_of
from infra.policy_file import check_policy, deployed_policy
from infra.registry import Agent, SettingsError

folder = Path({folder!r})
check_policy(deployed_policy(folder / "right.py"), [], folder / "right.py")
target = {{"kind": "bedrock_inline", "definition": "desk", "session_ttl_s": 1800}}
target["executor"] = "refunds"
agent = Agent("desk", "r", "o@example.com", target)
assert definition_of(agent, folder)["instruction"] == "Grüße"
try:
    deployed_policy(folder / "wrong.py")
except SettingsError as error:
    assert "1 / 0  # Größe" in str(error), error
else:
    raise AssertionError("it was taken")
"""


def test_texts_are_read_as_the_functions_read_them_whatever_this_machine_speaks(tmp_path: Path) -> None:
    """Python warns of every text that is read in the machine's own encoding; here that is an error."""
    (tmp_path / "right.py").write_text(f"# Größe\n{RIGHT}", "utf-8")
    (tmp_path / "wrong.py").write_text("POLICY = 1 / 0  # Größe\n", "utf-8")
    desk = {"foundationModel": "m", "instruction": "Grüße", "idleSessionTTLInSeconds": 1800}
    (tmp_path / "desk.json").write_text(json.dumps(desk, ensure_ascii=False), "utf-8")
    asked = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    done = subprocess.run([*asked, "-c", READ.format(folder=str(tmp_path))], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_zones_are_judged_by_the_functions_own(tmp_path: Path) -> None:
    policy = deployed_policy(ROOT / "tests/policies/right.py")
    (name, one), *_ = policy.classes.items()
    (pinned,) = [line for line in policy_runtime.PINS.read_text().splitlines() if line.startswith("tzdata==")]
    hours = replace(policy, classes={**policy.classes, name: replace(one, hours=WorkingHours("Europe/Berlin"))})
    path = ROOT / "tests/policies/right.py"
    for here, says in ((pinned.removeprefix("tzdata=="), ""), ("2020.1", "here is 2020.1"), ("", "here is none")):
        with packaged_zones(tmp_path / (here or "none"), here):
            assert policy_runtime.amiss(policy, path) == []
            said = policy_runtime.amiss(hours, path)
        assert len(said) == bool(says)
        assert says in "".join(said)
