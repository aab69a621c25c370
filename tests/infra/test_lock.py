"""Everything that is installed or deployed is locked by digest, and a file with another one is not taken, online or not."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from infra import lock, sbom
from infra.constructs import layers

RUNTIMES_FLOOR = "1.35.42"


def test_every_lock_is_of_its_pins_and_holds_them_all() -> None:
    assert list(lock.stale()) == []
    for pins in lock.PINS:
        held = lock.read(lock.lock_of(pins))
        assert len(held) >= 10
        assert all(one.digests for one in held)


def test_what_stands_in_one_environment_is_the_same_in_both_locks() -> None:
    first, second = (
        {one.name: one.version for one in lock.read(lock.ROOT / name)}
        for name in ("requirements.lock", "requirements-tests.lock")
    )
    assert len(first.keys() & second.keys()) > 10
    assert {name: version for name, version in second.items() if first.get(name, version) != version} == {}


def test_a_lock_that_was_forgotten_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pins = tmp_path / "requirements.txt"
    pins.write_text("a==1\n")
    monkeypatch.setattr(lock, "PINS", (pins,))
    monkeypatch.setattr(lock, "ROOT", tmp_path)
    assert len(list(lock.stale())) == 1
    entry = f"a==1 \\\n    --hash=sha256:{'0' * 64}\n"
    lock.lock_of(pins).write_text(f"{lock.first_line(pins)}\n{entry}")
    assert list(lock.stale()) == []
    pins.write_text("a==1\nb==2\n")
    assert len(list(lock.stale())) == 1
    lock.lock_of(pins).write_text(f"{lock.first_line(pins)}\n{entry}")
    assert list(lock.stale()) == ["requirements.lock does not hold b==2"]


def test_uv_asks_the_index_that_pip_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://near.example/simple")
    assert lock.index() == {"UV_DEFAULT_INDEX": "https://near.example/simple"}
    files = "global.index-url='https://far.example/simple'\ninstall.index-url='https://own.example/simple'\n"
    assert lock.index_in(files) == {"UV_DEFAULT_INDEX": "https://own.example/simple"}
    assert lock.index_in("global.extra-index-url='https://far.example'\n") == {}, "uv has one of its own"


@pytest.mark.parametrize("line", ["a==1", "a>=1 --hash=sha256:" + "0" * 64, "a==1 --hash=md5:00", "-r other.txt"])
def test_a_line_without_a_digest_is_no_lock(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.lock").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"x\.lock"):
        lock.read(tmp_path / "x.lock")


def wheel(folder: Path) -> tuple[Path, str]:
    """A distribution of one file, and its digest."""
    made = folder / "small-1-py3-none-any.whl"
    files = {
        "small.py": "x = 1\n",
        "small-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: small\nVersion: 1\nLicense-Expression: MIT\n",
        "small-1.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(text)}\n"
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in {**files, "small-1.dist-info/RECORD": f"{record}small-1.dist-info/RECORD,,\n"}.items():
            archive.writestr(name, text)
    return made, hashlib.sha256(made.read_bytes()).hexdigest()


def test_the_layer_takes_no_file_but_a_locked_one_and_lists_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, digest = wheel(tmp_path)
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)  # as on a machine without a network
    locked = tmp_path / "requirements.lock"
    locked.write_text(f"small==1 --hash=sha256:{digest}\n")
    assert layers._Wheels(locked).try_bundle(str(tmp_path / "good"), image=None)
    told = json.loads((tmp_path / "good" / sbom.NAME).read_text())
    assert [(one["name"], one["version"], one["purl"]) for one in told["components"]] == [
        ("small", "1", "pkg:pypi/small@1")
    ]
    assert told["components"][0]["licenses"] == [{"expression": "MIT"}]
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("more.py", "import os\n")
    with pytest.raises(RuntimeError, match=r"(?i)do not match"):
        layers._Wheels(locked).try_bundle(str(tmp_path / "bad"), image=None)
    assert not list((tmp_path / "bad").rglob("small.py"))


def test_the_list_is_of_what_is_there_and_the_same_each_time(tmp_path: Path) -> None:
    made, digest = wheel(tmp_path)
    site, locked = tmp_path / "site", tmp_path / "x.lock"
    with zipfile.ZipFile(made) as archive:
        archive.extractall(site)
    locked.write_text(f"small==1 --hash=sha256:{digest}\n")
    first = sbom.document(site, locked)
    assert first == sbom.document(site, locked)
    assert (first["bomFormat"], first["specVersion"]) == ("CycloneDX", "1.6")
    assert first["dependencies"] == [{"ref": "placet", "dependsOn": ["pkg:pypi/small@1"]}]
    for wrong in ("small==2", "other==1", "small==1 --hash=sha256:" + digest + "\nother==1"):
        locked.write_text(f"{wrong} --hash=sha256:{digest}\n")
        with pytest.raises(ValueError, match="differ"):
            sbom.document(site, locked)


def test_what_developers_run_is_not_older_than_the_runtimes_and_the_locks_agree() -> None:
    """Lambda's own boto3 is older than the pinned one and never older than its Python's first."""
    seen = {
        (one.name, one.version)
        for pins in lock.PINS
        if pins.stem != "steps"  # an environment of the interpreter alone
        for one in lock.read(lock.lock_of(pins))
        if one.name == "boto3"
    }
    assert len(seen) == 1, seen
    ((_, version),) = seen
    assert tuple(map(int, version.split("."))) > tuple(map(int, RUNTIMES_FLOOR.split(".")))
    layer = {one.name for one in lock.read(lock.lock_of(lock.LAYER))}
    assert not layer & {"boto3", "botocore", "s3transfer"}
    assert "urllib3" in layer, "the sign-in asks through it"


def test_it_says_what_it_needs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(lock.shutil, "which", lambda name: None)
    assert lock.main() == 1
    assert "pip install uv" in capsys.readouterr().err
    assert subprocess.run([sys.executable, "-c", "import infra.lock"], check=True).returncode == 0
