"""The People page: who is asked at a time, one's own absence and what follows from it, and of which groups nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placet.model.absences import Absence
from placet.model.pauses import Reviewer
from placet.service.forecast import Forecast
from placet.service.foresight import Follows
from placet.service.people import GroupView, People
from placet.web import phrases
from placet.web.forms import FormFacts, Problem
from placet.web.rendering import render

WHY_SILENT = {
    "bounced": "it comes back as undeliverable",
    "complained": "it was marked as spam",
    "rejected": "it is not taken for delivery",
}

_AWAY_MAY = " Who is away is not asked, and may still decide."


@dataclass(frozen=True)
class AbsenceForm:
    """One's own absence on the page.

    Attributes:
        mine: the absence that is written down; None without one.
        fields: what the fields hold: `from`, `until`, `delegate`.
        planned: the absence as it would be written down, once it was looked at; `follows`: what follows from it.
    """

    mine: Absence | None
    fields: Mapping[str, str]
    planned: Absence | None = None
    follows: Sequence[Follows] = ()


@dataclass(frozen=True)
class Ask:
    """What the page was asked to foretell: the fields as they came, and the answer; or what was wrong with them."""

    fields: Mapping[str, str]
    forecast: Forecast | None
    problem: str = ""


@dataclass(frozen=True)
class Trouble:
    """A group of which nobody is asked, or a class with too few here: a word and an icon, a sentence, what it means, a command."""

    name: str
    kind: str
    tone: str
    where: str
    head: str
    says: str
    command: str


def people_page(
    found: People,
    me: Reviewer,
    form: FormFacts,
    absence: AbsenceForm,
    ask: Ask,
    problems: Sequence[Problem] = (),
    notice: str = "",
) -> str:
    """The page.

    Args:
        problems: of the absence's fields, `from`, `until` or `delegate`; of no field for what concerns all of it.
    """
    stuck = _troubles(found)
    return render(
        "people.html",
        found=found,
        me=me,
        form=form,
        absence=absence,
        ask=ask,
        troubles=stuck,
        groups=found.groups,
        uses={one.name: _uses(found, one.name) for one in found.groups},
        everybody=_everybody(found),
        others=[one for one in _everybody(found) if one[0] != me.sub],
        problems={one.field: one.text for one in problems},
        links=[(one.field or "absence-form", one.text) for one in problems],
        notice=notice,
        by_sign_in=sum(any(who.badge_until_ms for who in one.people) for one in found.groups),
        why_silent=WHY_SILENT,
        follows_words=follows_words,
        told_at=lambda at_ms: phrases.day_clock(at_ms, found.as_of_ms),
        now=found.as_of_ms,
    )


def follows_words(one: Follows, me: Reviewer) -> tuple[bool, str]:
    """Whether all is well with a group while somebody is away, and how it is said."""
    stays = " and ".join(one.stays) if len(one.stays) < 3 else ", ".join(one.stays)
    left = [part for part in (stays, f"{one.instead} for you" if one.instead else "") if part]
    need = "1 accept is needed" if one.quorum == 1 else f"for some calls {one.quorum} different people must accept"
    if not left:
        return (
            False,
            f"{one.group}: nobody is left to ask. What waits for it goes to the next level, or is stuck until somebody is back.",
        )
    says = f"{one.group}: {', and '.join(left)}; {need}."
    if one.people < one.quorum:
        return False, f"{says} They are too few: what waits goes to the next level, or is stuck until somebody is back."
    if one.people == one.quorum:
        alone = (
            "nobody who is here can decide what they ask for themselves"
            if one.quorum == 1
            else "if one of them is away too, those who are here are too few"
        )
        return False, f"{says} They are just enough: {alone}."
    return True, says


def _troubles(found: People) -> list[Trouble]:
    troubles = [_group_trouble(found, one) for one in found.groups if one.problem]
    in_trouble = {one.name for one in troubles}
    for one in found.classes:
        groups = list(dict.fromkeys(group.name for level in one.levels for group in level.groups))
        if one.people > one.quorum or set(groups) <= in_trouble:
            continue
        short = one.people < one.quorum
        away = any(group.away for level in one.levels for group in level.groups)
        people = phrases.many(one.people, "person", "people")
        troubles.append(
            Trouble(
                name=one.name,
                kind=f"class {one.name} has {people} here",
                tone="stop" if short else "care",
                where=f"{one.quorum} must accept; groups {', '.join(groups)}",
                head="Those who are here are too few to decide it."
                if short
                else "What one of them asks for, nobody who is here can decide.",
                says=f"What waits is on the stuck list until more people are here.{_AWAY_MAY if away else ''}"
                if short
                else f"Requester and reviewer may not be one person, so one person more is needed.{_AWAY_MAY if away else ''}",
                command=f"placet reviewers add {groups[0]} --email …",
            )
        )
    return troubles


def _group_trouble(found: People, group: GroupView) -> Trouble:
    empty = group.problem == "empty"
    uses = _uses(found, group.name)
    return Trouble(
        name=group.name,
        kind=f"{group.name} is empty" if empty else f"{group.name}: everybody is away",
        tone="stop",
        where=uses,
        head="Nobody is asked of this group.",
        says="It is passed over: the next level is asked at once, and where no level is left the call is stuck."
        + ("" if empty else _AWAY_MAY),
        command=f"placet reviewers add {group.name} --email …" if empty else "placet away … --until … --delegate …",
    )


def _uses(found: People, name: str) -> str:
    """`money-out, level 1, 2 must accept`, of each class that asks a group."""
    uses = []
    for one in found.classes:
        levels = [
            number for number, level in enumerate(one.levels, 1) if name in {group.name for group in level.groups}
        ]
        if levels:
            need = f", {one.quorum} must accept" if one.quorum > 1 else ""
            uses.append(f"{one.name}, {phrases.listed(levels, 'level')}{need}")
    return "; ".join(uses)


def _everybody(found: People) -> list[tuple[str, str]]:
    """(`sub`, name with groups) of everybody who is in a group, by name."""
    groups: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for group in found.groups:
        for member in group.people:
            groups.setdefault(member.sub, []).append(group.name)
            names[member.sub] = member.name
    told = [(sub, f"{names[sub]}, {', '.join(groups[sub])}") for sub in names]
    return sorted(told, key=lambda one: one[1].casefold())
