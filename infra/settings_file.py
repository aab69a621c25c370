"""Where the settings stand: placet.toml of whoever installs, or placet.example.toml for this machine and the tests.

    python -m infra.settings_file            read the file that a deploy takes, and say what is wrong with it
    python -m infra.settings_file move       write placet.toml from `context.placet` of an older cdk.json

A deploy takes no example: an address at example.com would be written into records, and reaches nobody.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.settings import Settings, SettingsError
from placet.model.visible import one_line

ROOT = Path(__file__).resolve().parent.parent
OWN, EXAMPLE, VARIABLE = "placet.toml", "placet.example.toml", "PLACET_SETTINGS"
LOCKED = ".lock.json"  # in place of .toml: what of a file of settings is deployed (infra/doors.py)
COPY = f"cp {EXAMPLE} {OWN}, and make it yours (docs/deploy.md#settings)"
MOVE = ".venv/bin/python -m infra.settings_file move"
# Domains that nobody can own (RFC 2606), and the id that AWS's documents and ours show.
_EXAMPLES = re.compile(r"(?:^|@|//|\.)example(?:\.(?:com|net|org))?(?=$|[/:?#])|^AGENT12345$", re.IGNORECASE)


@dataclass(frozen=True)
class SettingsFile:
    """One file of settings and what it holds."""

    path: Path
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """As people find it: relative to the checkout where it is in it."""
        return one_line(str(self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path))

    @property
    def is_example(self) -> bool:
        return self.path == ROOT / EXAMPLE

    @property
    def settings(self) -> Settings:
        """Checked. Raises SettingsError: one line for each mistake."""
        return Settings.of(self.values, self.name)

    @property
    def examples(self) -> list[str]:
        """One sentence for each value that is still an example's."""
        return [
            f"{self.name}: {one_line(key)} is {value!r}, which is an example: write your own, or take the entry out"
            for key, value in self._left
        ]

    @property
    def example_keys(self) -> list[str]:
        """Where these values stand."""
        return [key for key, _ in self._left]

    @property
    def _left(self) -> list[tuple[str, str]]:
        return [(key, value) for key, value in _texts(self.values) if _EXAMPLES.search(value)]


def chosen(environ: Mapping[str, str] = os.environ, root: Path = ROOT) -> Path:
    """The file that is taken here: PLACET_SETTINGS, else placet.toml, else the example."""
    if named := environ.get(VARIABLE):
        return root / named  # an absolute one stays what it is
    return root / (OWN if (root / OWN).exists() else EXAMPLE)


def read(path: Path) -> SettingsFile:
    """What a file holds. Raises SettingsError when there is none, or when it is no TOML: with its line."""
    name = SettingsFile(path, {}).name
    try:
        return SettingsFile(path, tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise SettingsError(f"{name} is not there: {COPY}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{name} cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{name} is no TOML: {error}. Text stands in quotes, lists in [ ]") from None


def deployable(environ: Mapping[str, str] = os.environ, root: Path = ROOT) -> Settings:
    """The settings that go into an account. Raises SettingsError as `deployable_file`."""
    return deployable_file(environ, root).settings


def deployable_file(environ: Mapping[str, str] = os.environ, root: Path = ROOT) -> SettingsFile:
    """The file of them: your own, right, and without a value of the example. Raises SettingsError."""
    path = chosen(environ, root)
    if path == root / EXAMPLE:
        there = f"{VARIABLE} names the example" if environ.get(VARIABLE) else f"{OWN} is not there"
        raise SettingsError(f"{there}, and an account takes no example: {COPY}")
    found = read(path)
    _ = found.settings
    if left := found.examples:
        raise SettingsError("\n".join(left))
    return found


def moved(context: Mapping[str, Any]) -> str:
    """`context.placet` of a cdk.json as the text of placet.toml; what was null is left out."""
    said = {name: value for name, value in context.items() if value is not None}
    plain = {name: value for name, value in said.items() if not _tables(value)}
    lines = [f"{name} = {_toml(value)}" for name, value in plain.items()]
    for name in sorted(said.keys() - plain.keys()):
        for entry in said[name]:
            lines += ["", f"[[{name}]]", *(f"{key} = {_toml(one)}" for key, one in entry.items() if one is not None)]
    return "\n".join(lines) + "\n"


def _tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _toml(value: Any) -> str:
    """A value in TOML. JSON's texts, numbers and truths are TOML's too, but for DEL, which TOML wants escaped."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(one)}" for key, one in value.items() if one is not None) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text of the settings with its key: `agents.refund-desk.target.agent_id`."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _texts(one, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for number, one in enumerate(value, 1):
            which = one.get("name", number) if isinstance(one, Mapping) else number
            yield from _texts(one, f"{key}.{which}")


def _move(root: Path) -> str:
    context = json.loads((root / "cdk.json").read_text("utf-8")).get("context", {}).get("placet")
    if context is None:
        raise SettingsError("cdk.json has no context.placet, so there is nothing to move")
    if (root / OWN).exists():
        raise SettingsError(f"{OWN} is there already: move it away first, or take context.placet out of cdk.json")
    text = moved(context)
    Settings.of(tomllib.loads(text), "cdk.json context.placet")
    (root / OWN).write_text(text, "utf-8")
    return f"{OWN} is written; now take context.placet out of cdk.json (git checkout -- cdk.json)"


def main() -> int:
    """Prints one line, or one for each mistake and 1."""
    parser = argparse.ArgumentParser(prog="python -m infra.settings_file", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", nargs="?", choices=["check", "move"], default="check")
    try:
        if parser.parse_args().what == "move":
            print(f"settings: {_move(ROOT)}")
        else:
            found = deployable()
            print(f"settings: {read(chosen()).name} is good for a deploy: {len(found.agents)} agents")
    except SettingsError as error:
        print("".join(f"settings: {line}\n" for line in str(error).splitlines()), end="", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
