"""What a start removes has our mark, and what it keeps is below its folder and for its owner's eyes."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from local import folders, venvs
from local.errors import LocalError, StepFailed
from local.folders import MARK, is_ours, make_anew
from local.processes import Emulators
from local.run_state import KEPT, STATE, one_at_a_time, read_state, remove_remains, remove_state
from local.settings import LocalSettings

LATER = time.time() + 7200
SHARED = re.compile(rb"""environ\.get\(\s*["'](\w+)["'],\s*["']/(?:tmp|var)\b""")


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def theirs(home: Path) -> list[str]:
    """A home that is somebody's folder, whose names are like those of a start; give what is in it."""
    for name in (
        "run-results/thesis.txt",
        "run-4999/deep/thesis.txt",
        "run/x",
        "cache/making-wine/x",
        "cache/layer-1/x",
    ):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("theirs")
    (home / "run-mlflow" / "tmp").mkdir(parents=True)
    (home / "run-mlflow" / STATE).write_text(json.dumps({"pid": 2**22 + 1, "loss": 0.1}))
    (home / "cache" / "assets").mkdir()
    for number in range(KEPT + 5):
        (home / "cache" / "assets" / f"my{number}.zip").touch()
    return tree(home)


def test_nothing_without_our_mark_is_removed_and_what_looks_like_remains_is_said(tmp_path):
    before = theirs(tmp_path)
    assert remove_remains(tmp_path, now=LATER) == [tmp_path / "run-mlflow", tmp_path / "cache"]
    assert not remove_state(tmp_path / "run-mlflow")
    assert tree(tmp_path) == before


def test_a_folder_of_somebody_else_in_the_place_of_ours_is_one_sentence(tmp_path):
    before = theirs(tmp_path)
    with pytest.raises(StepFailed, match="holds something that no start is known to have put there"):
        make_anew(tmp_path / "run-4999")
    emulators = Emulators(LocalSettings(home=tmp_path, run_name="run-4999").on_free_ports())
    with pytest.raises(StepFailed, match=r"run-4999 holds something"):
        emulators.start()
    emulators.stop()
    assert tree(tmp_path) == [*sorted([*before, "starts.lock"])]


def test_the_home_itself_may_hold_anything_and_a_cache_of_ours_is_marked(tmp_path):
    emulators = Emulators(LocalSettings(home=tmp_path))
    emulators._clear()
    assert is_ours(tmp_path / "cache")
    assert is_ours(tmp_path / "run")
    assert emulators.left == []


def test_a_name_alone_would_be_seen(tmp_path, monkeypatch):
    """The planted bug: whatever has the name of a start's folder is ours."""
    theirs(tmp_path)
    monkeypatch.setattr(folders, "is_ours", lambda folder: True)
    make_anew(tmp_path / "run-4999")
    assert tree(tmp_path / "run-4999") == [MARK]


@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_a_link_is_not_followed(tmp_path, target):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / MARK).touch()
    (tmp_path / "run").symlink_to(tmp_path / target)
    with pytest.raises(StepFailed, match="holds something"):
        make_anew(tmp_path / "run")
    assert (tmp_path / "run").is_symlink()
    assert tree(tmp_path / "there") == [MARK]


def test_a_mark_that_is_a_link_is_none(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "run" / MARK).symlink_to(tmp_path / "file")
    assert not is_ours(tmp_path / "run")


def test_logs_that_an_earlier_version_left_are_no_hindrance_and_stay(tmp_path):
    (tmp_path / "run" / "logs").mkdir(parents=True)
    for name in ("ministack.log", "agent.log"):
        (tmp_path / "run" / "logs" / name).write_text("earlier")
    make_anew(tmp_path / "run")
    assert is_ours(tmp_path / "run")
    assert (tmp_path / "run" / "logs" / "agent.log").read_text() == "earlier"
    (tmp_path / "run2" / "logs").mkdir(parents=True)
    (tmp_path / "run2" / "logs" / "training.log").touch()
    with pytest.raises(StepFailed, match="holds something"):
        make_anew(tmp_path / "run2")


def locked_starts(home: Path) -> None:
    with one_at_a_time(home):
        pass


def locked_venvs(home: Path) -> None:
    with venvs._only_one_at_a_time():
        pass


@pytest.mark.parametrize(("name", "lock"), [("starts.lock", locked_starts), ("venvs.lock", locked_venvs)])
def test_a_lock_that_is_a_link_empties_nothing(tmp_path, name, lock, monkeypatch, capsys):
    important = tmp_path / "important"
    important.write_text("important")
    (tmp_path / name).symlink_to(important)
    monkeypatch.setattr(venvs, "HOME", tmp_path)
    with pytest.raises((StepFailed, SystemExit)) as caught:
        lock(tmp_path)
    assert f"{tmp_path / name}: " in f"{caught.value}{capsys.readouterr().err}"
    assert important.read_text() == "important"


