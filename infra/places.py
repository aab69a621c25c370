"""Whether an assembly that lies in a folder may be taken to an account and region, before the CDK command line takes it there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from infra.doors import whole_lock
from infra.made_from import MANIFEST, NOBODYS, VARIABLE, read_made, settings_digest
from infra.registry import SettingsError
from infra.settings_file import COPY, chosen, read

_WRITES = frozenset({"deploy", "import", "watch"})  # what would forget a lock that the assembly was made without


def assembly_in(words: Sequence[str]) -> Path | None:
    """The folder of the assembly that arguments for CDK name; None where they have it synthesized."""
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in ("--app", "-a"):
            value = value if equals else "".join(words[number + 1 : number + 2])
        elif not (word.startswith("-a") and not word.startswith("--")):
            continue
        else:
            value = word[2:]
        return Path(value) if (Path(value) / MANIFEST).is_file() else None
    return None


def misplaced(
    assembly: Path, installation: str, words: Sequence[str], *, is_local: bool, lock: Path | None = None
) -> str:
    """A sentence with the way out when an assembly is not to be taken to an account and region; else nothing."""
    made, name = read_made(assembly), assembly.name or str(assembly)
    if made.is_example:
        what = f"still has examples in {', '.join(made.examples)}" if made.examples else "was made from the example"
        way = "write your own there, then make synth" if made.examples else f"{COPY}, then make synth"
        at_home = is_local and installation.startswith(f"{NOBODYS}/")
        return "" if at_home else f"{name} {what} of the settings, and an account takes no example: {way}"
    again = f"{VARIABLE}={installation} make synth"
    if made.installation and made.installation != installation:
        return f"{name} was made for {made.installation}, and these credentials are of {installation}: {again}"
    if (
        made.settings
        and not made.installation
        and not _WRITES.isdisjoint(words)
        and installation in whole_lock(lock).named
    ):
        return f"{name} was made without what the lock says is deployed in {installation}: {again}"
    return ""


def made_of_others(assembly: Path) -> str:
    """A sentence when an assembly is of other settings than those that stand here now; else nothing."""
    made = read_made(assembly)
    try:
        here = read(chosen())
    except SettingsError:
        return ""
    if not made.settings or made.is_example or here.is_example or made.settings == settings_digest(here):
        return ""
    return f"{assembly.name} was made from other settings than {here.name} has now: make synth makes it anew"
