"""What a person typed into a form: the one list of it, what each press takes of it, and what is left to be kept."""

from __future__ import annotations

import re
from collections.abc import Mapping

from placet.web.forms import OWN, REASONS, for_field, with_line_feeds

# Every field of a form in which a person writes, with the label that it has away from its page. What is kept of a form is
# exactly this; what becomes of it is told from the page that follows (`panels.without_field`).
OF_FORM = {"arguments": "The arguments", "reason": "Why you edit", "comment": "Your comment"}
OF_CALL = {
    "own": "Own words",
    "typed": "Value that you typed",
    "question": "Your question to the agent",
    "why": "Why it needs more time",
}  # with the number of the call behind it
OF_ABSENCE = {"from": "Away from (UTC)", "until": "Away until (UTC)"}

_CHOSEN = (
    r"reason|saw|until|revision|digest|seen|read-\d+"  # of a call, beside: chosen, ticked, or what its page showed
)
_NUMBERED = re.compile(rf"({'|'.join(OF_CALL)}|{_CHOSEN})-(\d+)", re.ASCII)
_BESIDE = re.compile(rf"csrf|shown_at|decision|new_digest|whom|({_CHOSEN})(-\d+)?", re.ASCII)
_TICKS = ("saw", "seen")  # of what a page showed: they stay behind on it

# What each press takes with it of what was typed; a decision also uses the value up that was typed to accept.
TAKES = {
    "accept": ("typed",),
    "reject": ("reason", "own", "typed"),
    "edit": ("arguments", "reason", "typed"),
    "ask": ("question",),
    "extend": ("why", "until"),
    "comment": ("comment",),
    "undo": (),
    "hand": (),
    "propose-undo": (),
}


def fields_of(posted: Mapping[str, str], number: int, *, alone: bool = True) -> dict[str, str]:
    """What a posted form says of one call, under plain names: `own` for `own-2`.

    Args:
        alone: the form may be one of a single call, whose fields have plain names; else only those that name the call are taken.
    """
    found = {name: value for name, value in posted.items() if not _NUMBERED.fullmatch(name)} if alone else {}
    is_edit = "arguments" in posted  # whose own fields are plain; those of the call's page only go along
    for name, value in posted.items():
        field, of = split(name)
        if of == str(number) and not (is_edit and field in found):
            found[field] = value
    return found


def carried(posted: Mapping[str, str]) -> dict[str, str]:
    """What goes along to a page of its own (an edit, a handing-on) and back: all that was typed and chosen on the page of the
    pause, and which revisions it showed; nothing when no words of a person are among it."""
    rest = {name: value for name, value in posted.items() if name == "comment" or _goes_along(*split(name))}
    return rest if texts(rest) else {}


def split(name: str) -> tuple[str, str]:
    """The name of a field and the number of the call behind it: `own` and `2` of `own-2`; no number: of the form."""
    parts = _NUMBERED.fullmatch(name)
    return (parts.group(1), parts.group(2)) if parts else (name, "")


def texts(form: Mapping[str, str]) -> dict[str, str]:
    """The fields of a form that hold words of a person."""
    return {name: value for name, value in form.items() if value.strip() and _is_written(name, value, form)}


def beside(form: Mapping[str, str]) -> dict[str, str]:
    """The other fields of a form of ours: what was chosen and ticked, and what its page showed."""
    return {
        name: value for name, value in form.items() if _BESIDE.fullmatch(name) and not _is_written(name, value, form)
    }


def _goes_along(field: str, number: str) -> bool:
    return number != "" and field not in _TICKS and not field.startswith("read-")


def left(form: Mapping[str, str], press: str, number: int) -> dict[str, str]:
    """A form without what a press took of it, if words of a person are among the rest; else nothing.

    Args:
        press: a key of TAKES. number: of the call that it was about.
    """
    rest = {}
    for name, value in form.items():
        field, of = split(name)
        if field not in TAKES[press] or of not in ("", str(number)):
            rest[name] = value
    return rest if texts(rest) else {}


def rows(found: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(name, label, text as a field holds it) of each text; of arguments, hidden characters as the escapes that JSON has."""
    return [
        (name, _label(name), for_field(text) if name == "arguments" else with_line_feeds(text))
        for name, text in found.items()
    ]


def _is_written(name: str, value: str, form: Mapping[str, str]) -> bool:
    """Whether a person writes in a field. `reason` is why an edit is made, or which sentence was chosen."""
    field, of = split(name)
    if field == "reason":
        return not of and ("arguments" in form or value not in (*REASONS, OWN))
    return (field in OF_FORM and not of) or field in OF_CALL


def _label(name: str) -> str:
    field, number = split(name)
    return (OF_FORM | OF_CALL | OF_ABSENCE)[field] + (f", call {number}" if number else "")
