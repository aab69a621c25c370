"""Replaces one name of the emulator, and fails at start when the name is gone."""

from __future__ import annotations

from typing import Any


def replace(module: Any, name: str, by: Any) -> None:
    """Set ``module.name``; AttributeError when there was none, because then the correction would do nothing."""
    getattr(module, name)
    setattr(module, name, by)
