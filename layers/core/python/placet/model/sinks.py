"""Where messages about pauses go beside the inbox: topics, chats and webhooks that the installation names. They never decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from placet.model.bus import Kind

KINDS = ("sns", "slack", "teams", "webhook")
WAITS = (Kind.VISIBLE.value, Kind.STUCK.value, Kind.EXPIRED.value)  # what a sink is told that names no events


@dataclass(frozen=True)
class Sink:
    """One sink.

    Attributes:
        topic: of `sns`: the name of a topic in the gateway's account and region.
        secret: of `slack` and `teams`: the name of the secret that is the incoming address; of `webhook`: the one that signs.
        url: of `webhook`: an https address.
        events: kinds of bus events that it is told. classes: action classes; none: all.
        headline: whether the sentence of a call may be told, which holds arguments.
    """

    name: str
    kind: str
    topic: str = ""
    secret: str = ""
    url: str = ""
    events: tuple[str, ...] = WAITS
    classes: tuple[str, ...] = ()
    headline: bool = False


@dataclass(frozen=True)
class Message:
    """What a sink is told of one event.

    Attributes:
        id: the event's, the same at every attempt.
        sentence: in our own words, of names that we gave.
        facts: label and value; values are hostile text.
        headline: what the calls would do, with arguments; empty unless the sink may be told. Hostile text.
        link: where a reviewer signs in and decides.
        detail: the bus event itself.
    """

    id: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    headline: str
    link: str
    detail: Mapping[str, Any]


def sink_of(entry: Mapping[str, Any]) -> Sink:
    """A sink as the settings write it."""
    lists = {name: tuple(entry[name]) for name in ("events", "classes") if name in entry}
    return Sink(**{**entry, **lists})
