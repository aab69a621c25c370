"""The dependency layer, from the same requirements, for the interpreter that runs the functions here."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from placet.local import venvs
from placet.local.errors import StepFailed
from placet.local.settings import CHECKOUT

REQUIREMENTS = CHECKOUT / "layers" / "deps" / "requirements.txt"
KEPT = 3  # earlier builds that stay in the cache


def holds_dependencies(folder: Path) -> bool:
    """Whether this asset is the dependency layer: the one that holds installed distributions."""
    return any(folder.glob("python/*.dist-info"))


def build(cache: Path, requirements: Path = REQUIREMENTS) -> Path:
    """The layer's folder, built once per content of the requirements and per interpreter."""
    python = venvs.VENVS["ministack"].python
    version = subprocess.run([python, "-VV"], check=True, capture_output=True).stdout  # noqa: S603 - our own interpreter
    fingerprint = hashlib.sha256(requirements.read_bytes() + version).hexdigest()[:16]
    folder = cache / f"deps-{fingerprint}"
    if folder.exists():
        return folder
    print("deploy: installing the functions' dependencies for this machine (this happens once) …", flush=True)
    cache.mkdir(parents=True, exist_ok=True)
    partial = cache / f"deps-{fingerprint}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--target", str(partial / "python"), "--requirement", str(requirements)]
    result = subprocess.run(command, capture_output=True, text=True)  # noqa: S603 - our own interpreter
    if result.returncode:
        last = (result.stderr.strip().splitlines() or ["no output"])[-1]
        raise StepFailed(f"The functions' dependencies could not be installed ({last}).", "With no network, connect once.")
    for old in sorted(cache.glob("deps-*"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old)
    partial.rename(folder)
    return folder
