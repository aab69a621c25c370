"""The JSON bodies of the API, checked by pydantic: unknown fields are refused, nothing is coerced.

Here is what all of them stand on; the bodies themselves stand by who sends them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from placet.model.canonical import Lexeme
from placet.model.characters import is_blank
from placet.model.errors import Invalid
from placet.model.limits import LONGEST_NAME, MOST

Short = Annotated[str, Field(max_length=LONGEST_NAME)]


def _seen(text: str) -> str:
    if is_blank(text):
        raise PydanticCustomError("nothing_seen", "Nobody can see anything of this text")
    return text


Reason = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_seen)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Whole = Annotated[int, Field(ge=0, le=MOST)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
M = TypeVar("M", bound="Body")


class Body(BaseModel):
    """Strict and closed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    exact: ClassVar[frozenset[str]] = frozenset()  # fields that take a number as it was written

    @field_validator("*", mode="before")
    @classmethod
    def _no_number_is_text(cls, value: Any, info: ValidationInfo) -> Any:
        """A fraction is kept as the text that was written, and pydantic would take that for a text of the body."""
        if info.field_name in cls.exact:
            return value
        if isinstance(value, Lexeme) or (isinstance(value, list) and any(isinstance(one, Lexeme) for one in value)):
            raise PydanticCustomError(
                "number_for_text", "A number with a fraction or an exponent is not what this field takes"
            )
        return value


class EmptyBody(Body):
    """A body that says nothing."""


_SAID = {"model_type": "An object is wanted here"}  # pydantic names a class of ours


def checked(kind: type[M], value: dict[str, Any]) -> M:
    """A body of one kind. Raises Invalid `unknown_field` or `field_invalid`, with `problems` ({at, problem})."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        problems = [
            {"at": "/".join(map(str, one["loc"])), "problem": _SAID.get(one["type"], one["msg"])} for one in found[:20]
        ]
        code = "unknown_field" if any(one["type"] == "extra_forbidden" for one in found) else "field_invalid"
        raise Invalid(code, "The body is not what this route takes.", problems=problems) from None
