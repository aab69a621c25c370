"""Groups of the company's sign-in: whoever it says is in one of them is in a group of the policy, for as long as it says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from placet.policy.checks import is_name

MOST_MAPPED = (
    50  # groups of the policy: two items of each are written where somebody signs in, and read wherever they decide
)
MOST_NAMES = 50  # of the sign-in's groups for one of the policy's
LONGEST_NAME = 128  # characters; a user pool takes no longer one

SignInGroups = Mapping[str, tuple[str, ...]]


def check_sign_in(value: object, known: Set[str]) -> None:
    """Raises ValueError unless it maps groups that a class asks to names of the sign-in's groups."""
    if not isinstance(value, Mapping):
        raise ValueError(
            f'the policy: sign_in_groups is a dict, written {{"finance": ("Finance-EU",)}}, and is {value!r}'
        )
    if len(value) > MOST_MAPPED:
        raise ValueError(f"the policy: sign_in_groups maps at most {MOST_MAPPED} groups, and has {len(value)}")
    for group, names in value.items():
        if group not in known:
            raise ValueError(f"the policy: sign_in_groups names the group {group!r}, and no class asks it")
        if not isinstance(names, tuple) or not names or not all(map(is_name, names)):
            raise ValueError(f'the policy: sign_in_groups[{group!r}] is a tuple of names, written ("Finance-EU",)')
        if len(names) > MOST_NAMES or any(len(name) > LONGEST_NAME for name in names):
            raise ValueError(
                f"the policy: sign_in_groups[{group!r}] has at most {MOST_NAMES} names of at most {LONGEST_NAME} characters"
            )


def groups_by(mapping: SignInGroups, named: Iterable[str]) -> frozenset[str]:
    """The groups of the policy in which somebody is whom the sign-in says to be in these. Names are compared letter by letter."""
    said = frozenset(named)
    return frozenset(group for group, names in mapping.items() if said.intersection(names))
