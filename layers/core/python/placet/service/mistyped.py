"""What is wrong with a typed text that is no JSON, in our words: where, and what was probably meant."""

from __future__ import annotations

import json
import re

from placet.model.numerals import NUMERAL, is_json_number, meant_by

AROUND = 80  # characters before and behind a place that are looked at: a line may be as long as a form
_NAME = re.compile(r'"([^"\\]{1,40})"\s*:\s*$')
_ENDS = "The text ends too early: a bracket, a brace or a quote is not closed."
_SAYS = (
    ("Extra data", "Here the arguments have ended already; nothing may follow."),
    ("Expecting property name", "Here the name of an argument is expected, in double quotes."),
    ("Illegal trailing comma", "A comma stands before the end; take it out."),
    ("Expecting ',' delimiter", "Here a comma is missing, or a quote or a bracket too early."),
    ("Expecting ':' delimiter", "Between a name and its value stands a colon."),
    ("Invalid control character", r"A line break inside a text is written \n, and a tab \t."),
    ("Unterminated string", "A text begins here, and its closing quote is missing."),
    ("Invalid \\", r"A backslash inside a text is written \\."),
    (
        "Expecting value",
        "Here a value is expected: a number, a text in double quotes, true, false, null, a list or a group.",
    ),
)


def told(text: str) -> str:
    """One sentence or two for the person who typed a text that JSON does not take; the library's own words are not among them."""
    if not text.strip():
        return "The field is empty. The arguments are a JSON object, {} if there are none."
    try:
        json.loads(text, parse_int=str, parse_float=str)  # a number of any length is no fault of ours
    except RecursionError:
        return "The arguments are nested too deep."
    except json.JSONDecodeError as error:
        return _told_at(text, error.pos, error.msg)
    return "The arguments are no JSON object."


def _told_at(text: str, at: int, message: str) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    number = text.count("\n", 0, at) + 1
    if says := _of_number(line, at - start):
        return f"Line {number}, {says}"
    if at >= len(text.rstrip()):
        return _ENDS
    says = next((ours for theirs, ours in _SAYS if message.startswith(theirs)), "From here on the text is no JSON.")
    if message.startswith("Expecting property name") and text[at] == "}":
        says = "A comma stands before the end; take it out."
    if text[at] in "'\u2018\u2019\u201c\u201d\u201e":
        says = 'Names and texts stand in straight double quotes: "order_id".'
    return f"Line {number}, character {at - start + 1}: {says}"


def _of_number(line: str, at: int) -> str:
    """What is said of a number in another country's spelling at this place of a line; empty when there is none."""
    begins = max(0, at - AROUND)
    near = line[begins : at + AROUND]
    for found in NUMERAL.finditer(near):
        written = found.group()
        if not found.start() <= at - begins <= found.end() or is_json_number(written):
            continue
        if meant := meant_by(written):
            named = _NAME.search(near[: found.start()])
            where = named.group(1) if named else f"character {begins + found.start() + 1}"
            return (
                f"{where}: {written} is no number as JSON writes it. Decimals follow a point, and the digits stand "
                f"without groups and without a unit: write {' or '.join(meant)}."
            )
    return ""
