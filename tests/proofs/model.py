"""The protocol, every state of it: an explicit-state model, held against the code's tables, in which nothing goes wrong; and bugs
planted into it, each of which is found with the shortest way to it."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.proofs import Proof, Size
from tests.proofs.modelling.checker import Checked, check
from tests.proofs.modelling.comparing import differences
from tests.proofs.modelling.moves import MOVES
from tests.proofs.modelling.settings import FULL, PLANTED, QUICK, AnySetting

LEAST_PLANTED = 67


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Compare, check every setting, find every planted bug."""
    violations = differences()
    checked = {one.name: _checked(say, one) for one in (QUICK if size.quick else FULL)}
    violations += [_told(name, one) for name, one in checked.items() if one.wrong]
    taken = set().union(*(one.moves for one in checked.values()))
    violations += [f"no step ever moved a {what} from {old} to {new}" for what, old, new in sorted(MOVES - taken)]
    violations += [f"a step moved a {what} from {old} to {new}" for what, old, new in sorted(taken - MOVES)]
    planted = {name: check(setting) for name, setting in PLANTED.items()}
    violations += [f"not found: {name}" for name, one in planted.items() if not one.wrong]
    if len(planted) < LEAST_PLANTED:
        violations.append(f"only {len(planted)} bugs are planted")
    figures = {
        "states": sum(one.states for one in checked.values()),
        "violations": sum(bool(one.wrong) for one in checked.values()),
        "planted": len(planted),
        "found": sum(bool(one.wrong) for one in planted.values()),
    }
    return Proof("model", _table(checked, planted), figures, violations)


def _checked(say: Callable[[str], None], setting: AnySetting) -> Checked:
    began = time.monotonic()
    found = check(setting)
    say(f"model: {setting.name}: {found.states} states in {time.monotonic() - began:.0f} s")
    return found


def _told(name: str, one: Checked) -> str:
    return f"{name}: {one.wrong}, after: {'; '.join(one.trace)}"


def _table(checked: dict[str, Checked], planted: dict[str, Checked]) -> str:
    lines = [f"{'model':<36} {'states':>9}", *(f"{name:<36} {one.states:>9}" for name, one in checked.items()), ""]
    lines += [f"{'planted bug':<48} {'steps':>5}  found as"]
    for name, one in planted.items():
        lines.append(f"{name:<48} {len(one.trace):>5}  {one.wrong or 'NOT FOUND'}")
    for name, one in planted.items():
        lines += ["", f"{name}:", *(f"  {at}. {label}" for at, label in enumerate(one.trace, start=1))]
    return "\n".join(lines)
