"""What a start takes: what is installed for it, and the memory of its processes."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

from local import venvs
from local.sizes import Memory, memory_of

MOST_INSTALLED_MB = 1_200
PYTHON_ITSELF_MB = 40  # pip, and the modules that Python compiles when they are first imported, in each environment
NAME = re.compile(r"^([A-Za-z0-9._-]+)")


def test_a_first_start_installs_a_bounded_amount() -> None:
    """Counted from the distributions that the pins of the product bring here, and those of the other environments."""
    here = _megabytes(_all_of(_names("product"), sys.path))
    others = [_megabytes(_all_of(_names(name), [_packages(name)])) for name in ("ministack", "steps", "agent")]
    assert here > 300, here  # the construct library alone is that much
    assert all(one > 30 for one in others), others
    assert here + sum(others) + 4 * PYTHON_ITSELF_MB < MOST_INSTALLED_MB, (here, others)


def test_what_only_tests_need_is_not_installed_for_a_start() -> None:
    assert (
        not {"pytest", "playwright", "mypy", "moto", "langchain", "hypothesis"}
        & _all_of(_names("product"), sys.path).keys()
    )


def _names(name: str) -> list[str]:
    lines = venvs.VENVS[name].pins.read_text().splitlines()
    return [line.partition("==")[0] for line in lines if line and not line.startswith("#")]


def _packages(name: str) -> str:
    (found,) = venvs.VENVS[name].path.glob("lib/python3*/site-packages")
    return str(found)


def _all_of(names: list[str], path: list[str]) -> dict[str, importlib.metadata.Distribution]:
    """These distributions and, without extras, what they require."""
    installed = {_plain(one.name): one for one in importlib.metadata.distributions(path=path)}
    found: dict[str, importlib.metadata.Distribution] = {}
    left = [_plain(re.split(r"\[", name)[0]) for name in names]
    while left:
        name = left.pop()
        if name in installed and name not in found:
            found[name] = installed[name]
            required = [one for one in installed[name].requires or [] if "extra ==" not in one]
            left += [_plain(match.group(1)) for one in required if (match := NAME.match(one))]
    assert found.keys() >= {_plain(re.split(r"\[", name)[0]) for name in names}, (
        "something that is pinned is not installed"
    )
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _megabytes(distributions: dict[str, importlib.metadata.Distribution]) -> int:
    files = [file for one in distributions.values() for file in one.files or [] if file.suffix != ".pyc"]
    return sum(file.size or 0 for file in files) // 1_000_000


def test_the_memory_of_a_group_is_that_of_its_processes_and_ours() -> None:
    code = "kept = bytearray(60_000_000); print(len(kept), flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, process_group=0) as other:
        assert other.stdout is not None
        other.stdout.readline()
        alone, both = memory_of(None), memory_of(other.pid)
        other.kill()
    assert (alone.processes, both.processes) == (1, 2)
    assert 60 <= both.megabytes - alone.megabytes <= 120
    assert memory_of(2**22 + 1) == Memory(1, memory_of(2**22 + 1).megabytes)
