"""The template engine, set so that forgetting a filter is safe.

Every text that a template puts out is escaped and marked (`visible_text.mark_line`) without being asked; a template asks
only for less: `many_lines` keeps line feeds, `as_json` looks at each string of JSON text by itself, `attr` is for
attribute values and fields (escaped, no markup), `title` for page titles.
Templates are read beside this file and compiled once, when the process starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from placet.model import numerals
from placet.model.limits import LONGEST_COMMENT, LONGEST_QUESTION, MOST_COMMENTS
from placet.web import arguments, assets, forms, phrases, typed, unanswered, visible_text
from placet.web.icons import icon
from placet.web.panels import EFFECT_WORDS, nearest
from placet.web.steps import steps

_TEMPLATES = Path(__file__).parent / "templates"


def _visible(value: Any) -> Any:
    """What a template puts out when it asks for nothing."""
    return visible_text.mark_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _sentence(parts: tuple[tuple[str, bool], ...]) -> Markup:
    """A headline with its values set apart."""
    return Markup("").join(
        Markup('<b class="value">{}</b>').format(visible_text.mark_line(text))
        if is_value
        else visible_text.mark_line(text)
        for text, is_value in parts
    )


def _decapitalized(parts: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    """A headline to stand after a colon: `refund 240.00 EUR`."""
    if not parts or parts[0][1] or parts[0][0][1:2].isupper():
        return parts
    first = parts[0][0]
    return ((first[:1].lower() + first[1:], False), *parts[1:])


def _clause(sentence: str) -> str:
    """A sentence to stand in a row of sentences, without its full stop."""
    return sentence.rstrip().removesuffix(".")


def _rows_for(text: str) -> int:
    """Height of a field that shows its text at once, within reason."""
    return max(6, min(30, text.count("\n") + 2))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.filters |= {
        "many_lines": visible_text.mark,
        "as_json": visible_text.mark_json,
        "attr": lambda value: escape(str(value)),
        "title": lambda value: escape(visible_text.one_line(value)),
        "sentence": _sentence,
        "decapitalized": _decapitalized,
        "clause": _clause,
        "short_digest": lambda digest: f"{digest[:8]} … {digest[-8:]}",
    }
    environment.globals |= {
        "phrases": phrases,
        "arguments": arguments,
        "asset": assets.url,
        "icon": icon,
        "steps": steps,
        "nearest": nearest,
        "ends": unanswered.ends,
        "heard": unanswered.heard,
        "effect_words": EFFECT_WORDS,
        "reasons": forms.REASONS,
        "typed_fields": typed.OF_FORM,
        "longest_reason": forms.LONGEST_REASON,
        "longest_own": forms.LONGEST_OWN,
        "most_comments": MOST_COMMENTS,
        "longest_comment": LONGEST_COMMENT,
        "longest_question": LONGEST_QUESTION,
        "reading": numerals.reading,
        "rows_for": _rows_for,
        "here": "",
    }
    return environment


_ENVIRONMENT = _environment()
_COMPILED = {name: _ENVIRONMENT.get_template(name) for name in _ENVIRONMENT.list_templates(extensions=["html"])}


def render(template: str, **facts: Any) -> str:
    """The page that a template makes of its facts. Raises for a fact that the template needs and does not get."""
    return _COMPILED[template].render(**facts)
