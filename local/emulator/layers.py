"""Layers are unpacked once, and not again for every environment of every function.

MiniStack 1.5.33 unpacks all layers of a function each time it starts a process for it: more than a second of CPU, of which
the emulator itself has only one. Layers are read-only on AWS; here the environments share one folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from local.emulator.replacing import replace

LAYER = re.compile(r"layer_\d+\.zip")
_one_at_a_time = threading.Lock()


def apply() -> None:
    import ministack.core.lambda_runtime as runtime

    replace(runtime, "zipfile", Zips(runtime.zipfile, Path(tempfile.gettempdir(), "layers")))


class Zips:
    """The zipfile module as the emulator sees it; only opening a layer differs."""

    def __init__(self, real: Any, folder: Path) -> None:
        self._real = real
        self._folder = folder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def ZipFile(self, file: str, *args: Any, **kwargs: Any) -> Any:
        if LAYER.fullmatch(os.path.basename(file)):
            return SharedLayer(self._real, Path(file), self._folder)
        return self._real.ZipFile(file, *args, **kwargs)


class SharedLayer:
    """A layer's zip that is unpacked at most once per content; where it is asked for, there is a link."""

    def __init__(self, real: Any, file: Path, folder: Path) -> None:
        self._real = real
        self._file = file
        self._shared = folder / hashlib.sha256(file.read_bytes()).hexdigest()

    def __enter__(self) -> SharedLayer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def namelist(self) -> list[str]:
        """None to check: extracting below cannot leave its folder."""
        return []

    def extractall(self, target: str) -> None:
        with _one_at_a_time:
            if not self._shared.exists():
                partial = self._shared.with_suffix(".partial")
                with self._real.ZipFile(self._file) as archive:
                    archive.extractall(partial)
                partial.rename(self._shared)
        os.rmdir(target)
        os.symlink(self._shared, target)
        self._file.unlink()  # 17 MB that each environment would keep
