"""An emulator must not outlive the process that started it."""

from __future__ import annotations

import os
import signal
import threading
import time


def end_with_parent(every: float = 1.0) -> None:
    """End the whole process group once the starter is gone (it was killed and could not clean up)."""
    parent = int(os.environ.get("PLACET_PARENT", "0")) or os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(every)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, name="placet-guard", daemon=True).start()
