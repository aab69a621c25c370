"""How long credentials last: CDK gets them as they are, and those of a sign-in or a role end in the middle of a deploy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

SHORT = timedelta(hours=1)  # a choice and no measure: how long a deploy takes says CloudFormation


def told(ends: datetime | None, now: datetime, *, is_temporary: bool) -> str:
    """A sentence for whoever deploys; empty of keys that do not end.

    Args:
        ends: when, as boto3 knows it; None where it does not.
        is_temporary: whether they have a session token, so that they end at some time.
    """
    if ends is None:
        unknown = "the credentials are temporary, and it is not known here when they end: CDK gets them as they are"
        return unknown if is_temporary else ""
    at, left = f"{ends.astimezone(UTC):%H:%M} UTC", ends - now
    if not is_short(ends, now):
        return f"the credentials last until {at}, for {_length(left)}"
    when = f"end at {at}, in {_length(left)}" if left > timedelta(0) else f"have ended at {at}"
    return (
        f"look: the credentials {when}, and CDK gets them as they are and cannot renew them: a deploy that takes longer is left in "
        "its middle, CloudFormation goes on alone, and nothing is written into the lock → sign in anew first, for an hour or more"
    )


def is_short(ends: datetime | None, now: datetime) -> bool:
    """Whether they may end before a deploy does."""
    return ends is not None and ends - now < SHORT


def _length(left: timedelta) -> str:
    minutes = int(left.total_seconds()) // 60
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
