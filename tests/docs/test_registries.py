"""No file names where packages come from: that is said by whoever installs, to pip, npm or uv."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.reading import ROOT

REGISTRIES = re.compile(
    r"((?:pypi|crates|rubygems|npmjs)[.](?:org|com|io)|python[h]osted|yarnpkg[.]com|proxy[.]golang)"
)
ROOMS = ("docs", "functions", "infra", "layers", "local", "tests")


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Every file of the project that is text, by its path."""
    inside = (path for room in ROOMS for path in (root / room).rglob("*") if "__pycache__" not in path.parts)
    for path in (*root.glob("*"), *inside):
        if path.is_file() and path.name[:5] != ".venv":
            try:
                yield str(path.relative_to(root)), path.read_text("utf-8")
            except UnicodeDecodeError:  # a recording, a picture
                continue


def named(found: dict[str, str]) -> list[str]:
    """Which file names which registry."""
    return [f"{path}: {host}" for path, text in found.items() for host in REGISTRIES.findall(text)]


def test_no_file_names_a_registry() -> None:
    found = dict(texts(ROOT))
    assert len(found) > 1_000
    assert named(found) == []


@pytest.mark.parametrize("host", ["pypi", "test.pypi", "registry.npmjs"])
def test_one_that_is_named_is_seen(tmp_path: Path, host: str) -> None:
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra/lock.py").write_text(f'"pkg:pypi/small@1", "https://{host}.org/simple"')
    assert named(dict(texts(tmp_path))) == [f"infra/lock.py: {host.rpartition('.')[2]}.org"]
