"""Tools' schemas as hostile input: honest ones with values that fit and break them, numbers under fractions, and weapons.

Nothing may be opened, no check may end in anything but an answer, take long, or say what it must not; values that fit are taken,
those that break are not. What is right is known from how a case was made, or counted with fractions: never asked of the judge.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random

from tests.proofs import Proof, Size
from tests.proofs.schematic import made, numbers, weapons
from tests.proofs.schematic.drawing import URIS, Drawing
from tests.proofs.schematic.watching import CODES, Watch, watching

FULL, QUICK = 100_000, 1_200
BROKEN = "arguments_break_schema"
KINDS = {"honest": 55, "numbers": 25, "weapons": 20}  # of a hundred
DIALECTS = len(URIS) - 1  # the unknown one is the one without a name


class Tally:
    """Which cases occurred: `honest` by dialect and family, `counted` by keyword, `thrown` by weapon."""

    def __init__(self) -> None:
        self.honest: Counter[tuple[str, str]] = Counter()
        self.next_family = cycle(made.every_family())
        self.counted: Counter[tuple[str, bool]] = Counter()
        self.thrown: Counter[str] = Counter()


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Make cases and watch each check."""
    return play(say, QUICK if size.quick else FULL, size.seed)


def play(say: Callable[[str], None], count: int, seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Proof:
    """The proof over `count` checks of these kinds."""
    draw, tally = Random(seed), Tally()  # noqa: S311 - a seed has to repeat
    with tempfile.TemporaryDirectory() as folder, watching() as watch:
        file = Path(folder) / "schema.json"
        file.write_text(f'{{"const": "{weapons.OUTSIDE}", "a": {{"const": "{weapons.OUTSIDE}"}}}}')
        while watch.checked < count:
            before, told = watch.checked, set(watch.examples)
            (kind,) = draw.choices(kinds, [KINDS[name] for name in kinds])
            {"honest": honest, "numbers": counted, "weapons": thrown}[kind](draw, watch, tally, file)
            for name in watch.examples.keys() - told:
                say(f"schemas: {name}, for the first time: {watch.examples[name]}")
            if before // 10_000 < watch.checked // 10_000:
                say(f"schemas: {watch.checked} of {count} checks, {sum(watch.wrong.values())} wrong")
    return judged(watch, tally)


def honest(draw: Random, watch: Watch, tally: Tally, file: Path) -> None:
    """One schema, a value that fits it and one that breaks it."""
    dialect, family = next(tally.next_family)
    drawing = Drawing(draw, dialect, made.FAMILIES)
    schema, fits, breaks = made.whole(drawing, family)
    tally.honest.update((drawing.dialect, family) for family in drawing.families)
    if code := watch.check(fits, schema):
        watch.add("wrongly_refused", (code, fits, schema))
    if (code := watch.check(breaks, schema)) != BROKEN:
        watch.add("inexact", (code or "taken", breaks, schema))


def counted(draw: Random, watch: Watch, tally: Tally, file: Path) -> None:
    """One number against one bound."""
    keyword, schema, value, fits = numbers.case(draw)
    tally.counted[keyword, fits] += 1
    if watch.check({"a": value}, schema) != ("" if fits else BROKEN):
        watch.add("inexact", (fits, value, schema))


def thrown(draw: Random, watch: Watch, tally: Tally, file: Path) -> None:
    """One weapon: any answer is right, as long as it is one."""
    name = draw.choice([*weapons.WEAPONS])
    tally.thrown[name] += 1
    watch.check(weapons.arguments(draw), weapons.WEAPONS[name](draw, file))


def judged(watch: Watch, tally: Tally) -> Proof:
    """The figures, and what makes the proof fail."""
    names = ("opened", "killed", "slow", "leaked", "inexact", "wrongly_refused")
    violations = [f"{name} {count} times, first {watch.examples[name]}" for name, count in watch.wrong.items()]
    violations += [f"coverage: {one}" for one in _missing(watch, tally)]
    rows = [f"{code or 'fits':<24} {count:>7}" for code, count in sorted(watch.codes.items())]
    rows += [f"{name:<24} {count:>7}" for name, count in sorted(tally.thrown.items())]
    figures: dict[str, float] = {"fuzzed": watch.checked, "dialects": DIALECTS}
    figures |= {name: watch.wrong[name] for name in names}
    return Proof("schemas", "\n".join(rows), figures, violations)


def _missing(watch: Watch, tally: Tally) -> list[str]:
    """What never occurred: a family in a dialect that has it, a bound met and broken, a weapon, an answer."""
    found = [f"no {name} in {dialect}" for dialect, name in made.every_family() if not tally.honest[dialect, name]]
    found += [
        f"no {one} that {'fits' if fits else 'breaks'}"
        for one in numbers.KEYWORDS
        for fits in (True, False)
        if not tally.counted[one, fits]
    ]
    found += [f"no weapon {name}" for name in weapons.WEAPONS if not tally.thrown[name]]
    return found + [
        f"no check ended with {code or 'a value that fits'}" for code in ("", *CODES) if not watch.codes[code]
    ]
