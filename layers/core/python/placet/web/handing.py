"""The page on which a reviewer hands one call to somebody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from placet.model.pauses import Reviewer
from placet.records.people import Member
from placet.service.views import CallView, Detail
from placet.web import typed
from placet.web.forms import FormFacts
from placet.web.rendering import render


def hand_page(
    detail: Detail,
    call: CallView,
    me: Reviewer,
    form: FormFacts,
    people: Sequence[Member],
    groups: Sequence[str],
    whom: str = "",
    problem: str = "",
    kept: Mapping[str, str] | None = None,
) -> str:
    """Whom a call is handed to: one person or one group of those that its class names.

    Args:
        whom: what was chosen, `U#` and a `sub` or `G#` and a group. problem: why that was not taken.
        kept: what was typed on the page of the pause, which goes along.
    """
    return render(
        "hand.html",
        detail=detail,
        call=call,
        me=me,
        form=form,
        people=people,
        groups=groups,
        whom=whom,
        problem=problem,
        loose=[("", label, text) for _, label, text in typed.rows(typed.texts(kept or {}))],
        carried=typed.carried(kept or {}),
        links=[("whom", problem)] if problem else [],
    )
