"""`python -m tests.proofs NAME [--quick] [--seed N] [--json FILE]`: run one proof; 1 when it does not hold."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from pathlib import Path

from local.errors import LocalError
from tests import proofs


def main(arguments: list[str] | None = None) -> int:
    names = sorted(one.name for one in pkgutil.iter_modules(proofs.__path__) if _is_proof(one))
    parser = argparse.ArgumentParser(prog="python -m tests.proofs", description=proofs.__doc__)
    parser.add_argument("name", choices=names)
    parser.add_argument("--quick", action="store_true", help="the size inside make test, instead of everything")
    parser.add_argument("--seed", type=int, default=1, help="of whatever is drawn (default: 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    asked = parser.parse_args(arguments)
    size = proofs.Size(asked.quick, asked.seed)
    try:
        proof: proofs.Proof = importlib.import_module(f"tests.proofs.{asked.name}").prove(_say, size)
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


def _is_proof(module: pkgutil.ModuleInfo) -> bool:
    """Whether a module here proves something; the others are what proofs play with, and their tests."""
    return not module.ispkg and "\ndef prove(" in (Path(proofs.__path__[0]) / f"{module.name}.py").read_text()


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
