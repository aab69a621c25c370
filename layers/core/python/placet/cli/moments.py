"""A moment as it is typed, UTC: a day that there is, with hours and minutes or without."""

from __future__ import annotations

from datetime import datetime

import click

from placet.model.visible import one_line

FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M")


class Moment(click.ParamType[datetime]):
    """What is typed as `2026-12-04` or `2026-12-04T17:00`."""

    name = "moment"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, without a zone. Fails with a sentence for what is none, or a day that no calendar has."""
        if isinstance(value, datetime):
            return value
        for form in FORMS:
            try:
                return datetime.strptime(str(value), form)
            except ValueError:
                continue
        self.fail(
            f"{one_line(str(value))!r} is no moment that there is: write 2026-12-04 or 2026-12-04T17:00, in UTC",
            param,
            ctx,
        )


MOMENT = Moment()
