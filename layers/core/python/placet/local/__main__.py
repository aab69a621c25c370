"""``python -m placet.local COMMAND``: the commands are imported once Ctrl-C is in order, for that takes a second."""

from __future__ import annotations

from placet.local.signals import interrupts_end_at_once

if __name__ == "__main__":
    interrupts_end_at_once()

    import sys

    from placet.local.commands import main

    sys.exit(main())
