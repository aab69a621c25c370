"""What a log line may say of an exception: its type and where it arose, never its text, which can hold arguments."""

from __future__ import annotations

import traceback
from pathlib import PurePath

MOST_PLACES = 6  # the innermost ones


def fault(error: BaseException) -> dict[str, str]:
    """`error`: its type, then the types it came from. `at`: file and line of the innermost calls, outermost first.

    The text of an exception, and of those chained to it, is whatever a library put there, a checked value included.
    """
    places = traceback.extract_tb(error.__traceback__)[-MOST_PLACES:]
    at = " > ".join(f"{'/'.join(PurePath(one.filename).parts[-2:])}:{one.lineno}" for one in places)
    return {"error": " from ".join(type(one).__name__ for one in _chain(error)), "at": at}


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and len(found) < MOST_PLACES and one not in found:
        found.append(one)
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return found
