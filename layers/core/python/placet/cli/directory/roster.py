"""A list of reviewers as a table: `email`, `name` and `groups`, one person a line, with all its mistakes told at once."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from placet.cli.directory.entering import Wanted
from placet.model.characters import is_blank
from placet.model.entered import wrong_address, wrong_name, wrong_sub
from placet.model.people import names_in

NEEDED, POSSIBLE = ("email", "name", "groups"), ("sub", "username")
BYTES = 1_000_000


class NotARoster(ValueError):
    """The file cannot be taken as it is: one sentence for each mistake."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


def read(path: Path, groups: frozenset[str]) -> list[Wanted]:
    """Who is in the file; ``groups`` are those of the policy. Raises NotARoster, before anybody is asked anything."""
    rows, heads = _rows(path)
    wanted, mistakes, seen = [], [], dict[str, int]()
    for line, row in rows:
        found = {head: (row.get(head) or "").strip() for head in heads}
        if not any(found.values()):
            continue
        where = f"{path.name}, line {line}"
        wrong = [f"{where}: {one}" for one in (*_mistakes(found, None in row, groups), *_again(found, line, seen))]
        mistakes += wrong
        extra = {head: found.get(head, "") for head in POSSIBLE}
        wanted.append(Wanted(found["email"], _groups(found["groups"]), found["name"], **extra))
    if not wanted:
        mistakes.append(f"{path.name} names nobody")
    if mistakes:
        raise NotARoster(mistakes)
    return wanted


def _rows(path: Path) -> tuple[list[tuple[int, dict[str | Any, str | Any]]], list[str]]:
    """Every row with the line in which it ends, and the columns. Raises NotARoster."""
    text = _text(path)
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    found, line = [], 0
    try:
        heads = [head.strip().lower() for head in rows.fieldnames or ()]
        line = rows.line_num
        _check_heads(path, heads)
        rows.fieldnames = heads
        for row in rows:
            line = rows.line_num
            found.append((line, row))
    except csv.Error as error:
        raise NotARoster([f"{path.name}, line {line + 1}: {_unreadable(error)}"]) from None
    return found, heads


def _text(path: Path) -> str:
    """What is in the file, of which no more is read than is taken."""
    try:
        if not path.is_file():  # a pipe or a device may have no end
            raise NotARoster([f"{path.name} is no regular file: save the list as one"])
        with path.open("rb") as file:
            data = file.read(BYTES + 1)
    except OSError as error:
        raise NotARoster([f"{path.name} cannot be read: {error.strerror}"]) from None
    if len(data) > BYTES:
        raise NotARoster([f"{path.name} is over {BYTES:,} bytes: no list of reviewers is so long"])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotARoster([f"{path.name} is not UTF-8: save it as CSV UTF-8"]) from None


def _check_heads(path: Path, heads: list[str]) -> None:
    where = f"{path.name}, line 1: "
    if missing := [head for head in NEEDED if head not in heads]:
        raise NotARoster([f"{where}the columns are email,name,groups; {', '.join(missing)} is missing"])
    if unknown := [head for head in heads if head not in (*NEEDED, *POSSIBLE)]:
        raise NotARoster([f"{where}there is no column {', '.join(map(repr, unknown))}; take it out"])
    if doubled := sorted({head for head in heads if heads.count(head) > 1}):
        raise NotARoster([f"{where}the column {', '.join(doubled)} stands there more than once; take one out"])


def _unreadable(error: csv.Error) -> str:
    """In words of ours what the reader of the standard library says."""
    told = str(error)
    if "unexpected end" in told:
        return "a quote is opened that nothing closes"
    if "larger than field limit" in told:
        return f"a cell has more than {csv.field_size_limit():,} characters; is a quote not closed?"
    return "a quote stands in the middle of a cell, or a line ends in one; write quotes of a cell twice"


def _again(row: Mapping[str, str], line: int, seen: dict[str, int]) -> Iterator[str]:
    """Whether an earlier line is about the same person, or about another one by the same `sub` or user name."""
    email = row["email"]
    if (before := seen.setdefault(f"email {email.casefold()}", line)) != line:
        yield f"{email} stands in line {before} already; put all groups into one line"
    elif not row.get("sub"):
        alike = {seen.setdefault(f"alike {name}", line) for name in names_in(email) if "@" in name} - {line}
        if alike:
            yield f"{email} resembles the address of line {min(alike)}; for two people, give the sub of each"
    for head in POSSIBLE:
        if (text := row.get(head)) and (before := seen.setdefault(f"{head} {text.casefold()}", line)) != line:
            yield f"the {head} {text!r} stands in line {before} already"


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
