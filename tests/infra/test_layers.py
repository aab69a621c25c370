"""What the layers are made of, and that a build says why it failed instead of looking for Docker."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from infra.app import ROOT
from infra.constructs import interpreter
from infra.constructs.layer_rules import NOT_DEPLOYED, is_input

PINS = [line for line in (ROOT / "layers/deps/requirements.txt").read_text().splitlines() if line and line[0] != "#"]


def test_every_wheel_is_pinned_exactly() -> None:
    assert PINS
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][\w.]*", line)] == []


def test_developers_test_with_the_wheels_that_are_deployed() -> None:
    theirs = dict(line.split("==") for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line)
    wanted = {name.partition("[")[0].lower(): version for name, version in theirs.items()}
    for line in PINS:
        name, version = line.lower().split("==")
        assert wanted.get(name, version) == version, name


def test_boto3_comes_from_the_runtime() -> None:
    names = {line.partition("==")[0].lower() for line in PINS}
    assert not names & {"boto3", "botocore", "aws-xray-sdk", "s3transfer"}


def test_what_runs_elsewhere_is_not_deployed() -> None:
    package = Path("layers/core/python/placet")
    for name in NOT_DEPLOYED:
        assert not is_input(package / name / "x.py")
    assert is_input(package / "service" / "local" / "x.py")
    assert is_input(Path("functions/capture/handler.py"))
    assert not is_input(package / "model" / "__pycache__" / "x.cpython-313.pyc")


def test_sources_are_copied_without_what_is_not_deployed(tmp_path: Path) -> None:
    from infra.constructs.layers import _Sources

    source = tmp_path / "python"
    for name in ("placet/model/a.py", "placet/cli/b.py", "placet/client/c.py", "placet/__pycache__/d.pyc"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("x = 1\n")
    assert _Sources(source).try_bundle(str(tmp_path / "out"), image=None)
    copied = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.py")}
    assert copied == {"python/placet/model/a.py"}
    if interpreter.matching_interpreter("3.13"):
        (compiled,) = (tmp_path / "out").rglob("*.pyc")
        assert compiled.name == "a.cpython-313.pyc"
        # Flags 1: hash-based and never checked against the source, whose date an asset's zip does not keep.
        assert compiled.read_bytes()[4:8] == (1).to_bytes(4, "little")


def test_a_failed_build_says_so(tmp_path: Path) -> None:
    from infra.constructs.layers import _run

    with pytest.raises(RuntimeError, match="no such wheel"):
        _run([sys.executable, "-c", "import sys; sys.exit('no such wheel')"])


def test_a_shim_that_fails_is_no_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = tmp_path / "python9.9"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreter.matching_interpreter("9.9") is None


def test_this_interpreter_matches_itself() -> None:
    assert interpreter.matching_interpreter(f"{sys.version_info[0]}.{sys.version_info[1]}") is not None


def test_built_wheels_are_for_the_runtime() -> None:
    """Looks at what `make synth` built, where it has."""
    template = ROOT / "cdk.out" / "PlacetGateway.template.json"
    if not template.exists():
        pytest.skip("cdk.out is not there: run `make synth`")
    layers = json.loads(template.read_text())["Resources"]
    deps = next(one for name, one in layers.items() if name.startswith("LayersDeps"))
    built = ROOT / "cdk.out" / f"asset.{deps['Properties']['Content']['S3Key'].removesuffix('.zip')}"
    compiled = {path.name for path in built.rglob("*.so")}
    assert compiled
    assert not [name for name in compiled if "aarch64" not in name and not name.endswith(".abi3.so")]
    assert {path.name for path in built.iterdir()} == {"python", "sbom.cdx.json"}
    assert sum(path.stat().st_size for path in built.rglob("*")) < 100_000_000
    for name in ("boto3", "botocore", "bin"):
        assert not (built / "python" / name).exists()


def test_pip_is_what_builds() -> None:
    assert importlib.util.find_spec("pip"), "layers are built with this environment's pip"
    assert subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0
