"""Exact JSON: what is accepted, refused, kept to the byte, and what a permit releases, over public corpora and made values.

A second reader (`tests.proofs.exact.reader`), written from the RFC and docs/canonical-json.md, says what is right.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from placet.model.canonical import canonical, digest, exact_text, parse
from placet.model.errors import Invalid, TooLarge
from tests.proofs import Proof, Size
from tests.proofs.exact import reader, values
from tests.proofs.exact.corpus import Case, cases
from tests.proofs.exact.road import Road, opened

FULL, QUICK, LEAST = 100_000, 1_000, 300
CALLS = 10  # of one pause
READING = ("json_invalid", "json_duplicate_key", "json_number", "json_surrogate", "json_too_deep")
CODES = {
    *((400, code) for code in READING),
    *((422, code) for code in ("native_invalid", "unknown_field", "field_invalid")),
}


@dataclass
class Found:
    """What was seen; `codes` by code, `wrong` by kind with an example each."""

    codes: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    executed: int = 0
    digests: dict[bytes, bytes] = field(default_factory=dict)  # of the digest and of the canonical text

    def add(self, kind: str, text: object) -> None:
        """Something is wrong."""
        self.wrong[kind] += 1
        self.examples.setdefault(kind, repr(text)[:300])


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Read the corpora, then make values and carry each through the gateway."""
    return play(say, QUICK if size.quick else FULL, size.seed)


def play(say: Callable[[str], None], count: int, seed: int) -> Proof:
    """The proof over `count` made values."""
    found, known, draw = Found(), cases(), Random(seed)  # noqa: S311 - a seed has to repeat
    for case in known:
        check_case(found, case)
    say(f"json: {len(known)} cases of the corpora read")
    with opened() as road:
        for start in range(0, count, CALLS):
            made = [values.arguments(draw) for _ in range(CALLS)]
            for one in (*made, values.value(draw)):
                check_value(found, draw, one)
            carry(found, draw, road, made, f"cp-{start}")
            forget(road)
            if start % 10_000 == 0:
                say(f"json: {start} of {count} values, {found.executed} executed, {sum(found.wrong.values())} wrong")
    return judged(found, len(known), count)


def judged(found: Found, corpus: int, generated: int) -> Proof:
    """The figures, and what makes the proof fail."""
    violations = [f"{kind} {count} times, first {found.examples[kind]}" for kind, count in found.wrong.items()]
    if corpus < LEAST or found.executed < generated:
        violations.append(f"only {corpus} cases and {found.executed} executions of {generated}")
    missing = {"json_invalid", "json_duplicate_key", "json_number", "json_surrogate", "json_too_deep"} - set(
        found.codes
    )
    violations += [f"nothing was ever refused with {code}" for code in sorted(missing)]
    figures = {"corpus": corpus, "generated": generated}
    figures |= {kind: found.wrong[kind] for kind in ("accepted_wrong", "refused_wrong", "bytes_changed")}
    figures |= {"executed": found.executed}
    rows = [f"{code:<20} {count:>9}" for code, count in sorted(found.codes.items())]
    return Proof("json", "\n".join(["outcome of texts read", *rows]), figures, violations)


def outcome(text: bytes) -> tuple[Any, str]:
    """What the gateway reads: the value and "", or None and the code."""
    try:
        return parse(text), ""
    except (Invalid, TooLarge) as error:
        return None, error.code


def expected(text: bytes) -> tuple[Any, str]:
    """The same by the second reader."""
    try:
        return reader.read(text), ""
    except reader.Bad as error:
        return None, error.code


def check_case(found: Found, case: Case) -> None:
    """One case of the corpora: as the corpus says, as the second reader says, and kept to the byte."""
    value, code = outcome(case.text)
    found.codes[code or "accepted"] += 1
    if (not code) != case.accepted or (case.code and code != case.code):
        found.add("refused_wrong" if code else "accepted_wrong", (case.name, code))
    compare(found, case.text, value, code)


def compare(found: Found, text: bytes, value: Any, code: str) -> None:
    """The gateway's reading of a text against the second reader's."""
    right, right_code = expected(text)
    if bool(code) != bool(right_code):
        found.add("refused_wrong" if code else "accepted_wrong", (text[:200], code, right_code))
    elif not code and (exact_text(value), canonical(value)) != (reader.write(right), reader.write(right, ordered=True)):
        found.add("bytes_changed", text[:200])


