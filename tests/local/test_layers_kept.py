"""Layers that were made for this machine are kept, a few of them, and two starts beside each other may both throw one away."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from local import layers
from local.folders import MARK, make
from local.layers import KEPT, for_this_machine


def made_before(cache: Path, many: int) -> None:
    """Layers of earlier starts, the first of them the oldest."""
    make(cache)
    for number in range(many):
        (cache / f"layer-{number}" / "python").mkdir(parents=True)
        os.utime(cache / f"layer-{number}", (number, number))


def test_an_old_layer_that_another_start_throws_away_too_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, source, real, gone = tmp_path / "cache", tmp_path / "source", shutil.rmtree, []

    def both(path: Path, **how: Any) -> None:
        gone.append(path.name)
        real(path)
        real(path, **how)  # the other start was first

    monkeypatch.setattr(layers.shutil, "rmtree", both)
    monkeypatch.setattr(layers, "_python", lambda: shutil.which("python3"))
    made_before(cache, KEPT + 2)
    (source / "python").mkdir(parents=True)
    (source / "python" / "one.py").write_text("ONE = 1\n")
    assert (for_this_machine(source, cache) / "python" / "one.py").exists()
    assert gone == ["layer-0", "layer-1"]


def test_layers_in_a_cache_without_our_mark_are_somebody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "_python", lambda: shutil.which("python3"))
    made_before(tmp_path / "cache", KEPT + 2)
    (tmp_path / "cache" / MARK).unlink()
    (tmp_path / "source" / "python").mkdir(parents=True)
    for_this_machine(tmp_path / "source", tmp_path / "cache")
    assert len([*(tmp_path / "cache").glob("layer-?")]) == KEPT + 2
