"""Every request that a function makes is allowed by its policy, and every right of a policy is used by a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from infra.checks.template import Templates
from infra.settings import VERBS
from tests.proofs import Proof, Size
from tests.proofs.rightful.calls import BATCH, Call
from tests.proofs.rightful.playing import Book, play
from tests.proofs.rightful.rights import allowed_together, allows, done_by_aws, rights_of
from tests.proofs.rightful.synthesized import synthesizing

WANTED = 180  # kinds of requests, a partition's kind for each of them


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play everything once, and hold what was asked against the template of the same registry; there is one size."""
    book = Book()
    with synthesizing() as made:
        play(book)
        say(f"rights: {len(book.calls)} requests")
        return judged(made(), book.calls)


def templates() -> Templates:
    """Both templates, with the registry and the sinks that are played."""
    with synthesizing() as made:
        return made()


def judged(found: Templates, calls: Iterable[Call]) -> Proof:
    """The figures, and what makes the proof fail."""
    calls, rights = set(calls), rights_of(found)
    batches = {call for call in calls if call.on.startswith(BATCH)}
    everything = (calls - batches) | done_by_aws(found, calls)
    denied = {kind(call) for call in everything if not any(allows(right, call) for right in rights)}
    missing = sorted(denied | {call for call in batches if not allowed_together(found, call)})
    unused = sorted(right for right in rights if not any(allows(right, call) for call in everything))
    kinds = {kind(call) for call in calls}
    functions = {call.verb for call in calls}
    violations = [f"{one.verb}: asks for {one.action} on {one.on}, and nothing allows it" for one in missing]
    violations += [f"{one.verb}: may {one.action} on {one.on}, and never asks for it" for one in unused]
    violations += [f"{verb} was never seen at work" for verb in VERBS if verb not in functions]
    violations += [f"only {len(kinds)} kinds of requests, at least {WANTED} were wanted"] * (len(kinds) < WANTED)
    figures = {
        "functions": len(functions),
        "calls": len(kinds),
        "allowed_missing": len(missing),
        "allowed_unused": len(unused),
    }
    counted = Counter(one.verb for one in kinds)
    allowed = Counter(one.verb for one in rights)
    lines = [f"{verb:<13} {counted[verb]:>4} kinds of requests {allowed[verb]:>4} rights" for verb in VERBS]
    return Proof("rights", "\n".join(lines), figures, violations)


def kind(call: Call) -> Call:
    """A call without the names in its partition: `T#main#P#7k3v` is `T#*#P#*`."""
    if call.on.startswith(BATCH):
        return call
    before, colon, partition = call.on.partition(":")
    parts = partition.split("#")
    if len(parts) < 3:
        return call
    return call._replace(on=f"{before}{colon}T#*#{parts[2]}#*")
