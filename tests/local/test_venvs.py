"""The environments are made once, from pins, and say what is wrong when they cannot be made."""

from __future__ import annotations

import subprocess
import sys

import pytest

from local import venvs


@pytest.fixture
def small(tmp_path, monkeypatch):
    """An environment without any package, in a home of its own."""
    monkeypatch.setattr(venvs, "HOME", tmp_path / "home")
    pins = tmp_path / "pins.txt"
    pins.with_suffix(".lock").write_text("# nothing\n")
    venv = venvs.Venv(tmp_path / "venv", pins, "a test")
    monkeypatch.setitem(venvs.VENVS, "small", venv)
    return venv


def test_the_second_time_there_is_nothing_to_do(small, capsys):
    venvs.ensure("small")
    assert small.python.exists()
    assert "installing a test" in capsys.readouterr().out
    made = small.stamp.stat().st_mtime_ns
    venvs.ensure("small")
    assert (small.stamp.stat().st_mtime_ns, capsys.readouterr().out) == (made, "")


def test_an_environment_without_interpreter_is_made_anew(small, monkeypatch):
    steps = []
    monkeypatch.setattr(venvs, "_step", lambda command, log, venv: steps.append(command[2]))
    small.path.mkdir()
    venvs.ensure("small")
    small.lock.write_text("# still nothing\n")
    venvs.ensure("small")
    assert steps == ["venv", "pip", "venv", "pip"]  # no interpreter in it, so it is made anew both times


def test_changed_pins_of_the_same_interpreter_are_only_installed(small, monkeypatch):
    venvs.ensure("small")
    steps = []
    monkeypatch.setattr(venvs, "_step", lambda command, log, venv: steps.append(command[2]))
    small.lock.write_text("# still nothing\n")
    venvs.ensure("small")
    assert steps == ["pip"]


def test_a_failed_install_says_where_to_look_and_is_tried_again(small, capsys):
    small.lock.write_text("/nowhere/placet-no-such-package-1.0-py3-none-any.whl\n")
    with pytest.raises(SystemExit) as left:
        venvs.ensure("small")
    assert left.value.code == 1
    assert "install-small.log" in capsys.readouterr().err
    assert not small.stamp.exists()


def test_missing_pins_are_said(small, capsys):
    small.lock.unlink()
    with pytest.raises(SystemExit):
        venvs.ensure("small")
    assert "is missing" in capsys.readouterr().err


def test_nothing_is_installed_but_by_its_digest(small, monkeypatch):
    steps = []
    monkeypatch.setattr(venvs, "_step", lambda command, log, venv: steps.append(command))
    small.path.mkdir()
    venvs.ensure("small")
    (installed,) = [command for command in steps if "-r" in command]
    assert installed[-3:] == ["--require-hashes", "-r", str(small.lock)]
    assert all(venv.lock.exists() for name, venv in venvs.VENVS.items() if name != "small")


@pytest.mark.parametrize("name", ["ministack", "steps", "agent"])
def test_every_package_of_an_emulator_is_pinned_exactly(name):
    lines = [line for line in venvs.VENVS[name].pins.read_text().splitlines() if line and not line.startswith("#")]
    assert lines
    assert all("==" in line for line in lines)


def test_the_interpreter_stands_in_for_the_runtimes_boto3():
    pins = venvs.VENVS["ministack"].pins.read_text()
    assert "ministack==1.5.33\n" in pins
    assert "boto3==1.43.106\nbotocore==1.43.106\n" in pins


def test_it_runs_before_anything_is_installed():
    bare = [sys.executable, "-I", "-S", "-c", "import runpy, sys; runpy.run_path(sys.argv[1])", venvs.__file__]
    done = subprocess.run(bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_unpacked_is_counted(small, tmp_path):
    packages = small.path / "lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    log = tmp_path / "log"
    log.write_text("Collecting a\nInstalling collected packages: a, b, c\nWARNING: slow\n")
    assert venvs._last_line(log, small, 0.0) == "unpacked 0 of 3 packages"
    for name in ("a", "b"):
        (packages / f"{name}-1.0.dist-info").mkdir()
    assert venvs._last_line(log, small, 0.0) == "unpacked 2 of 3 packages"
