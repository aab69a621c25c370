"""One version, one policy: pauses keep the version that judged them, so the rules of a version that was deployed do not change."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from infra.constructs.layer_rules import is_input
from infra.policy_file import POLICY
from infra.registry import SettingsError
from placet.policy.rules import Policy

KEY = (
    "policy_versions"  # in what stands of the doors in the template and in the lock: digest by version, the latest last
)
MOST = 50  # versions that are remembered
_NOT_READ = frozenset(
    {"ctx", "kind", "type_comment"}
)  # fields of Python's tree that follow from others, or are comments
_LEFT = ("~", ".swp", ".swo", ".tmp", ".bak", ".orig", ".rej")  # ends of names that editors and merges leave
_LAST_NUMBER = re.compile(r"\d+(?=\D*$)")


def digest(folder: Path = POLICY.parent) -> str:
    """Of all that a policy is: its modules as Python reads them, whatever their comments and lines, and the files beside them."""
    whole = hashlib.sha256()
    for path in rules_in(folder):
        content = _tree(path.read_bytes()) if path.suffix == ".py" else path.read_bytes()
        whole.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def rules_in(folder: Path) -> list[Path]:
    """The files that are the policy: modules and what they read beside them, and nothing that an editor or a checker left."""
    return sorted(
        one
        for one in folder.rglob("*")
        if one.is_file() and is_input(one.relative_to(folder)) and not _stray(one.relative_to(folder))
    )


def _stray(path: Path) -> bool:
    if any(part.startswith(".") or part == "__MACOSX" for part in path.parts):
        return True
    return path.name.startswith("#") or path.name.endswith(_LEFT) or path.name in ("Thumbs.db", "desktop.ini")


def versions(policy: Policy, deployed: Mapping[str, Any], of: str) -> dict[str, str]:
    """The digests of every version that was deployed, as far as is known, and of this one."""
    before = {name: value for name, value in _known(deployed).items() if name != policy.version}
    return dict([*before.items(), (policy.version, of)][-MOST:])


def clashes(deployed: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each version that is another policy than the one that was deployed under it."""
    was = _known(deployed)
    for version, of in _known(now).items():
        if was.get(version, of) != of:
            yield (
                f"the rules changed since version {version!r} was deployed, and its records would speak of two policies: "
                f"raise version to {_next(version, was)!r}"
            )


def forgotten(deployed: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence when versions were deployed that this deploy would forget, because it was made with a lock that lacks them."""
    # One may go for the new one, where there are as many as are remembered.
    if gone := list(_known(deployed).keys() - _known(now).keys() - set([*_known(deployed)][: 1 - MOST])):
        said = ", ".join(repr(one) for one in sorted(gone))
        yield (
            f"the lock does not know what was deployed as {said}, and this deploy would forget it: "
            ".venv/bin/python -m infra.doors writes the lock anew from what is deployed; commit it, then deploy again"
        )


def check_version(policy: Policy, deployed: Mapping[str, Any], of: str, lock: str) -> None:
    """Raises SettingsError when the version was deployed with other rules. Before a first deploy there is none."""
    for sentence in clashes(deployed, {KEY: {policy.version: of}}):
        raise SettingsError(
            f"policy: {', '.join(_names())}: {sentence} ({lock} keeps what is deployed, docs/policy.md#versions)"
        )


def _names() -> list[str]:
    """The files that the digest is of, the policy's own first: with one that nobody means among them, that one is seen."""
    return [POLICY.name, *(str(one.relative_to(POLICY.parent)) for one in rules_in(POLICY.parent) if one != POLICY)]


def _known(found: Mapping[str, Any]) -> dict[str, str]:
    """What the lock or a template says; nothing of one from before versions were kept, or that somebody wrote by hand."""
    known = found.get(KEY)
    return dict(known) if isinstance(known, Mapping) else {}


def _next(version: str, taken: Mapping[str, str]) -> str:
    """The next one that is free: its last number raised, or one added."""
    while version in taken:
        raised = _LAST_NUMBER.sub(lambda number: str(int(number[0]) + 1).zfill(len(number[0])), version)
        version = raised if raised != version else f"{version}.2"
    return version


def _tree(text: bytes) -> bytes:
    return json.dumps(_plain(ast.parse(text))).encode()


def _plain(node: Any) -> Any:
    """A tree in the same words for every Python: what is empty, which newer ones have more of, is left out."""
    if isinstance(node, ast.JoinedStr):
        return ["JoinedStr", {"values": _plain(_joined(node.values))}] if node.values else ["JoinedStr", {}]
    if isinstance(node, ast.AST):
        fields = {name: _plain(value) for name, value in ast.iter_fields(node) if name not in _NOT_READ}
        return [type(node).__name__, {name: value for name, value in sorted(fields.items()) if value not in (None, [])}]
    if isinstance(node, list):
        return [_plain(one) for one in node]
    # Not repr: which characters it escapes follows the tables of Unicode that a Python has.
    return None if node is None else ascii(node)


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string with texts that stand side by side as one: early releases of 3.12 part them at doubled braces."""
    found: list[ast.expr] = []
    for one in values:
        last = found[-1] if found else None
        if isinstance(one, ast.Constant) and isinstance(last, ast.Constant):
            found[-1] = ast.Constant(str(last.value) + str(one.value))
        elif not (isinstance(one, ast.Constant) and one.value == ""):
            found.append(one)
    return found
