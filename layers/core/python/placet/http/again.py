"""The page of a pause as it stands, after a form of it that was not taken or left something typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from placet.http import pages as people
from placet.http.messages import Answer
from placet.model.pauses import split_call_id
from placet.service import review
from placet.service.views import Detail
from placet.web import pages
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
        notice: what was done, or how that is said of the pause as it stands now.
    """
    pause = split_call_id(call)[0]
    detail = review.detail(visit.ports, visit.me, pause)
    kept = {**kept, "call": call}
    told = notice if isinstance(notice, str) else notice(detail)
    return people.page(pages.detail(detail, visit.me, visit.form(pause), problems, kept, told), status)
