"""Who did something, and in whose place: as one text for people, and as both names for programs."""

from __future__ import annotations


class Acting(str):
    """The text that pages show, `Ingrid Solberg for Jonas Weber`; empty when nobody did it. A name may hold the word `for`, so
    nobody takes the text apart.

    Attributes:
        name: of who did it. in_place_of: of the person who was away; empty when they did it by their own right.
    """

    __slots__ = ("in_place_of", "name")
    name: str
    in_place_of: str

    def __new__(cls, name: str, in_place_of: str = "") -> Acting:
        """From both names. Raises TypeError when one is no text: a record gives back whatever was put into it."""
        if not (isinstance(name, str) and isinstance(in_place_of, str)):
            raise TypeError("a name is no text")
        made = super().__new__(cls, f"{name} for {in_place_of}" if in_place_of else name)
        made.name, made.in_place_of = name, in_place_of
        return made

    def __reduce__(self) -> tuple[type[Acting], tuple[str, str]]:
        """Of what a copy is made."""
        return Acting, (self.name, self.in_place_of)

    @property
    def parts(self) -> dict[str, str | None] | None:
        """Both names as answers have them, `in_place_of` null by their own right; None when nobody did it."""
        return {"name": self.name, "in_place_of": self.in_place_of or None} if self else None
