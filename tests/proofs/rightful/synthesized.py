"""The templates with the registry and the sinks that are played, made by a process of its own.

CDK reads when it starts whether it validates, and that is the larger part of its work: nobody here wants it, and what is imported
beside has started it already. So it is told in another process, which works while the functions are played.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from infra.checks.template import Templates
from tests.infra.conftest import synthesize
from tests.proofs.outages.registry import ENVIRONMENT
from tests.proofs.rightful.playing import AGENTS, SINKS


@contextmanager
def synthesizing() -> Iterator[Callable[[], Templates]]:
    """Begin, and give what waits for both templates. That raises AssertionError when there are none."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "tests.proofs.rightful.synthesized", folder]
        with subprocess.Popen(words, env={**os.environ, "CDK_VALIDATION": "false"}) as running:

            def made() -> Templates:
                assert running.wait() == 0, "the templates of what is played could not be synthesized"
                return Templates.read(Path(folder))

            yield made


def main() -> None:
    """Write them into a folder."""
    agents = [{**one, "framework": _framework(one)} for one in AGENTS]
    plain = [{name: value for name, value in one.items() if value is not None} for one in agents]
    synthesize(Path(sys.argv[1]), agents=plain, sinks=SINKS, mail_from=ENVIRONMENT["PLACET_MAIL_FROM"])


def _framework(agent: dict[str, Any]) -> str | None:
    return None if agent["target"]["kind"].startswith("bedrock") else "langchain"


if __name__ == "__main__":
    main()
