"""What the forms of the pages send, and the checks that only the pages ask for.

`required` in the markup is help for the reader; what counts is checked here, by the server: the typed value, the ticks
under long texts, and that somebody saw the marked characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from placet.model import numerals
from placet.model.canonical import parse
from placet.model.characters import is_blank
from placet.model.limits import MAX_REASON
from placet.service.views import CallView, EditPreview
from placet.web import phrases, visible_text
from placet.web.arguments import findings, is_number, marked_in, must_read

REASONS = {
    "1": "Do not do this. Ask the requester what they want instead.",
    "2": "The arguments do not fit the evidence. Read it again before you propose a call.",
    "3": "Something is missing. Ask the requester for it first, then propose the call again.",
}
LOOK = "look"  # a form that decides nothing: the page again, or another one, with what was typed
OWN = "own"
LONGEST_REASON = MAX_REASON
LONGEST_OWN = 400  # own words, whatever is chosen beside them: both together are no longer than a reason may be
_DIGITS = re.compile(r"[-+]?[0-9][0-9,]*(\.[0-9]+)?([eE][-+]?[0-9]+)?|[-+]?\.[0-9]+")
_CURRENCY = re.compile(r"[$\u00a2-\u00a5\u20a0-\u20cf]|[A-Za-z]{2,}")


@dataclass(frozen=True)
class FormFacts:
    """What every form of a page carries.

    Attributes:
        csrf: the value of the hidden field `csrf`.
        shown: the value of the hidden field `shown_at` as the handler wants it back; empty: `shown_at_ms` as it is.
        shown_at_ms: when the page was made.
    """

    csrf: str
    shown: str = ""
    shown_at_ms: int = 0

    @property
    def shown_at(self) -> str:
        """The value of the hidden field `shown_at`."""
        return self.shown or str(self.shown_at_ms)


@dataclass(frozen=True)
class Problem:
    """Something in a form that cannot be taken; `field` names the field, empty when it is no single one's fault."""

    field: str
    text: str


def reason_of(fields: Mapping[str, str]) -> str:
    """The reason that a posted form gives: the words of an edit, or a chosen sentence and own words."""
    own = with_line_feeds(fields.get("own", "")).strip()
    chosen = with_line_feeds(fields.get("reason", "")).strip()
    if fields.get("decision") == "edit":
        return chosen
    if fields.get("decision") == "accept":
        return ""  # words of the reject beside it are no reason of this
    if chosen in REASONS:
        return f"{REASONS[chosen]} {own}".strip()
    return own


def with_line_feeds(text: str) -> str:
    """A posted text with the line ends that were typed: browsers send every line feed as two characters."""
    return text.replace("\r\n", "\n")


def for_field(text: str) -> str:
    """A text to stand in a field again: the same JSON, with what a field cannot show as escapes."""
    return visible_text.escapes(with_line_feeds(text))


def problems_of_reject(fields: Mapping[str, str]) -> tuple[Problem, ...]:
    """What is missing in a posted reject."""
    reason = reason_of(fields)
    if is_blank(reason):
        return (Problem("reason", "Choose a reason, or write one: the agent is told why."),)
    own = with_line_feeds(fields.get("own", "")).strip()
    if len(own) > LONGEST_OWN:
        return (
            Problem(
                "own", f"Your own words have {len(own)} characters; at most {LONGEST_OWN} are taken. Nothing is cut."
            ),
        )
    return ()


def problems_of_why(reason: str) -> tuple[Problem, ...]:
    """What is wrong with the reason of an edit."""
    length = len(with_line_feeds(reason).strip())
    if length > LONGEST_REASON:
        says = f"Why you edit has {length} characters; at most {LONGEST_REASON} are taken. Nothing is cut."
        return (Problem("reason", says),)
    return ()


def problems_of_accept(call: CallView, fields: Mapping[str, str]) -> tuple[Problem, ...]:
    """What is missing in a posted accept: ticks and the typed value."""
    found = [
        Problem(f"read-{argument.number}", f"Tick that you have read {argument.name} to the end.")
        for argument in must_read(call)
        if not fields.get(f"read-{argument.number}")
    ]
    if findings(call).total and not fields.get("saw"):
        found.append(Problem("saw", "Tick that you saw the marked characters."))
    return (*found, *problems_of_typed(call.type_to_accept, fields))


def problems_of_edit(preview: EditPreview, fields: Mapping[str, str]) -> tuple[Problem, ...]:
    """What is missing in a confirmed edit: that somebody saw what is marked in it, and the typed value."""
    found = problems_of_typed(preview.type_to_accept, fields)
    if marked_in(parse(preview.text)).total and not fields.get("saw"):
        return (Problem("saw", "Tick that you saw the marked characters."), *found)
    return found


def problems_of_typed(type_to_accept: tuple[str, str] | None, fields: Mapping[str, str]) -> tuple[Problem, ...]:
    """Whether the value that has to be typed was typed; if not, in which form it is wanted."""
    typed = fields.get("typed", "")
    if type_to_accept is None or _same(type_to_accept[1], typed):
        return ()
    name, expected = type_to_accept
    wanted = f"the value of {name}" if name else "the name of the tool"
    return (
        Problem("typed", f"What you typed is not {wanted}. {_form_of(expected, typed.strip())}Nothing was decided."),
    )


def _form_of(expected: str, typed: str) -> str:
    """In which form a value is typed, without giving it away; and how a number reads that was typed."""
    if not is_number(expected):
        return "Type it letter by letter, as it stands above. " if typed else "Nothing was typed. "
    says = "Type the digits as they are shown above. "
    if _CURRENCY.search(typed):
        return f"{says}It is the number alone, without a currency, for example 12.50. "
    if "," in typed and is_number(typed.replace(",", "")):
        return f"{says}Decimals follow a point, for example 12.50; a comma only groups thousands, as in 1,000. "
    if is_number(typed):
        return f"It is a number, and yours reads {numerals.reading(typed)}. {says}A point begins the decimals. "
    return f"{says}It is a number, for example 12.50: decimals follow a point, and nothing else stands between the digits. "


def _same(expected: str, typed: str) -> bool:
    """The same text, or the same number in the form in which the page shows it."""
    typed = typed.strip()
    if typed == expected.strip():
        return bool(typed)
    bare = typed.replace("\u00a0", "").replace(" ", "")
    if not _DIGITS.fullmatch(bare):
        return False
    if bare not in (phrases.number(bare.replace(",", "")), bare.replace(",", "")):
        return False  # commas only where the page puts them
    try:
        return Decimal(expected) == Decimal(bare.replace(",", ""))
    except InvalidOperation:
        return False
