"""``python -m placet.local run | stop | demo | environment AGENT | outbox | differences``."""

from __future__ import annotations

import argparse
import sys

from placet.local.errors import LocalError
from placet.local.settings import LocalSettings
from placet.local.signals import signals_end_this

COMMANDS = {
    "run": "start everything and stay until Ctrl-C",
    "stop": "end a start that was left behind",
    "demo": "play approvals from pause to execution, and prove what ran",
    "environment": 'print what makes a shell\'s processes an agent: eval "$(… environment my-agent)"',
    "outbox": "print the mails that would have been sent",
    "differences": "print how the local mode differs from a deployment",
}


def main() -> int:
    shown = "\n".join(f"  {name:<12} {what}" for name, what in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m placet.local", epilog=shown, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=list(COMMANDS), metavar="command")
    parser.add_argument("agent", nargs="?", default="", help="of environment: its name in the registry")
    given = parser.parse_args()
    if bool(given.agent) != (given.command == "environment"):
        parser.error("environment takes the name of an agent, and nothing else does")
    try:
        return 0 if _do(given.command, LocalSettings.from_environment(), given.agent) else 1
    except LocalError as error:
        print(f"placet: {error.sentence} {error.way_out}", file=sys.stderr)
        return 1


def _do(command: str, settings: LocalSettings, agent: str) -> bool:
    """Whether it went as it should. Imports late: `stop` needs neither boto3 nor the emulators."""
    if command == "run":
        from placet.local.run import run

        run(settings)
    elif command == "demo":
        from placet.local.agents.demo import demo

        with signals_end_this():
            return bool(demo(settings.on_free_ports()))
        return False
    elif command == "stop":
        from placet.local.stopping import stop

        print(stop(settings))
    elif command == "environment":
        from placet.local.registered import environment

        print(environment(settings, agent))
    elif command == "outbox":
        from placet.local.outbox import print_outbox

        print_outbox(settings)
    else:
        from placet.local import differences

        print("\n".join(differences.lines()))
    return True


if __name__ == "__main__":
    sys.exit(main())
