"""The people and agents of the local mode. Their passwords are printed at every start: they protect nothing but this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """Somebody who can sign in to the local inbox."""

    username: str
    name: str
    groups: tuple[str, ...]
    password: str

    @property
    def email(self) -> str:
        return f"{self.username}@example.com"


@dataclass(frozen=True)
class Reviewer:
    """A person as the running stack knows them; ``sub`` is the identity that decisions carry."""

    username: str
    password: str
    sub: str
    email: str
    name: str
    groups: tuple[str, ...]


PEOPLE = (
    Person("maria", "Maria Keller", ("finance", "approvers"), "Maria-decides-2026"),
    Person("jonas", "Jonas Weber", ("finance", "approvers"), "Jonas-decides-2026"),
    Person("olga", "Olga Brandt", ("operators",), "Olga-operates-2026"),
)
