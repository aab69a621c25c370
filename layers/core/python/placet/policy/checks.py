"""What the parts of a policy check when they are written: mistakes are told there, in a sentence, and not when they bite."""

from __future__ import annotations


def check_whole(place: str, value: object) -> None:
    """Raises ValueError unless it is a whole number: the table takes no other, and True would count as one."""
    if type(value) is not int:
        raise ValueError(f"{place} must be a whole number, and is {value!r}")


def check_texts(place: str, of: object, names: tuple[str, ...], texts: tuple[str, ...]) -> None:
    """Raises ValueError unless these fields are text, and those that name something are not empty."""
    for field in (*names, *texts):
        value = getattr(of, field)
        if not isinstance(value, str) or (field in names and not value):
            raise ValueError(f"{place}: {field} must be {'a name' if field in names else 'text'}, and is {value!r}")


def check_flags(place: str, of: object, fields: tuple[str, ...]) -> None:
    """Raises ValueError unless these fields are True or False: "no" would count as yes."""
    for field in fields:
        if type(value := getattr(of, field)) is not bool:
            raise ValueError(f"{place}: {field} must be True or False, and is {value!r}")


def check_rising(place: str, values: object, least: int, below: int) -> None:
    """Raises ValueError unless it is a tuple of whole numbers, each larger than the one before, from `least` to under `below`."""
    if not isinstance(values, tuple):
        raise ValueError(f"{place} is a tuple of seconds, written (3_600,), and is {values!r}")
    before = least - 1
    for value in values:
        check_whole(place, value)
        if value < least:
            raise ValueError(f"{place}: {value} is not after the beginning")
        if value <= before:
            raise ValueError(f"{place}: {value} does not come after {before}")
        if value >= below:
            raise ValueError(f"{place}: {value} is never reached, because the deadline comes first")
        before = value
