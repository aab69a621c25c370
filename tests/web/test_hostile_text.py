"""Promise 10, on every page: whatever stands in whatever slot is text, all of it can be seen, none of it is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placet.model.pauses import Evidence, Reviewer
from placet.service.happened import Answered, Comment, Extension, Question
from placet.service.views import Headline
from placet.web import pages, visible_text
from placet.web.forms import Problem
from tests.web import made
from tests.web.reading import Page

BREAKS_OUT = (
    "\"><script>alert(1)</script><img src=x onerror='alert(1)'></textarea></title>-->&lt;b&gt;{{ 7*7 }}{% raw %}"
)
CLASSES = {
    "markup": BREAKS_OUT,
    "attribute": "' onfocus='alert(1)' autofocus style='color:red' x=\"",
    "address": "javascript:alert(1)//\tjava\nscript:alert(1)",
    "direction": "amount \u202e000,1\u202c \u2066x\u2069",
    "zero width": "a\u200bb\u200c\u200d\ufeff\u2060",
    "tags": "ok" + "".join(chr(0xE0000 + ord(letter)) for letter in "pay"),
    "fillers": "\u3164\u2800\uffa0\u3000\u3000\u3000",
    "variation": "x\ufe0f\U000e0100",
    "control": "\x1b[2J\x07\x00\x9b\x85\r\nnext\u2028line",
    "unassigned": "\ue000\uffff\U0010ffff",
    "alike": "\u0440\u0430ypal \u0391BC",
}
ME = made.MARIA
_OWN_WORDS = re.compile(
    r'<input type="hidden"[^>]*>|<textarea[^>]*name="(own|reason)"[^>]*>[^<]*'
)  # goes back as it came
Draw = Callable[[str], str]


def _detail(call: Any = None, **changed: Any) -> str:
    return pages.detail(made.detail(call or made.call(), **changed), ME, made.FORM)


def _ended(**changed: Any) -> str:
    done = made.decided(**changed)
    return _detail(made.call(state=done.state, may_decide=False, decided=done))


def _two(**changed: Any) -> str:
    done = made.call(1, state="edited", may_decide=False, decided=made.decided("edited", **changed))
    return pages.detail(made.detail(done, made.plain_call(2)), ME, made.FORM)


def _row(**changed: Any) -> str:
    return pages.inbox(made.inbox(made.row(**changed)), ME, made.FORM)


def _edit(**changed: Any) -> str:
    call = made.call(**changed)
    return pages.edit(made.detail(call), call, ME, made.FORM)


def _confirm(**changed: Any) -> str:
    return pages.edit_confirm(made.detail(), made.preview(**changed), ME, made.FORM)


def _conflict(text: str, **changed: Any) -> str:
    done = made.decided(**changed)
    call = made.call(state="accepted", may_decide=False, decided=done)
    return pages.conflict(
        made.detail(call), call, ME, made.FORM, "already_decided", {"decision": "reject", "own": text}
    )


def _arguments(values: dict[str, Any]) -> str:
    return _detail(made.call(arguments=values, fixed=(), type_to_accept=None))


def _told(**changed: Any) -> Answered:
    piece = Evidence(**{"title": "Order", "source": "get_order", "trusted": False, "text": "total", **changed})
    return Answered(made.NOW, 2, "Yes.", (piece,))


def _asked(**changed: Any) -> str:
    asked = Question(1, 1, "Jonas", False, made.NOW, 1, "Which order?", None)
    return _detail(questions=(replace(asked, **changed),))


def _headline(text: str) -> Headline:
    return Headline(((text, False), (text, True)))


SLOTS: dict[str, Draw] = {
    "inbox title": lambda text: _row(title=text),
    "inbox tool": lambda text: _row(tools=(text,)),
    "inbox entity": lambda text: _row(entity=text),
    "inbox class": lambda text: _row(classes=(text,)),
    "inbox rule sentence": lambda text: _row(why=(text, "x")),
    "inbox requester": lambda text: _row(requester=text),
    "inbox agent": lambda text: _row(agent=text),
    "inbox framework": lambda text: _row(framework=text),
    "reviewer's name": lambda text: pages.inbox(made.inbox(), Reviewer("s", text, "e"), made.FORM),
    "tool": lambda text: _detail(made.call(tool=text)),
    "tool of two": lambda text: pages.detail(made.detail(made.call(tool=text), made.plain_call()), ME, made.FORM),
    "headline": lambda text: _detail(made.call(headline=_headline(text))),
    "consequence": lambda text: _detail(made.call(consequence=text)),
    "class": lambda text: _detail(made.call(action_class=text)),
    "group": lambda text: _detail(made.call(group=text)),
    "fixed": lambda text: _detail(made.call(fixed=(text,))),
    "unreadable argument": lambda text: _detail(made.call(may_edit=False, unreadable=((text, "It is none."),))),
    "unreadable why": lambda text: _detail(made.call(may_edit=False, unreadable=(("a", text),))),
    "note": lambda text: _detail(made.call(notes=(text,))),
    "why not": lambda text: _detail(made.call(may_decide=False, why_not=text)),
    "typed argument": lambda text: _detail(made.call(type_to_accept=(text, "1"))),
    "argument key": lambda text: _arguments({text: 1}),
    "argument value": lambda text: _arguments({"a": text}),
    "long argument value": lambda text: _arguments({"a": text + "x" * 700}),
    "long argument's key": lambda text: _arguments({text: "x" * 700}),
    "list entry": lambda text: _arguments({"a": [text, 1]}),
    "nested key": lambda text: _arguments({"a": {text: [1]}}),
    "nested value": lambda text: _arguments({"a": [{"b": text}]}),
    "rule": lambda text: _detail(made.call(why=((text, "x"),))),
    "rule sentence": lambda text: _detail(made.call(why=(("x", text),))),
    "rule sentence of two": lambda text: pages.detail(
        made.detail(made.call(why=(("x", text),)), made.plain_call()), ME, made.FORM
    ),
    "entity": lambda text: _detail(entity=text),
    "who asked": lambda text: _asked(by=text),
    "question": lambda text: _asked(text=text),
    "long question": lambda text: _asked(text=text + "x" * 900),
    "answer": lambda text: _asked(answer=Answered(made.NOW, 2, text, ())),
    "long answer": lambda text: _asked(answer=Answered(made.NOW, 2, text + "x" * 900, ())),
    "title of an answer's evidence": lambda text: _asked(answer=_told(title=text)),
    "source of an answer's evidence": lambda text: _asked(answer=_told(source=text)),
    "text of an answer's evidence": lambda text: _asked(answer=_told(text=text)),
    "comment": lambda text: _detail(comments=(Comment("Jonas", False, made.NOW, text),)),
    "who commented": lambda text: _detail(comments=(Comment(text, False, made.NOW, "x"),)),
    "why more time": lambda text: _detail(extensions=(Extension(1, "Jonas", made.NOW, made.NOW, made.NOW, text),)),
    "requester": lambda text: _detail(requester=text),
    "agent": lambda text: _detail(agent=text),
    "framework": lambda text: _detail(framework=text),
    "run": lambda text: _detail(run=text),
    "policy version": lambda text: _detail(policy_version=text),
    "says": lambda text: _detail(says=text),
    "evidence title": lambda text: _detail(evidence=(Evidence(text, "s", True, "t"),)),
    "evidence of a user": lambda text: _detail(evidence=(Evidence("t", "s", False, text, "user", 12),)),
    "name of a number": lambda text: _detail(numbers=((text, "4120"),)),
    "agent's number": lambda text: _detail(numbers=(("rows", text),)),
    "confidence": lambda text: _detail(confidence=text),
    "what was known": lambda text: _detail(made.call(known=(text,))),
    "what was known of two": lambda text: pages.detail(
        made.detail(made.call(known=(text,)), made.plain_call()), ME, made.FORM
    ),
    "evidence source": lambda text: _detail(evidence=(Evidence("t", text, False, "t"),)),
    "evidence text": lambda text: _detail(evidence=(Evidence("t", "s", False, text),)),
    "long evidence text": lambda text: _detail(evidence=(Evidence("t", "s", False, text + "x" * 700),)),
    "decided by": lambda text: _ended(by=text),
    "decided reason": lambda text: _ended(state="rejected", reason=text),
    "decided by, of two": lambda text: _two(by=text),
    "decided reason, of two": lambda text: _two(reason=text),
    "decided before": lambda text: _two(before=f"not json {text}", after="{}"),
    "notice": lambda text: pages.detail(made.detail(), ME, made.FORM, notice=text),
    "problem": lambda text: pages.detail(made.detail(), ME, made.FORM, [text]),
    "problem of a field": lambda text: pages.detail(made.detail(), ME, made.FORM, [Problem("typed", text)]),
    "edit tool": lambda text: _edit(tool=text),
    "edit fixed": lambda text: _edit(fixed=(text,)),
    "edit fixed value": lambda text: _edit(arguments={"order_id": text}, fixed=("order_id",)),
    "edit problem": lambda text: pages.edit(made.detail(), made.call(), ME, made.FORM, [text]),
    "confirm headline": lambda text: _confirm(headline=_headline(text)),
    "confirm reason": lambda text: _confirm(reason=text),
    "confirm argument": lambda text: _confirm(rows=((text, "1", "2", True),)),
    "confirm typed argument": lambda text: _confirm(type_to_accept=(text, "1")),
    "conflict reason": lambda text: _conflict(text),
    "conflict by": lambda text: _conflict("x", by=text),
    "conflict their reason": lambda text: _conflict("x", reason=text),
    "message": lambda text: pages.message("That was not taken", [text]),
    "number": lambda text: pages.error_server(text, sent=True),
}


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("slot", SLOTS)
def test_hostile_text_is_text_and_is_seen(slot, kind):
    hostile = f"<{CLASSES[kind]}>"
    page = Page(SLOTS[slot](hostile))
    _holds_no_markup_of_others(page)
    seen = "".join(piece.text if piece.kind == visible_text.PLAIN else "#" for piece in visible_text.pieces(hostile))
    plain = max((part for part in seen.split("#")), key=len).strip()
    assert plain in page.text or plain.replace('"', '\\"') in page.text, "what can be seen of it is not on the page"


@pytest.mark.parametrize("slot", SLOTS)
def test_every_hidden_character_stands_on_the_page_by_name(slot):
    page = Page(SLOTS[slot]("a\u200bb\U000e0041c\u202ed"))
    for name in ("U+200B zero width space", "U+E0041 tag latin capital letter a", "U+202E right-to-left override"):
        assert name in page.text


def _holds_no_markup_of_others(page: Page) -> None:
    assert page.misnested == []
    assert not {tag for tag, _ in page.elements} & {"script", "img", "iframe", "object", "base", "style"}
    for _, attributes in page.elements:
        ours = {"autofocus"} if attributes.get("class") == "problems" else set()
        found = {name for name in attributes if name.startswith("on") or name in ("style", "autofocus", "srcdoc")}
        assert found <= ours
        assert not attributes.get("href", "/").lower().startswith(("javascript:", "data:", "//", "http"))
    shown = _OWN_WORDS.sub("", page.html)
    unseen = [character for character in shown if visible_text.is_hidden(character) and character != "\n"]
    assert unseen == [], "a hidden character is in the page itself"


def test_an_edit_carries_its_exact_arguments_through_the_page():
    """The one place where hidden characters must stand in the page: the hidden field that sends them back, digest and all."""
    preview = replace(made.preview(), text='{"order_id":"11\u200b82"}', rows=())
    page = Page(pages.edit_confirm(made.detail(), preview, ME, made.FORM))
    (field,) = page.all("input", name="arguments")
    assert field["value"] == '{"order_id":"11\u200b82"}'
    assert '{"order_id":"11\\u200b82"}' in page.text


def test_what_was_posted_stands_in_the_fields_again_and_nowhere_else():
    kept = {"call": made.call().call, "typed": BREAKS_OUT, "own": BREAKS_OUT, "reason": "own", "saw": "yes"}
    page = Page(pages.detail(made.detail(), ME, made.FORM, ["No."], kept))
    assert page.all("input", name="typed-1")[0]["value"] == BREAKS_OUT
    assert BREAKS_OUT in page.text
    _holds_no_markup_of_others(page)
    kept = {"arguments": f"{BREAKS_OUT}\u200b\r\n", "reason": BREAKS_OUT}
    page = Page(pages.edit(made.detail(), made.call(), ME, made.FORM, ["No."], kept))
    assert f"{BREAKS_OUT}\\u200b\n" in page.text, "kept, and the hidden character as an escape"
    _holds_no_markup_of_others(page)
    over = made.call(state="rejected", may_decide=False, decided=made.decided("rejected"))
    kept = {"call": over.call, "own-1": BREAKS_OUT, "arguments": BREAKS_OUT}
    for html in (
        pages.detail(made.detail(over), ME, made.FORM, (), kept),
        pages.conflict(made.detail(over), over, ME, made.FORM, "already_decided", kept),
    ):
        page = Page(html)
        assert page.text.count(BREAKS_OUT) >= 2
        _holds_no_markup_of_others(page)


def test_a_title_is_one_line_of_text():
    html = _detail(made.call(headline=Headline((("Pay\n</title><b>\u202e", False),))))
    assert Page(html).title() == "Pay[U+000A]&lt;/title&gt;&lt;b&gt;[U+202E] · Placet"


def test_sign_in_comes_back_to_this_host_only():
    for wanted in ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", ""):
        assert 'href="/sign-in/start?next=%2Finbox"' in pages.sign_in(wanted)
    assert 'href="/sign-in/start?next=%2Freviews%2Fabc%3F%22"' in pages.sign_in('/reviews/abc?"')
