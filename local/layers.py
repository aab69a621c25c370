"""The layers, for the interpreter that runs the functions here: the same requirements and the same sources, compiled for it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from local import venvs
from local.errors import StepFailed
from local.folders import is_ours
from local.settings import CHECKOUT

REQUIREMENTS = CHECKOUT / "layers" / "deps" / "requirements.lock"
KEPT = 6  # earlier layers that stay in the cache
RULES, SHIPPED_RULES = "placet_policy.py", "placet_shipped_policy.py"


def is_layer(folder: Path) -> bool:
    """Whether this asset is a layer: its modules are below ``python``."""
    return (folder / "python").is_dir()


def holds_dependencies(folder: Path) -> bool:
    """Whether this layer is the one with other people's distributions."""
    return any(folder.glob("python/*.dist-info"))


def holds_rules(folder: Path) -> bool:
    """Whether this layer is the one with the policy file."""
    return (folder / "python" / RULES).is_file()


def with_rules(folder: Path, rules: Path, cache: Path) -> Path:
    """The policy's layer with other rules, made once per content; what was its policy file is `placet_shipped_policy` in it."""
    made = cache / f"rules-{hashlib.sha256(folder.name.encode() + rules.read_bytes()).hexdigest()[:16]}"
    if made.exists():
        return made
    cache.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=cache, prefix="making-"))
    _copy(folder, partial / "python")
    (partial / "python" / RULES).rename(partial / "python" / SHIPPED_RULES)
    shutil.copyfile(rules, partial / "python" / RULES)
    return _named(partial, made)


def for_this_machine(folder: Path, cache: Path, requirements: Path = REQUIREMENTS) -> Path:
    """The layer's folder for this machine, made once per content and interpreter."""
    if holds_dependencies(folder):
        return _once(cache, requirements.read_bytes(), lambda target: _install(target, requirements))
    return _once(cache, folder.name.encode(), lambda target: _copy(folder, target))


def _once(cache: Path, content: bytes, make: Callable[[Path], None]) -> Path:
    version = subprocess.run([_python(), "-VV"], check=True, capture_output=True).stdout  # noqa: S603 - our own interpreter
    folder = cache / f"layer-{hashlib.sha256(content + version).hexdigest()[:16]}"
    if folder.exists():
        folder.touch()
        return folder
    earlier = sorted(cache.glob("layer-*"), key=lambda one: one.stat().st_mtime)
    for old in earlier[:-KEPT] if is_ours(cache.resolve()) else []:
        shutil.rmtree(old, ignore_errors=True)  # another start may be at it, too
    cache.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=cache, prefix="making-"))  # its own: two starts may make the same layer at once
    make(partial / "python")
    # By content, not by date: a date does not survive the zip, and every start of a function would compile anew.
    _run("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(partial))
    return _named(partial, folder)


def _named(partial: Path, folder: Path) -> Path:
    """The folder under its name, whoever made it first."""
    try:
        partial.rename(folder)
    except OSError:  # the other start was first
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _install(target: Path, requirements: Path) -> None:
    print("deploy: installing the functions' dependencies for this machine (this happens once) …", flush=True)
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--require-hashes"]
    _run("-m", "pip", "install", *options, "--target", str(target), "--requirement", str(requirements))


def _copy(folder: Path, target: Path) -> None:
    shutil.copytree(folder / "python", target, ignore=shutil.ignore_patterns("__pycache__"))


def _run(*arguments: str) -> None:
    done = subprocess.run([_python(), *arguments], capture_output=True, text=True)  # noqa: S603 - our own interpreter
    if done.returncode:
        last = ((done.stderr or done.stdout).strip().splitlines() or ["no output"])[-1]
        raise StepFailed(
            f"A layer could not be made for this machine ({last}).", "With no network, connect once and repeat."
        )


def _python() -> str:
    return str(venvs.VENVS["ministack"].python)
