"""``python -m local COMMAND``: the commands are imported once Ctrl-C is in order, for that takes a second."""

from __future__ import annotations

from local.signals import interrupts_end_at_once

if __name__ == "__main__":
    interrupts_end_at_once()

    import sys

    from local.commands import main

    sys.exit(main())
