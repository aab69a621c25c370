"""Sinks in placet.toml: where messages about pauses go. Secrets and topics are named; an address that is a secret stands in one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from infra.registry import FIELDS, NAME, SettingsError, is_theirs
from placet.model.bus import Kind
from placet.model.sinks import KINDS, Sink, sink_of
from placet.model.visible import one_line

TOPIC = re.compile(r"[A-Za-z0-9_-]{1,256}")
NEEDS: Mapping[str, tuple[str, ...]] = {
    "sns": ("topic",),
    "slack": ("secret",),
    "teams": ("secret",),
    "webhook": ("url", "secret"),
}
COMMON = {"name", "kind", "events", "classes", "headline"}
MOST = 20  # each is a rule of the bus, and a Lambda's environment has to hold them


def read_sinks(entries: Any) -> tuple[Sink, ...]:
    """The sinks of the settings. Raises SettingsError with a sentence that names the sink."""
    if not isinstance(entries, list | tuple):
        raise SettingsError("sinks: must be entries that each begin with [[sinks]]")
    if len(entries) > MOST:
        raise SettingsError(f"sinks: at most {MOST}")
    sinks = tuple(_sink(entry) for entry in entries)
    names = [one.name for one in sinks]
    if len(set(names)) != len(names):
        raise SettingsError("sinks: names must be unique")
    rules: dict[str, str] = {}
    for name in names:
        if (other := rules.setdefault(rule_id(name), name)) != name:
            raise SettingsError(
                f"sinks: {other} and {name} differ by hyphens only, and their rules would have one name"
            )
    return sinks


def rule_id(name: str) -> str:
    """What a sink's rule is called in the template; logical ids have no hyphens."""
    return "".join(word.title() for word in name.split("-"))


def check_sinks(sinks: Sequence[Sink], classes: Collection[str], gone: Collection[str] = ()) -> None:
    """Refuses a sink for a class that nothing is ever told of. Raises SettingsError.

    Args:
        classes: of the policy; `gone` are those of earlier assemblies, in which pauses may still wait.
    """
    for sink in sinks:
        for name in sorted(set(sink.classes or ()) - {*classes, *gone}):
            near = get_close_matches(name, sorted(classes), 1)
            meant = f"; {near[0]} was meant" if near else ""
            raise SettingsError(
                f"sinks: classes of {sink.name}: the policy has no class {one_line(name)}{meant}. "
                f"It has {', '.join(sorted(classes))}"
            )


def _sink(entry: Any) -> Sink:
    if isinstance(entry, Sink):
        return entry
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise SettingsError(f"sinks: each needs a name like {NAME.pattern}, not {name!r}")
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise SettingsError(f"sinks: kind of {name} must be one of {', '.join(KINDS)}, not {kind!r}")
    if unknown := sorted(set(entry) - COMMON - set(NEEDS[kind])):
        raise SettingsError(f"sinks: {name}: a {kind} sink has no {', '.join(unknown)}")
    for field in NEEDS[kind]:
        _check_field(name, field, entry.get(field))
    _check_lists(name, entry)
    return sink_of(entry)


def _check_field(name: str, field: str, value: Any) -> None:
    if field == "topic":
        if not isinstance(value, str) or not (TOPIC.fullmatch(value) and is_theirs(value)):
            raise SettingsError(
                f"sinks: topic of {name} must be the name of an SNS topic of yours, without ARN, not {value!r}"
            )
        return
    wanted = FIELDS["webhook"][field]
    if not wanted.fits(value):
        raise SettingsError(f"sinks: {field} of {name} must be {wanted.must}, not {value!r}")


def _check_lists(name: str, entry: Mapping[str, Any]) -> None:
    events, classes, headline = entry.get("events"), entry.get("classes"), entry.get("headline", False)
    if events is not None and (not _names(events) or not set(events) <= {kind.value for kind in Kind}):
        raise SettingsError(f"sinks: events of {name} must be a list of {', '.join(Kind)}, not {events!r}")
    if classes is not None and not _names(classes):
        raise SettingsError(f"sinks: classes of {name} must be a list of names of action classes, not {classes!r}")
    for field, value in (("events", events), ("classes", classes)):
        if doubled := sorted({one for one in value or () if list(value).count(one) > 1}):
            raise SettingsError(f"sinks: {field} of {name} names {', '.join(doubled)} twice")
    if type(headline) is not bool:
        raise SettingsError(f"sinks: headline of {name} must be true or false, not {headline!r}")


def _names(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, str) and one for one in value)
