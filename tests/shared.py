"""One running stack for a whole test run, however many folders of tests ask for it."""

from __future__ import annotations

import atexit
import functools
import subprocess
import sys

from local.settings import CHECKOUT, LocalSettings
from local.stack import LocalStack


@functools.cache
def shared_stack() -> LocalStack:
    """A stack on free ports, with today's code; it ends with the test run."""
    synthesize()
    settings = LocalSettings().on_free_ports().with_demo_rules()
    stack = LocalStack(settings, say=lambda line: print(line, flush=True))
    atexit.register(end_shared_stack)
    return stack.__enter__()


def shared_aws() -> str:
    """The address of an AWS emulator, for who needs a service and nothing of the product: the shared stack's if that runs, else
    one in which nothing is deployed, which is there in a moment."""
    return shared_stack().endpoint if shared_stack.cache_info().currsize else _bare().endpoint


@functools.cache
def _bare() -> LocalStack:
    stack = LocalStack(LocalSettings().on_free_ports(), say=lambda line: print(line, flush=True))
    atexit.register(stack.discard)
    stack.start()
    return stack


def synthesize() -> None:
    """Bring `cdk.out` up to date, as `make synth` does; at once when nothing changed."""
    subprocess.run([sys.executable, "-m", "infra.synth"], cwd=CHECKOUT, check=True)


def end_shared_stack() -> None:
    """End it now, if it was started."""
    if shared_stack.cache_info().currsize:
        stack = shared_stack()
        shared_stack.cache_clear()
        stack.discard()
