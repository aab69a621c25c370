"""A list of reviewers as a table: `email`, `name` and `groups`, one person a line, with all its mistakes told at once."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from placet.cli.entering import Wanted
from placet.model.characters import is_blank
from placet.model.entered import wrong_address, wrong_name, wrong_sub

NEEDED, POSSIBLE = ("email", "name", "groups"), ("sub", "username")
BYTES = 1_000_000


class NotARoster(ValueError):
    """The file cannot be taken as it is: one sentence for each mistake."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


def read(path: Path, groups: frozenset[str]) -> list[Wanted]:
    """Who is in the file; ``groups`` are those of the policy. Raises NotARoster, before anybody is asked anything."""
    try:
        text = path.read_bytes()[: BYTES + 1].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotARoster([f"{path.name} is not UTF-8: save it as CSV UTF-8"]) from None
    if len(text) > BYTES:
        raise NotARoster([f"{path.name} is over {BYTES:,} bytes: no list of reviewers is so long"])
    first = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    heads = [head.strip().lower() for head in rows.fieldnames or ()]
    if missing := [head for head in NEEDED if head not in heads]:
        raise NotARoster([f"{path.name}, line 1: the columns are email,name,groups; {', '.join(missing)} is missing"])
    if unknown := [head for head in heads if head not in (*NEEDED, *POSSIBLE)]:
        raise NotARoster([f"{path.name}, line 1: there is no column {', '.join(map(repr, unknown))}; take it out"])
    rows.fieldnames = heads
    wanted, mistakes, seen = [], [], dict[str, int]()
    for row in rows:
        found = {head: (row.get(head) or "").strip() for head in heads}
        if not any(found.values()):
            continue
        where = f"{path.name}, line {rows.line_num}"
        wrong = [f"{where}: {one}" for one in _mistakes(found, None in row, groups)]
        if (before := seen.setdefault(found["email"].casefold(), rows.line_num)) != rows.line_num:
            wrong.append(f"{where}: {found['email']} stands in line {before} already; put all groups into one line")
        mistakes += wrong
        extra = {head: found.get(head, "") for head in POSSIBLE}
        wanted.append(Wanted(found["email"], _groups(found["groups"]), found["name"], **extra))
    if not wanted:
        mistakes.append(f"{path.name} names nobody")
    if mistakes:
        raise NotARoster(mistakes)
    return wanted


def _mistakes(row: Mapping[str, str], too_long: bool, groups: frozenset[str]) -> Iterator[str]:
    if too_long:
        yield "has more cells than columns; groups are separated by spaces, or stand in quotes"
    if wrong := wrong_address(row["email"]):
        yield wrong.rstrip(".")
    if is_blank(row["name"]):
        yield "has no name"
    elif wrong := wrong_name(row["name"]):
        yield wrong.rstrip(".")
    if row.get("sub") and (wrong := wrong_sub(row["sub"])):
        yield wrong.rstrip(".")
    if not _groups(row["groups"]):
        yield "has no groups"
    for group in _groups(row["groups"]):
        if group not in groups:
            yield f"no class of the policy asks the group {group!r}; it asks {', '.join(sorted(groups))}"


def _groups(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in re.split(r"[\s,;|]+", text) if one))
