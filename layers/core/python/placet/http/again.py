"""The page of a pause as it stands, after a form of it that was not taken or left something typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from placet.http import pages as people
from placet.http.messages import Answer, see_other
from placet.model.pauses import split_call_id
from placet.service import review
from placet.service.views import Detail
from placet.web import pages, security, typed
from placet.web.forms import Problem


def pause_again(
    visit: people.Visit,
    call: str,
    kept: dict[str, str],
    problems: Sequence[Problem] = (),
    status: int = 200,
    notice: str | Callable[[Detail], str] = "",
) -> Answer:
    """The page, with what was typed.

    Args:
        call: whose form was sent: there the page says what was wrong.
        kept: every field of the form that is to stand there again.
        notice: what was done, or how that is said of the pause as it stands now. Where what was typed stands is said by the page.
    """
    pause = split_call_id(call)[0]
    detail = review.detail(visit.ports, visit.me, pause)
    kept = {**kept, "call": call}
    told = notice if isinstance(notice, str) else notice(detail)
    return people.page(pages.detail(detail, visit.me, visit.form(pause), problems, kept, told), status)


def done(
    visit: people.Visit,
    call: str,
    posted: dict[str, str],
    press: str,
    notice: str | Callable[[Detail], str],
    to: str = "",
) -> Answer:
    """After a press that was taken: the page with what else was typed on it, or the way on when that is nothing.

    Args:
        posted: every field of the form. press: a key of `typed.TAKES`.
        to: where the way on leads, an address or a part of the page of the pause; empty: to its call.
    """
    pause, number = split_call_id(call)
    if kept := typed.left(posted, press, number):
        return pause_again(visit, call, kept, notice=notice)
    to = to or f"#call-{number}"
    return see_other(to if to.startswith("/") else f"/reviews/{pause}{to}", headers=security.headers())


def about(number: int, alone: str, of_several: str, detail: Detail) -> str:
    """What is said of the only call of a pause, or of one of several: there `{}` is its number."""
    return of_several.format(number) if len(detail.calls) > 1 else alone
