"""Root's key of a start: another each time, found by its address, for nobody else's eyes, and printed on request."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from local import roots
from local.emulator.signatures import Key
from local.endpoint import Endpoint
from local.errors import StepFailed
from local.registered import root_environment
from local.run_state import write_state
from local.settings import LocalSettings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalSettings:
    """Of a start of another process in a home of its own."""
    monkeypatch.setenv("PLACET_HOME", str(tmp_path))
    for name, port in (("PORT", 7101), ("STEPS_PORT", 7102), ("API_PORT", 7103), ("BEDROCK_PORT", 7104)):
        monkeypatch.setenv(f"PLACET_{name}", str(port))
    settings = LocalSettings.from_environment()
    settings.run.mkdir()
    return settings


def noted(settings: LocalSettings) -> Path:
    write_state(settings.run, port=settings.gateway_port, ports=settings.ports, root=["AKIAROOT", "its secret"])
    return settings.run / "state.json"


def test_every_start_has_another_key_which_this_process_knows_at_all_its_ports() -> None:
    first, second = roots.new_root((7201, 7202)), roots.new_root((7203,))
    assert first.id != second.id
    assert first.secret != second.secret
    assert Endpoint("http://127.0.0.1:7202").root == first
    assert Endpoint("http://localhost:7203").root == second


def test_another_process_finds_it_where_the_start_noted_it(settings: LocalSettings) -> None:
    assert roots.root_at(settings.endpoint) == roots.NONE
    noted(settings)
    assert Endpoint(settings.steps_endpoint).root == Key("AKIAROOT", "its secret")
    assert roots.root_at("http://127.0.0.1:7105") == roots.NONE


def test_only_the_owner_may_read_it(settings: LocalSettings) -> None:
    file = noted(settings)
    noted(settings)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in settings.run.iterdir()] == ["state.json"]


def test_it_is_printed_for_a_shell_with_when_it_ends(settings: LocalSettings) -> None:
    with pytest.raises(StepFailed, match="Nothing of Placet is running on port 7101"):
        root_environment(settings)
    noted(settings)
    done = subprocess.run([sys.executable, "-m", "local", "environment"], capture_output=True, text=True, check=True)
    assert "export AWS_ACCESS_KEY_ID=AKIAROOT\nexport AWS_SECRET_ACCESS_KEY='its secret'\n" in done.stdout
    assert "export AWS_ENDPOINT_URL=http://127.0.0.1:7101\n" in done.stdout
    assert "until this start of Placet ends" in done.stderr