def check_value(found: Found, draw: Random, made: values.Value) -> None:
    """A made value: exact, stable in every dress, and no two values under one digest; and the same text broken."""
    text = values.dressed(draw, made)
    value, code = outcome(text.encode())
    found.codes[code or "accepted"] += 1
    if code:
        found.add("refused_wrong", (text, code))
        return
    exact, ordered = exact_text(value), canonical(value)
    turned = parse(values.dressed(draw, made, turned=True))
    stable = parse(exact) == value and exact_text(parse(exact)) == exact and canonical(parse(ordered)) == ordered
    if (exact, ordered) != (reader.write(made), reader.write(made, ordered=True)) or not stable:
        found.add("bytes_changed", text)
    if canonical(turned) != ordered or digest(turned) != digest(value) or not one_digest(found, value, ordered):
        found.add("bytes_changed", text)
    if (other := values.neighbour(draw, made)) and reader.write(other, ordered=True) != ordered:
        near = parse(values.dressed(draw, other))
        if digest(near) == digest(value) or not one_digest(found, near, reader.write(other, ordered=True)):
            found.add("bytes_changed", (text, "has the digest of a neighbour"))
    hurt = values.broken(draw, text).encode("utf-8", "surrogatepass")
    value, code = outcome(hurt)
    found.codes[code or "accepted"] += 1
    compare(found, hurt, value, code)


def one_digest(found: Found, value: Any, ordered: str) -> bool:
    """Digests are equal exactly when canonical forms are, over everything seen in this run."""
    right = hashlib.sha256(ordered.encode()).hexdigest()
    return (
        digest(value) == right
        and found.digests.setdefault(right[:16].encode(), ordered.encode()[:64]) == ordered.encode()[:64]
    )


def carry(found: Found, draw: Random, road: Road, made: list[values.Value], checkpoint: str) -> None:
    """Ten calls through the gateway: shown, approved and released are the same bytes; a broken one stores nothing."""
    refuse(found, draw, road, made[0], f"{checkpoint}-broken")
    status, answer = road.capture([values.dressed(draw, one) for one in made], checkpoint)
    if status != 201:
        found.add("refused_wrong", (made, answer))
        return
    shown = road.show(answer["pause"])
    for at, (call, one) in enumerate(zip(shown, made, strict=True)):
        wanted = values.arguments(draw) if at % 5 == 4 else one
        approved = approve(road, draw, call, one, wanted)
        status, permit = road.claim(call["call"], approved)
        right = reader.write(wanted)
        same = call["arguments"] == reader.write(one) and permit.get("arguments") == right
        if not same or permit.get("digest") != approved or approved != digest_of(wanted):
            found.add("bytes_changed", (right, call["arguments"], permit))
        found.executed += status == 200


def approve(road: Road, draw: Random, call: dict[str, Any], one: values.Value, wanted: values.Value) -> str:
    """Accept, or edit into what is wanted; the digest that was decided."""
    if reader.write(wanted, ordered=True) == reader.write(one, ordered=True):
        return str(road.decide(call, "accept")[1].get("digest"))
    text = values.dressed(draw, wanted)
    return str(road.decide(call, "edit", arguments=text, new_digest=digest_of(wanted))[1].get("digest"))


def digest_of(made: values.Value) -> str:
    """The digest as docs/canonical-json.md has it."""
    return hashlib.sha256(reader.write(made, ordered=True).encode()).hexdigest()


def refuse(found: Found, draw: Random, road: Road, made: values.Value, checkpoint: str) -> None:
    """A body with one broken call is answered with the reader's code, and leaves nothing behind."""
    text, before = values.broken(draw, values.dressed(draw, made)), road.stored()
    status, answer = road.capture([text], checkpoint)
    if status < 300:
        if expected(text.encode())[1]:
            found.add("accepted_wrong", text)
        return
    if (status, answer.get("code")) not in CODES or road.stored() != before:
        found.add("accepted_wrong", (text, status, answer, "left something behind" * (road.stored() != before)))


def forget(road: Road) -> None:
    """Keep people, drop pauses: the store need not grow."""
    table = road.gateway.table
    for key in [key for key in table.items if "#P#" in key.pk or "#K#" in key.pk]:
        del table.items[key]
    table.changes.clear()
    road.gateway.mail.sent.clear()
