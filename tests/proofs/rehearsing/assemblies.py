"""Assemblies as ``app.py`` writes them, from copies of this checkout with one thing changed each."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from infra import synth
from infra.constructs.layer_rules import is_input
from local.settings import ACCOUNT, CHECKOUT

INPUTS = {*synth.INPUTS, "placet.example.toml"} - {
    "placet.toml",
    "placet.lock.json",
}  # without what this checkout deploys
KEPT = 24  # assemblies of earlier rehearsals that stay in the cache
Change = Callable[[Path], None]


def digest(folder: Path, counts: Callable[[Path], bool] = lambda _path: True) -> str:
    """Of everything that stands in a folder, but for what tools keep there for themselves: CDK's zips, Python's bytecode.

    ``counts`` tells of a path in the folder whether it is looked at.
    """
    found = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        place = path.relative_to(folder)
        if not _kept(place) and counts(place):
            found.update(f"{place}\0".encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _kept(path: Path) -> bool:
    return path.parts[0].startswith((".cache", "read.", "synth.")) or "__pycache__" in path.parts


class Assemblies:
    """Makes them, each once for the same input."""

    def __init__(self, home: Path) -> None:
        self._home = home / "cache" / "rehearsal"

    def make(self, settings: Mapping[str, object], *changes: Change) -> Path:
        """The folder of the assembly of this checkout with these settings, after these changes to a copy of it.

        Raises AssertionError with what app.py said when it refuses.
        """
        self._home.mkdir(parents=True, exist_ok=True)
        copy = self._home / f"copy-{os.getpid()}"
        shutil.rmtree(copy, ignore_errors=True)
        try:
            _copy(copy)
            for change in changes:
                change(copy)
            (copy / "placet.toml").write_text(toml(settings))
            return self._synthesized(copy)
        finally:
            shutil.rmtree(copy, ignore_errors=True)

    def _synthesized(self, copy: Path) -> Path:
        made = self._home / f"assembly-{digest(copy, is_input)[:16]}"
        if made.exists():
            made.touch()
            return made
        for old in sorted(self._home.glob("assembly-*"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        output = copy / "cdk.out"
        output.mkdir()
        for asset in (CHECKOUT / "cdk.out").glob("asset.*"):  # what is the same is not bundled again
            shutil.copytree(asset, output / asset.name) if asset.is_dir() else shutil.copyfile(
                asset, output / asset.name
            )
        environment = synth.environment(output) | {"PYTHONPATH": os.pathsep.join(map(str, _packages(copy)))}
        environment.pop("PLACET_SETTINGS", None)
        words = [sys.executable, "app.py"]
        done = subprocess.run(words, cwd=copy, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"app.py refused: {(done.stdout + done.stderr)[-1500:]}"
        _drop_others(output)
        return output.rename(made)


def _copy(copy: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info")
    for name in sorted(INPUTS):
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=ignored)
        else:
            copy.mkdir(exist_ok=True)
            shutil.copyfile(source, copy / name)


def _packages(copy: Path) -> Iterator[Path]:
    yield from (copy, copy / "layers" / "core" / "python", copy / "layers" / "policy" / "python")


def _drop_others(output: Path) -> None:
    """The assets of the checkout's own assembly that this one does not name."""
    named = {
        one["source"]["path"]
        for path in output.glob("*.assets.json")
        for one in json.loads(path.read_text())["files"].values()
    }
    for asset in output.glob("asset.*"):
        if asset.name not in named:
            shutil.rmtree(asset) if asset.is_dir() else asset.unlink()


AGENTS = ("support-agent", "billing-agent", "courier")
PREFIX, TAKEN = "placet-rehearsal", "placet-taken"


def role(agent: str) -> str:
    return f"placet-{agent}"


def settings(agents: tuple[str, ...] = AGENTS, **more: object) -> dict[str, object]:
    """As somebody would write them: no example among them."""
    entries = [
        {"name": one, "role": role(one), "owner": "ops@rehearsal.test", "framework": "langchain"} for one in agents
    ]
    return {
        "login_domain_prefix": PREFIX,
        "mail_from": "placet@rehearsal.test",
        "operators": ["placet-operator"],
        "agents": [{**one, "target": {"kind": "pick_up"}} for one in entries],
        **more,
    }


def domain(prefix: str) -> str:
    """The login page's domain with this prefix."""
    return f"{prefix}-{ACCOUNT}"


def toml(settings: Mapping[str, object]) -> str:
    """As placet.toml: plain values first, then the agents."""
    plain = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if name != "agents"]
    agents: list[str] = []
    for one in settings["agents"]:  # type: ignore[attr-defined] # a list of tables
        agents += ["[[agents]]", *(f"{name} = {_inline(value)}" for name, value in one.items())]
    return "\n".join([*plain, *agents]) + "\n"


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {json.dumps(one)}" for name, one in value.items()) + " }"
    return json.dumps(value)


POLICY = Path("layers", "policy", "python", "placet_policy.py")
CODE = Path("layers", "core", "python", "placet", "service", "capture.py")
MARK = "rehearsal: this is the changed code"


def replaced(file: Path, old: str, new: str) -> Change:
    """Exchange one piece of text that has to be in this file."""

    def change(copy: Path) -> None:
        text = (copy / file).read_text()
        assert old in text, f"{file} does not hold {old!r}"
        (copy / file).write_text(text.replace(old, new))

    return change


def policy_changed(copy: Path) -> None:
    """Money out needs two people, and the version is another."""
    replaced(POLICY, "quorum=1,", "quorum=2,")(copy)
    replaced(POLICY, 'version="', 'version="rehearsal-')(copy)


class_renamed = replaced(POLICY, '"general"', '"everyday"')


def code_changed(copy: Path) -> None:
    """A function says something new in its log when it starts."""
    text = (copy / CODE).read_text()
    (copy / CODE).write_text(f'{text}\n\nprint("{MARK}")\n')


def code_changed_again(copy: Path) -> None:
    """Another function code, which an update that is rolled back must not leave behind."""
    code_changed(copy)
    replaced(CODE, MARK, "rehearsal: this must not stay")(copy)
