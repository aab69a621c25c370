"""Finds a Python of the Lambda runtime's version to compile layers with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def matching_interpreter(version: str) -> str | None:
    """A Python of exactly ``version`` (``3.13``), or None.

    Every candidate is started once: a version manager's shim can carry the name and fail.
    """
    probe = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    for candidate in _candidates(version):
        try:
            started = subprocess.run([candidate, "-c", probe], capture_output=True, timeout=20)  # noqa: S603 - PATH's own
            if started.returncode == 0:
                return candidate
        except (OSError, subprocess.TimeoutExpired):
            continue
    return None


def _candidates(version: str) -> Iterator[str]:
    yield sys.executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if found := shutil.which(f"python{version}", path=folder):
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{version}*/bin/python{version}"), reverse=True))
