"""Every clause of every write, taken out by its name: then a scenario must end wrongly that ends well with it.

A scenario is a function of a `Stage` that returns whether something wrong happened, registered for one clause of one write. A race
is staged between the building of a write and the writing of it: what `stage.meanwhile` does is then committed already.
"""

from tests.proofs.clauses import (
    asking,
    claims,
    counting,
    deciding,
    ending,
    expiring,
    extending,
    handing,
    leases,
    mailing,
    moments,
    overlooked,
    permits,
    placing,
    signing_in,
    standing_in,
    taking_back,
    talking,
    too_old,
    turns,
    untried,
    waiting,
    went_on,
)
from tests.proofs.clauses.code import pairs_in_the_code
from tests.proofs.clauses.stage import SCENARIOS, Pair, Scenario, Stage, ends_wrongly

__all__ = [
    "SCENARIOS",
    "Pair",
    "Scenario",
    "Stage",
    "asking",
    "claims",
    "counting",
    "deciding",
    "ending",
    "ends_wrongly",
    "expiring",
    "extending",
    "handing",
    "leases",
    "mailing",
    "moments",
    "overlooked",
    "pairs_in_the_code",
    "permits",
    "placing",
    "signing_in",
    "standing_in",
    "taking_back",
    "talking",
    "too_old",
    "turns",
    "untried",
    "waiting",
    "went_on",
]
