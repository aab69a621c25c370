"""People as the JSON of docs/api.md, and the body that says who is away."""

from __future__ import annotations

from typing import Any

from placet.http.bodies import Body, Short, Whole
from placet.model.absences import Absence
from placet.records.people import Member
from placet.service.people import Asked, ClassView, GroupView, People


class AwayBody(Body):
    """`POST /v1/reviews/away`: `from_ms` left out is now; `delegate` is a `sub` or a mail address, empty for nobody."""

    until_ms: Whole
    from_ms: Whole = 0
    delegate: Short = ""


def absence(one: Absence) -> dict[str, Any]:
    """An absence."""
    return {
        "sub": one.sub,
        "name": one.name,
        "from_ms": one.from_ms,
        "until_ms": one.until_ms,
        "delegate": one.delegate or None,
        "delegate_name": one.delegate_name or None,
    }


def people(found: People) -> dict[str, Any]:
    """Who is asked, and who is away."""
    return {
        "classes": [_class(one) for one in found.classes],
        "groups": [_group(one) for one in found.groups],
        "absences": [absence(one) for one in found.absences],
        "mail_refused": [
            {"sub": one.sub, "name": one.name, "address": one.address, "reason": one.why, "since_ms": one.since_ms}
            for one in found.silent
        ],
    }


def _class(one: ClassView) -> dict[str, Any]:
    levels = [{"after_s": level.after_s, "groups": [group.name for group in level.groups]} for level in one.levels]
    return {"class": one.name, "quorum": one.quorum, "people": one.people, "short": one.short, "levels": levels}


def _group(one: GroupView) -> dict[str, Any]:
    return {
        "group": one.name,
        "people": [_member(who) for who in one.people],
        "asked": [_asked(who) for who in one.asked],
        "away": [who.name for who in one.away],
        "problem": one.problem or None,
    }


def _member(one: Member) -> dict[str, Any]:
    """A member, and where the membership comes from: `reviewers`, or `sign_in` until the end of that session."""
    until = one.badge_until_ms or None
    source = "sign_in" if until else "reviewers"
    return {"sub": one.sub, "name": one.name, "email": one.email, "from": source, "until_ms": until}


def _asked(one: Asked) -> dict[str, Any]:
    return {"name": one.name, "in_place_of": one.in_place_of or None}
