"""Who is let in at its quick size, and the bugs that it must see: each planted into a copy of what the emulators run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from local import processes
from tests.proofs import Proof, Size, origin
from tests.proofs.visiting.chromium import Looked
from tests.proofs.visiting.place import opened

# What is planted: the file, its line, what stands in its place; and what the proof has to say of it.
PLANTS = {
    "no look at the host": ("visitors.py", "if number != str(port) or not NAMES", "if not NAMES and NAMES", r"host 'evil\.example"),
    "no look at the origin": ("visitors.py", "if any(origin.lower()", "if False and any(origin", "origin null was answered"),
    "no look at the site": ("visitors.py", "if sites & FOREIGN and", "if False and", "site cross-site was answered"),
    "answers for every page": ("doors.py", "_without_cors(send))", "send)", "CORS|more than it may know"),
    "no look at the signature": ("signatures.py", "if not any(hmac", "if False and not any(hmac", "secret was answered"),
    "addresses for ever": ("signatures.py", "<= now <= signed + end", "<= now", "whose hour is over was answered|last week"),
    "keys that follow from names": ("keys.py", "    replace(runtime, ", "    print(runtime, ", "guessed was answered"),
    "shut for people": ("doors.py", "self.port, way.page)", "self.port, False)", "by a link of the other port is shut out"),
}  # fmt: skip


def say(line: str) -> None:
    print(line, flush=True)


def test_nobody_else_is_let_in_and_everybody_who_has_to_be_is() -> None:
    proof = origin.prove(say, Size(quick=True))
    assert proof.violations == [], proof.table
    told = re.fullmatch(r"origin: ports=(\d+) requests=(\d+) let_in=0 allowed=(\d+) shut_out=0", proof.line)
    assert told is not None, proof.line
    assert [int(one) for one in told.groups()] >= [4, 200, 40]


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_bug_is_seen(plant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, line, by, told = PLANTS[plant]
    checkout, core = processes.PACKAGES
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(checkout / "local", tmp_path / "local", ignore=leave)
    planted = tmp_path / "local" / "emulator" / file
    assert line in planted.read_text()
    planted.write_text(planted.read_text().replace(line, by))
    monkeypatch.setattr(processes, "PACKAGES", (tmp_path, core))
    with opened() as place:
        looked = origin.raw(place, whole=False)
    assert any(re.search(told, one) for one in (*looked.let_in, *looked.shut_out)), (looked.let_in, looked.shut_out)


def test_too_little_is_no_proof() -> None:
    proof = _of(Looked(requests=199, allowed=47), Looked(requests=0))
    assert [one.split(":")[0] for one in proof.violations] == [
        "too little was tried",
        "Chromium reached a port 0 times only",
    ]
    proof = _of(Looked(requests=300, allowed=47), Looked(requests=30), listening={1, 2, 3, 4, 5})
    assert proof.violations == ["ports [1, 2, 3, 4, 5] are open and [1, 2, 3, 4] were tried"]


def _of(*looked: Looked, listening: set[int] = frozenset({1, 2, 3, 4})) -> Proof:  # type: ignore[assignment]
    class Settings:
        ports = (1, 2, 3, 4)

    class Place:
        settings = Settings

        @staticmethod
        def listening() -> set[int]:
            return set(listening)

    ways: list[Callable[[], Looked]] = [lambda one=one: one for one in looked]  # type: ignore[misc]
    return origin.judged(Place, *ways)  # type: ignore[arg-type]