def test_a_lock_keeps_what_is_in_its_file(tmp_path):
    (tmp_path / "starts.lock").write_text("somebody's")
    with one_at_a_time(tmp_path):
        assert (tmp_path / "starts.lock").read_text() == "somebody's"


def test_an_environment_is_not_made_over_something_else(tmp_path, capsys):
    (tmp_path / "work").touch()
    with pytest.raises(SystemExit):
        venvs._refuse_what_is_no_environment(tmp_path)
    assert "holds something else than a Python environment" in capsys.readouterr().err
    (tmp_path / "pyvenv.cfg").touch()
    venvs._refuse_what_is_no_environment(tmp_path)


def home_of(kind: str, folder: Path) -> str:
    place = folder / kind
    if kind == "file":
        place.touch()
    elif kind == "dangling":
        place.symlink_to(folder / "nowhere")
    return "/proc/x" if kind == "unwritable" else "" if kind == "empty" else str(place)


@pytest.mark.parametrize("kind", ["file", "dangling", "unwritable", "empty"])
def test_a_home_that_is_no_folder_is_one_sentence(tmp_path, kind, monkeypatch):
    home = home_of(kind, tmp_path)
    with (
        pytest.raises(LocalError, match="PLACET_HOME") as caught,
        one_at_a_time(LocalSettings.from_environment({"PLACET_HOME": home}).home),
    ):
        pass
    assert "unset it" in str(caught.value)
    installed = subprocess.run(
        [sys.executable, "-P", venvs.__file__, "product"],
        env={**os.environ, "PLACET_HOME": home},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = installed.stderr.splitlines()
    assert installed.returncode == 1
    assert line.startswith("placet: ")
    assert "PLACET_HOME" in line


ODD = [
    "",
    "[]",
    "[1]",
    "null",
    "{}",
    '"x"',
    '{"pid":"x"}',
    '{"pid":null}',
    '{"pid":true}',
    '{"pid":-1,"born":""}',
    "[" * 9999,
]
ODD += [
    '{"pid":99999999999999999999}',
    '{"pid":1,"port":"x"}',
    '{"pid":1,"ports":5}',
    '{"pid":1,"root":["x"]}',
    '{"pid":1,"born":2}',
]


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_note_of_a_start_is_read_as_none(tmp_path, text):
    (tmp_path / STATE).write_text(text)
    assert read_state(tmp_path) is None


def test_a_note_that_is_no_file_is_read_as_none(tmp_path):
    os.mkfifo(tmp_path / STATE)
    assert read_state(tmp_path) is None
    (tmp_path / STATE).unlink()
    (tmp_path / "other").write_text('{"pid": 1}')
    (tmp_path / STATE).symlink_to(tmp_path / "other")
    assert read_state(tmp_path) is None


def test_every_folder_that_the_emulators_share_by_default_is_given_to_them(tmp_path):
    """Read from their own sources: what stands below /tmp or /var unless a variable says otherwise."""
    told = Emulators(LocalSettings(home=tmp_path))._environment()
    asked = set()
    for name, package in (("ministack", "ministack"), ("steps", "moto")):
        for source in venvs.VENVS[name].path.glob(f"lib/python3*/site-packages/{package}/**/*.py"):
            text = source.read_bytes()
            if b"/tmp" in text or b"/var" in text:
                asked |= {one.decode() for one in SHARED.findall(text)}
    assert {"STATE_DIR", "S3_DATA_DIR", "TMPDIR", "MOTO_LAMBDA_DATA_DIR"} <= asked
    assert not [one for one in asked if not told.get(one, "").startswith(f"{tmp_path}/run/tmp")]


def test_keys_of_a_user_pool_are_below_the_run_and_for_its_owner_alone(bench):
    pool = bench.aws.client("cognito-idp").create_user_pool(PoolName=bench.name("pool"))["UserPool"]["Id"]
    run = bench.settings.run
    assert answers_keys(bench, pool)
    assert list((run / "tmp" / "state").rglob(f"{pool}*.pem"))
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    for file in (run / "tmp" / "state").rglob("*"):
        assert file.is_symlink() or not file.lstat().st_mode & 0o077, file
    shared = {Path("/tmp"), Path(tempfile.gettempdir())}  # noqa: S108 - looked at, not written
    assert not [one for place in shared for one in place.glob(f"ministack*/**/*{pool}*")]


def answers_keys(bench, pool: str) -> bool:
    """Ask for the public keys, for which the private ones are made."""
    from local.processes import answers

    return answers(f"{bench.settings.endpoint}/{pool}/.well-known/jwks.json")
