"""What following a reference costs: addresses are joined and pointers walked anew each time, whatever their length."""

from __future__ import annotations

from typing import Any

MOST_JOINED = 1_000_000  # characters of `$id`s, each with those around it


class TooLong(Exception):
    """The check takes more steps than the bound."""


def cost_of(resolver: Any, reference: str, *, dynamic: bool = False) -> int:
    """In characters, 16 to a step: the parts of the reference, the address they may be joined to, the scope around."""
    around = sum(1 for _ in resolver.dynamic_scope()) if dynamic else 0
    return (reference.count("/") + 1) * (6 + len(resolver._base_uri) // 4) + len(reference) // 16 + 64 * around


def joining(resolver: Any, rule: Any) -> int:
    """What entering a sub-schema costs that has an address of its own, in characters."""
    return len(resolver._base_uri) + len(own) if (own := _address(rule)) else 0


def check_addresses(rules: Any) -> None:
    """Raises TooLong where the addresses in a schema, joined, would be more than the schema itself by far."""
    joined, waiting = 0, [(rules, 0)]
    while waiting:
        node, around = waiting.pop()
        if own := _address(node):
            around += len(own)
            joined += around
            if joined > MOST_JOINED:
                raise TooLong
        inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        waiting += [(one, around) for one in inside]


def _address(rule: Any) -> str:
    found = (rule.get("$id") or rule.get("id")) if isinstance(rule, dict) else ""
    return found if isinstance(found, str) else ""
