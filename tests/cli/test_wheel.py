"""What agents and operators install: client and command line, which stand by themselves."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from placet.cli.absent import IN_A_CHECKOUT
from tests.docs.reading import ROOT

CORE = ROOT / "layers/core/python"
EACH = """
import importlib, pkgutil, sys
import placet
for module in pkgutil.walk_packages(placet.__path__, "placet."):
    if not module.name.startswith(("placet.client.", "placet.model.bus")) and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from placet.client import Gateway
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("placet.")}))
"""


def packages() -> list[str]:
    """As setuptools finds them, which not every environment has: folders with a module of their own, by name."""
    find = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]
    root = ROOT / find["where"][0]
    names = [".".join(path.parent.relative_to(root).parts) for path in root.rglob("__init__.py")]
    return [
        name
        for name in sorted(names)
        if any(fnmatchcase(name, one) for one in find["include"])
        and not any(fnmatchcase(name, one) for one in find["exclude"])
    ]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exactly the packages of the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    for name in packages():
        target = folder / name.replace(".", "/")
        target.mkdir(parents=True, exist_ok=True)
        for file in (CORE / name.replace(".", "/")).glob("*.py"):
            shutil.copy(file, target)
    return folder


def run(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(installed), "PATH": "", "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-P", *words], env=environment, cwd=installed, capture_output=True, text=True, check=False
    )


def test_it_holds_client_and_command_line_and_the_words_of_both() -> None:
    assert {name.split(".")[1] for name in packages() if "." in name} == {"client", "cli", "model"}
    assert "placet.cli.directory" not in packages()


def test_it_needs_nothing_of_the_gateway(installed: Path) -> None:
    done = run(installed, "-c", EACH)
    assert (done.stdout, done.returncode) == ("cli client model\n", 0), done.stderr
    done = run(installed, "-m", "placet.cli", "--help")
    assert "stuck" in done.stdout
    assert "people" in done.stdout


@pytest.mark.parametrize(
    "words", [["people"], ["away", "maria", "--until", "x"], ["back", "-h"], ["reviewers", "list"]]
)
def test_what_is_in_a_checkout_only_says_where(installed: Path, words: list[str]) -> None:
    assert words[0] in IN_A_CHECKOUT
    done = run(installed, "-m", "placet.cli", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"placet {words[0]} is not in this installation." in done.stderr
    assert f"run it in the checkout that the gateway is deployed from, as .venv/bin/placet {words[0]}." in done.stderr
