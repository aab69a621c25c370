"""Whether two texts name one person: mail addresses and `sub`s, however they are spelled.

An agent passes on what its identity provider says, memberships are typed, a person has several addresses; one rule reads
them all. What one text may mean is a set of names, and two texts name one person when they share a name: a doubt keeps
somebody from deciding, and never lets him. Folded are case, width, spaces and hidden characters, display names, comments,
quotes, `mailto:`, a domain in Punycode, and what identity providers and chats write around an address with signs that an
address may hold and in life does not (`role/…`, `email=…`, `…|membership|…`, a guest's `…#EXT#@…`). Not folded are `+tags`
and dots before the `@`, which mean the same at some providers and other people at others, and letters that only look alike,
which the pages mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from urllib.parse import unquote

from placet.model.characters import is_hidden

_ADDRESS = re.compile(r'("(?:\\.|[^"\\]){0,128}"|[^\s<>()\[\]",;:\\@]{1,128})\s?@\s?([^\s<>()\[\]",;:\\@?]{1,255})')
_SUB = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])")
_SIGNS = re.compile(r"[|/#=&?!*{}`$^]+")  # an address may begin with them, and where they stand one begins
_GUEST = "#ext#"  # Microsoft Entra's name of a guest: their address with `_` for `@`, then this, then the host's domain
_COMMENT = re.compile(r"\([^()]*\)")
MOST_COMMENTS = 8  # one inside the other
MOST_CHARACTERS = 1_024  # of a text as it is compared; an address has at most 254


@dataclass(frozen=True)
class SignedInAs:
    """Somebody as the verified token of their sign-in says it.

    Attributes:
        groups: of the identity provider, as the pool passes them on; the policy says what they mean here.
    """

    sub: str
    name: str = ""
    email: str = ""
    groups: frozenset[str] = frozenset()


@lru_cache(maxsize=512)  # a sweep compares the same few people with everybody who asks
def names_in(text: str) -> frozenset[str]:
    """Every name that a text may mean, in one spelling; empty when it shows nothing."""
    plain = _plain(text)
    found = {
        name
        for reading in _readings(plain)
        for match in _ADDRESS.finditer(reading)
        for name in _addresses(*match.groups())
    }
    return frozenset({"".join(plain.split()), *found, *_SUB.findall(plain)} - {""})


def is_same_person(text: str, own: Collection[str]) -> bool:
    """Whether a text names the person whose names are `own`: a `sub` and every address of their memberships."""
    meant = names_in(text)
    return any(meant & names_in(name) for name in own)


def address_marks(own: Iterable[str]) -> frozenset[str]:
    """Under what the record of a vote knows a person again by any account: short digests of their folded addresses."""
    found = {name for text in own for name in names_in(text) if "@" in name}
    return frozenset(sha256(name.encode()).hexdigest()[:16] for name in found)


def among(people: Iterable[Iterable[str]]) -> Callable[[Iterable[str]], bool]:
    """Whether somebody with these names is one of these people, each with their own: by a name as it is, or by an address."""
    names = frozenset(name for own in people for name in own)
    marks = address_marks(names)
    return lambda own: bool(names.intersection(own) or marks & address_marks(own)) if names else False


def how_many(accounts: Iterable[Collection[str]]) -> int:
    """How many people have these accounts, each with its names: accounts that share an address are one person's."""
    joined: list[int] = []
    known: dict[str, int] = {}

    def first(at: int) -> int:
        while joined[at] != at:
            at = joined[at]
        return at

    for number, own in enumerate(accounts):
        joined.append(number)
        for name in frozenset().union(*map(names_in, own)):
            joined[first(known.setdefault(name, number))] = first(number)
    return sum(at == number for number, at in enumerate(joined))


def is_anyone_of(written: Iterable[str], own: Collection[str]) -> bool:
    """Whether one of these texts names the person whose names are `own`."""
    return any(is_same_person(text, own) for text in written)


def spellings(own: Collection[str], written: str) -> frozenset[str]:
    """A person's names as a condition compares them, letter by letter: how the record spells one of them is among them.

    `written` was read of the record; a requester and an owner never change once they are written.
    """
    return frozenset([*own, written] if is_same_person(written, own) else own)


def is_comparable(text: str) -> bool:
    """Whether a text holds a mail address or a `sub`; anything else could be a person under a name that nobody knows here."""
    return any("@" in name[1:-1] or _SUB.fullmatch(name) for name in names_in(text))


def is_one_person(text: str) -> bool:
    """Whether a text holds at most one address or `sub`: a list would keep everybody in it from deciding, whoever wrote it."""
    return all(len(_written_in(one)) <= 1 for one in _unescaped(_plain(text)))


def _plain(text: str) -> str:
    """One case, one width, nothing that cannot be seen."""
    wide = unicodedata.normalize("NFKC", text)[:MOST_CHARACTERS]
    seen = "".join(character for character in wide if character.isspace() or not is_hidden(character))
    return unicodedata.normalize("NFKC", seen.casefold()).replace("\u3002", ".")  # the full stop of other scripts


def _readings(plain: str) -> Iterator[str]:
    """A text as it may be read where an address stands in it: with escapes or without, each comment a remark or the address."""
    for one in _unescaped(plain):
        for text in _without_comments(one):
            if "@" in text:
                yield from {text, "".join(text.split())}


def _unescaped(plain: str) -> set[str]:
    once = _plain(unquote(plain))
    return {one.replace("\\@", "@") for one in (plain, once, _plain(unquote(once)))} | {plain}


def _without_comments(text: str) -> Iterator[str]:
    """The text, then without its innermost comments, and so on."""
    for _ in range(MOST_COMMENTS):
        yield text
        shorter = _COMMENT.sub("", text)
        if shorter == text:
            return
        text = shorter


def _written_in(text: str) -> set[str]:
    """Every address and `sub` that stands in a text, or does once its comments are gone; an address may begin with a `sub`."""
    found = {match.groups() for one in _without_comments(text) for match in _ADDRESS.finditer(one)}
    locals_ = {_SIGNS.split(local)[-1] for local, _ in found}
    return {_address(*parts) for parts in found} | ({*_SUB.findall(text)} - locals_)


def _addresses(local: str, domain: str) -> Iterator[str]:
    """The address as it stands, the one within signs, and the guest's."""
    yield _address(local, domain)
    if local.startswith('"'):
        return
    inner, host = _SIGNS.split(local)[-1], _SIGNS.split(domain)[0]
    if inner and host and (inner, host) != (local, domain):
        yield _address(inner, host)
    guest = _SIGNS.split(local.partition(_GUEST)[0])[-1] if _GUEST in local else ""
    yield from (_address(guest[:at], guest[at + 1 :]) for at, sign in enumerate(guest) if sign == "_")


def _address(local: str, domain: str) -> str:
    if local.startswith('"'):
        local = re.sub(r"\\(.)", r"\1", local[1:-1])
    labels = domain.rstrip("'.").split(".")
    return f"{local.lstrip(chr(39))}@{'.'.join(_label(label) for label in labels)}"


def _label(label: str) -> str:
    """One label of a domain as its letters, not as its Punycode."""
    if not label.startswith("xn--"):
        return label
    try:
        return _plain(label[4:].encode("ascii").decode("punycode"))
    except UnicodeError:
        return label
