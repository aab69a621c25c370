"""What a policy needs that the machine of the synth has and the functions have not: each of them would fail at start."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Set
from contextlib import contextmanager
from functools import cache
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import TZPATH

from infra.constructs.interpreter import matching_interpreter
from infra.constructs.layer_rules import NOT_DEPLOYED
from placet.policy.rules import Policy
from placet.policy.zones import PACKAGE, packaged

ROOT = Path(__file__).resolve().parents[1]
PINS = ROOT / "layers" / "deps" / "requirements.txt"
PYTHON = (3, 13)  # of the functions
OF_THE_RUNTIME = {"boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3"}
# What importing a module, or a time zone, opens.
_INSTALLED = ("stdlib", "platstdlib", "purelib", "platlib")
_MODULE = (".py", ".pyc", ".so", ".pyd", ".pth")


def amiss(policy: Policy, path: Path) -> list[str]:
    """All that the functions lack of what a policy, which this machine could load, is made of; one sentence each."""
    try:
        found = list(_imported(path.parent, path, set()))
    except SyntaxError as error:
        found = [f"line {error.lineno}: {error.msg}; the functions run Python {_dotted()}"]
    return [*found, *_zones(policy)]


@cache
def not_there() -> frozenset[str]:
    """Modules that are installed here and that the functions do not have."""
    pins = _pinned()
    beside = {top for top, names in packages_distributions().items() if pins.isdisjoint(map(_plain, names))}
    return frozenset({*(beside - OF_THE_RUNTIME - {"placet"}), *(f"placet.{one}" for one in NOT_DEPLOYED)})


@contextmanager
def watched(folder: Path) -> Iterator[list[str]]:
    """The files that are opened meanwhile and are not deployed: outside the policy's folder, and nobody's module."""
    opened: list[str] = []
    _watching.append((folder.resolve(), opened))
    _hook()
    try:
        yield opened
    finally:
        _watching.pop()


def _imported(folder: Path, path: Path, seen: set[Path]) -> Iterator[str]:
    """What is said of imports, of a file and of the files beside it that it imports. Raises SyntaxError for a newer Python's."""
    seen.add(path)
    for number, name in _imports(ast.parse(path.read_text("utf-8"), path.name, feature_version=PYTHON)):
        top = name.partition(".")[0]
        beside = [one for one in (folder / f"{top}.py", folder / top / "__init__.py", folder / top) if one.exists()]
        if beside:
            if beside[0] not in seen and beside[0].is_file():
                yield from _imported(folder, beside[0], seen)
        elif not _is_there(name):
            where = f"line {number}" if len(seen) == 1 else f"{path.name}, line {number}"
            yield f"{where}: imports {name}, which the functions do not have"


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The modules that a file imports for certain: not those for a checker of types, nor those that it can do without."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            inner = (
                (f"placet.{alias.name}" for alias in node.names) if node.module == "placet" else (node.module or "",)
            )
            yield from ((node.lineno, name) for name in inner)
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            waiting += [] if isinstance(node, ast.Try) else ast.iter_child_nodes(node)


def _is_there(name: str) -> bool:
    """Whether the functions have a module."""
    top, _, rest = name.partition(".")
    if top == "placet":
        return rest.partition(".")[0] not in NOT_DEPLOYED
    if top in _standard() or top in OF_THE_RUNTIME:
        return True
    pins = _pinned()
    return any(_plain(one) in pins for one in packages_distributions().get(top, ()))


def _pinned() -> frozenset[str]:
    """The packages of the functions' layer."""
    return frozenset(_plain(line.partition("==")[0]) for line in PINS.read_text("utf-8").splitlines() if "==" in line)


@cache
def _standard() -> Set[str]:
    """The standard library's modules: of the functions' Python where there is one, else of this one."""
    python = matching_interpreter(_dotted())
    if python is None:
        return sys.stdlib_module_names
    asked = [python, "-c", "import sys; print(*sys.stdlib_module_names)"]
    done = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - found by its version
    return frozenset(done.stdout.split())


def _zones(policy: Policy) -> list[str]:
    """Time zones are judged by the functions' own data: it has to be here, and the same."""
    if not any(one.hours for one in policy.classes.values()):
        return []
    pinned = re.search(rf"^{PACKAGE}==(\S+)$", PINS.read_text("utf-8"), re.MULTILINE)
    here = version(PACKAGE) if packaged() else ""
    if pinned and pinned[1] == here:
        return []
    return [
        f"working hours are judged by the package {PACKAGE} that the functions have, and here is "
        f"{here or 'none'}: run `make setup`"
    ]


_watching: list[tuple[Path, list[str]]] = []


@cache
def _hook() -> None:
    """Once for the process: a hook stays until it ends."""
    installed = [Path(place).resolve() for place in (*map(sysconfig.get_path, _INSTALLED), *TZPATH)]
    data = find_spec(PACKAGE)
    installed += [Path(place).resolve() for place in data.submodule_search_locations or ()] if data else []

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not _watching or not isinstance(arguments[0], str | bytes):
            return
        name = os.fsdecode(arguments[0])
        if name.endswith(_MODULE):  # what is read as a module from elsewhere is missing in infra/policy_clean.py
            return
        folder, opened = _watching[-1]
        path = Path(name).resolve()
        if path.is_file() and not any(path.is_relative_to(one) for one in (folder, *installed)):
            opened.append(name)

    sys.addaudithook(hear)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).partition("[")[0].strip().lower()


def _dotted() -> str:
    return ".".join(map(str, PYTHON))
