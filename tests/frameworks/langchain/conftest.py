from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.langchain.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Callable[..., Scene]]:
    """Makes scenes by their turns; closes their files."""
    made: list[Scene] = []

    def make(*turns: Any) -> Scene:
        made.append(Scene(tmp_path, list(turns)))
        return made[-1]

    yield make
    for one in made:
        one.close()
