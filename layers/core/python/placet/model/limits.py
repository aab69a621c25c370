"""How large a number and how long a name from outside may be.

Up to 2^53 a number is the same for JavaScript, DynamoDB and us, and no count reaches it; names become keys, which DynamoDB bounds.
"""

from __future__ import annotations

import re

MOST = 2**53
LONGEST_NAME = 256  # characters of a run, an entity or a worker
RETRIES_MARGIN_S = 3_600  # the machine's wait outlives the class's hard maximum by this, so that expiry comes first
MAX_REASON = 500  # characters of what a person gives as a reason
MOST_COMMENTS = 50  # of one pause
MOST_COMMENTS_EACH = 15  # of them by one person
MOST_EXTENSIONS = 10  # of one call
LEAST_EXTENSION_MS = 60_000  # by so much at least each of them moves its deadline
LONGEST_COMMENT = 1_000  # characters
MOST_ASKED = 10  # questions about one call
MOST_ASKED_EACH = 5  # of them by one person
LONGEST_QUESTION = 1_000  # characters
LONGEST_ANSWER = 4_000  # characters, beside its evidence
MOST_EVIDENCE = 20  # pieces of one pause
LONGEST_TITLE = 200  # characters of a piece's title
LONGEST_TEXT = 20_000  # characters of a piece, and of what the model said
MOST_NUMBERS = 20  # that the agent hands in beside its calls
LONGEST_NUMBER = 64  # characters of one of them

_DIGITS = re.compile(r"[0-9]{1,16}")


def whole_number(text: str) -> int | None:
    """The number in a text of plain digits, None for anything else: a sign, a space, another script's digits, too many."""
    value = int(text) if _DIGITS.fullmatch(text) else MOST + 1
    return value if value <= MOST else None
