"""Reading the documentation: its pages, their code blocks, and the codes that the product raises."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "layers/core/python/placet"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "tests/README.md", *(ROOT / "docs").rglob("*.md")])
_CODE = re.compile(r"[a-z]+(_[a-z]+)*")
_RAISING = ("model", "records", "frameworks", "policy", "service", "http", "aws")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def without_code(page: Path) -> str:
    """A page without its fenced blocks: prose, tables and links."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def rows(page: Path, *header: str) -> list[list[str]]:
    """The cells of every row of the tables that begin with this header."""
    found, inside = [], False
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells == list(header):
            inside = True
        elif inside and cells:
            found += [cells] if not set("".join(cells)) <= {"-"} else []
        else:
            inside = False
    return found


def raised_codes() -> dict[str, set[str]]:
    """Names of the error classes by the code they are raised with, read from the product's source."""
    found: dict[str, set[str]] = {}
    for path in [*(file for folder in _RAISING for file in (PACKAGE / folder).rglob("*.py")), *_handlers()]:
        tree = ast.parse(path.read_text())
        families = _error_names()
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in families:
                for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
                    _note(found, call, node.name if _is_super(call) else "")
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "code":
                for text in _chosen(node.value):
                    found.setdefault(text, set())
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in families:
                malformed = any(
                    one.arg == "malformed" and getattr(one.value, "value", None) is True for one in node.keywords
                )
                _note(found, node, "Malformed" if malformed else node.func.id)
    return found


def _handlers() -> list[Path]:
    return sorted((ROOT / "functions").glob("*/handler.py"))


def _error_names() -> set[str]:
    source = (PACKAGE / "model/errors.py").read_text() + (PACKAGE / "http/identity.py").read_text()
    return set(
        re.findall(
            r"^class (\w+)\((?:\w*Error|Refused|Unavailable|Unreadable|NotAllowed|NotFound|Exception)\)",
            source,
            re.MULTILINE,
        )
    )


def _chosen(value: ast.expr) -> list[str]:
    """The texts that `"one" if … else "other"` can be."""
    if isinstance(value, ast.IfExp):
        return [*_chosen(value.body), *_chosen(value.orelse)]
    return [value.value] if isinstance(value, ast.Constant) and _CODE.fullmatch(str(value.value)) else []


def _is_super(call: ast.Call) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "__init__"
        and isinstance(function.value, ast.Call)
        and isinstance(function.value.func, ast.Name)
        and function.value.func.id == "super"
    )


def _note(found: dict[str, set[str]], call: ast.Call, kind: str) -> None:
    first = call.args[0] if call.args else None
    if kind and isinstance(first, ast.Constant) and isinstance(first.value, str) and _CODE.fullmatch(first.value):
        found.setdefault(first.value, set()).add(kind)
