"""``python -m local run | stop | demo | examples [AGENT] | environment [AGENT] | token NAME | outbox | differences``."""

from __future__ import annotations

import argparse
import os
import sys

from local.errors import LocalError
from local.settings import LocalSettings
from local.signals import signals_end_this

COMMANDS = {
    "run": "start everything and stay until Ctrl-C",
    "stop": "end a start that was left behind",
    "demo": "play approvals from pause to execution, and prove what ran",
    "examples": "let the demo agents, or one of them, ask for approvals on a start that is up",
    "environment": 'print what makes a shell\'s processes an agent, placet-operator or root: eval "$(… environment my-agent)"',
    "token": "print an access token of a reviewer, for ten minutes: export PLACET_TOKEN=$(… token maria)",
    "outbox": "print the mails that would have been sent",
    "differences": "print how the local mode differs from a deployment",
}

NAMED = {"token": "a reviewer"}
MAY_NAME = (*NAMED, "environment", "examples")
END = "placet: these keys are good until this start of Placet ends; print them anew after the next one."


def main() -> int:
    shown = "\n".join(f"  {name:<12} {what}" for name, what in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m local", epilog=shown, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=list(COMMANDS), metavar="command")
    parser.add_argument(
        "name", nargs="?", default="", help="of an agent (environment, examples) or of a reviewer (token)"
    )
    given = parser.parse_args()
    if not given.name and given.command in NAMED:
        parser.error(f"{given.command} takes the name of {NAMED[given.command]}")
    if given.name and given.command not in MAY_NAME:
        parser.error(f"{given.command} takes no name")
    try:
        well = _do(given.command, LocalSettings.from_environment(), given.name)
        sys.stdout.flush()  # here, where a reader that has gone is known of: a few lines wait in the buffer
        return 0 if well else 1
    except LocalError as error:
        print(f"placet: {error.sentence} {error.way_out}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # what was printed is read by nobody any more: `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _do(command: str, settings: LocalSettings, name: str) -> bool:
    """Whether it went as it should. Imports late: `stop` needs neither boto3 nor the emulators."""
    if command == "run":
        from local.run import run

        run(settings)
    elif command == "demo":
        from local.agents.demo import demo

        with signals_end_this():
            return bool(demo(settings.on_free_ports()))
        return False
    elif command == "stop":
        from local.stopping import stop

        print(stop(settings))
    elif command == "environment":
        from local.registered import environment, root_environment

        print(environment(settings, name) if name else root_environment(settings))
        print(END, file=sys.stderr)
    elif command == "token":
        from local.tokens import token

        print(token(settings, name))
    elif command == "examples":
        from local.examples import ask

        failed = ask(settings, name)
        print("\n".join(failed) or "examples: they wait in the inbox", file=sys.stderr if failed else sys.stdout)
        return not failed
    elif command == "outbox":
        from local.outbox import print_outbox

        print_outbox(settings)
    else:
        from local import differences

        print("\n".join(differences.lines()))
    return True
