"""The model's tables against the code's: a clause or a move that only one of them knows is a violation."""

from __future__ import annotations

from placet.model.transitions import CALL_MOVES, PERMIT_MOVES
from tests.proofs.clauses.code import builders, pairs_in_the_code
from tests.proofs.modelling.asking import TESTS as ASKED_TESTS
from tests.proofs.modelling.clauses import ASKED, PAIR, STANDS, WRITES
from tests.proofs.modelling.conditions import TESTS
from tests.proofs.modelling.moves import MOVES, NOT_MODELLED
from tests.proofs.modelling.pair.clauses import TESTS as PAIR_TESTS
from tests.proofs.modelling.standing import TESTS as STANDING_TESTS


def differences() -> list[str]:
    """Sentences; empty when model and code agree."""
    return [*_moves(), *_writes(), *_clauses()]


def _moves() -> list[str]:
    code = {("call", state.value, after.value) for (state, _), after in CALL_MOVES.items()}
    code |= {("permit", state.value, after.value) for (state, _), after in PERMIT_MOVES.items()}
    model = MOVES | set(NOT_MODELLED)
    only_code = [f"the code moves a {one[0]} from {one[1]} to {one[2]}, the model does not" for one in code - model]
    only_model = [f"the model moves a {one[0]} from {one[1]} to {one[2]}, the code does not" for one in model - code]
    return sorted(only_code + only_model)


def _writes() -> list[str]:
    return [f"only one of model and code has the write {name}" for name in sorted(set(WRITES) ^ set(builders()))]


def _clauses() -> list[str]:
    code, model = pairs_in_the_code(), {(write, clause) for write, kept in WRITES.items() for clause in kept}
    found = [f"{write} carries {clause} in the code, not in the model" for write, clause in sorted(code - model)]
    found += [f"{write} carries {clause} in the model, not in the code" for write, clause in sorted(model - code)]
    for why, tests in (("", TESTS), (PAIR, PAIR_TESTS), (ASKED, ASKED_TESTS), (STANDS, STANDING_TESTS)):
        modelled = {clause for kept in WRITES.values() for clause, reason in kept.items() if reason == why}
        found += [f"the model has no test for {clause}" for clause in sorted(modelled - set(tests))]
    return found
