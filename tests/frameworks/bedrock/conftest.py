from __future__ import annotations

import pytest

from tests.frameworks.bedrock.scene import Scene, wire


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene()
    wire(monkeypatch, made)
    return made
