"""`make test` divides the tests as it has to: a file of them stays in one process, and there are two."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

MAKEFILE = Path(__file__).parents[2] / "Makefile"
ONE_OF_MANY = """
import pytest, time

@pytest.mark.parametrize("number", range(6))
def test_one(number, worker_id):
    time.sleep(0.05)
    with open("ran", "a") as ran:
        print(__file__, worker_id, file=ran)
"""


def test_a_file_of_tests_stays_in_one_process_and_there_are_two(tmp_path: Path) -> None:
    """A plugin that no longer understands its option would make the fixtures of a file once for each process."""
    line = next(one for one in MAKEFILE.read_text().splitlines() if ".venv/bin/pytest" in one)
    for name in "abcdef":
        (tmp_path / f"test_{name}.py").write_text(ONE_OF_MANY)
    subprocess.run([sys.executable, "-m", "pytest", *shlex.split(line)[1:]], cwd=tmp_path, check=True, timeout=60)
    ran = defaultdict(list)
    for told in (tmp_path / "ran").read_text().splitlines():
        file, process = told.split()
        ran[file].append(process)
    assert [len(one) for one in ran.values()] == [6] * 6
    assert [len({*one}) for one in ran.values()] == [1] * 6
    assert {process for one in ran.values() for process in one} == {"gw0", "gw1"}
