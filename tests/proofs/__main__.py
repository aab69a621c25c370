"""`python -m tests.proofs NAME [--json FILE]`: run one proof; 1 when it does not hold."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from pathlib import Path

from placet.local.errors import LocalError
from tests import proofs


def main(arguments: list[str] | None = None) -> int:
    names = sorted(one.name for one in pkgutil.iter_modules(proofs.__path__) if not one.name.startswith("_"))
    parser = argparse.ArgumentParser(prog="python -m tests.proofs", description=proofs.__doc__)
    parser.add_argument("name", choices=names)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    asked = parser.parse_args(arguments)
    try:
        proof: proofs.Proof = importlib.import_module(f"tests.proofs.{asked.name}").prove(_say)
    except (AssertionError, LocalError) as error:  # it did not come to its end: nothing was proved
        print(f"\nviolation: {error}\n{asked.name}: failed=1")
        return 1
    print(f"\n{proof.table}\n")
    for violation in proof.violations:
        print(f"violation: {violation}")
    if asked.json:
        told = {"proof": proof.name, "figures": proof.figures, "violations": proof.violations, **proof.data}
        asked.json.write_text(json.dumps(told, indent=2) + "\n")
    print(proof.line)
    return 1 if proof.violations else 0


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
