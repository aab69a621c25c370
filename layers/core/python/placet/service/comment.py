"""comment: somebody who may see a pause says something about it. It stays in the record and changes nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from placet.model.characters import is_blank
from placet.model.errors import Busy, Conflict, Invalid
from placet.model.limits import LONGEST_COMMENT, MOST_COMMENTS, MOST_COMMENTS_EACH
from placet.model.pauses import Reviewer
from placet.records import writes
from placet.records.facts import count_of, read_fact
from placet.records.ops import ConditionFailed
from placet.service.loading import readable
from placet.service.ports import Ports
from placet.service.rights import seen_by

ATTEMPTS = 8
AGAIN_MS = 600_000  # the same words of the same person, and nobody's between: it is the same comment, sent again


@dataclass(frozen=True)
class Commented:
    """The stored answer."""

    pause: str
    number: int
    at_ms: int
    replayed: bool


def comment(ports: Ports, reviewer: Reviewer, pause: str, text: str) -> Commented:
    """Write down what a person says about a pause, in any state of it.

    Raises:
        NotFound: absent, or not this person's to see.
        Invalid: `text_missing`, `text_too_long`.
        Conflict: `comments_full`.
        Busy: others say so much at once that no place was found within the request.
    """
    head = seen_by(ports, reviewer, pause)
    text = said(text, LONGEST_COMMENT)
    number, tried_ms = 0, 0  # of the try before
    for _ in range(ATTEMPTS):
        stored = ports.table.query(ports.keys.pause(pause), "E#comment#")
        now = ports.clock.now_ms()
        mine = readable(ports, stored[number - 1 : number] if number else [], read_fact)
        if mine and (mine[0].by, mine[0].text, mine[0].at_ms) == (reviewer.sub, text, tried_ms):
            return Commented(pause, number, tried_ms, replayed=False)  # it was written, and the answer was lost
        last = readable(ports, stored[-1:], read_fact)
        if last and (last[0].by, last[0].text) == (reviewer.sub, text) and now - last[0].at_ms < AGAIN_MS:
            return Commented(pause, len(stored), last[0].at_ms, replayed=True)
        if len(stored) >= MOST_COMMENTS:
            says = f"A pause takes {MOST_COMMENTS} comments, and this one has them."
            raise Conflict("comments_full", says, limit=MOST_COMMENTS)
        if count_of(readable(ports, stored, read_fact), reviewer) >= MOST_COMMENTS_EACH:
            says = f"You have made {MOST_COMMENTS_EACH} comments here; the others' places are kept for them."
            raise Conflict("comments_full", says, limit=MOST_COMMENTS_EACH)
        number, tried_ms = len(stored) + 1, now
        try:
            ports.table.write(writes.comment(ports.keys, head, number, reviewer, text, now))
        except ConditionFailed:
            continue  # somebody else spoke at the same moment, or the answer to this very write was lost
        return Commented(pause, number, now, replayed=False)
    raise Busy


def said(text: str, longest: int) -> str:
    """The words of a person. Raises Invalid `text_missing`, `text_too_long`."""
    text = text.strip()
    if is_blank(text):
        raise Invalid("text_missing", "Nobody can see anything of this text.")
    if len(text) > longest:
        raise Invalid(
            "text_too_long",
            f"It has {len(text)} characters; at most {longest} are taken. Nothing is cut.",
            limit=longest,
        )
    return text
