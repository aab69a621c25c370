"""The stream delivered thrice and shuffled, schedules five times, notify twice: the same state as once and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.proofs import Proof, Size
from tests.proofs.world.handlers import wired
from tests.proofs.world.recorded import NOTIFIES, RECORDS, TIMERS, Recorded

PAUSES, QUICK_PAUSES = 600, 120
WANTED = 1_000  # records, in the full size


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play both, compare them, then bring the whole stream to the second once more."""
    pauses = QUICK_PAUSES if size.quick else PAUSES
    with wired():
        once = Recorded(pauses, size.seed, replayed=False).play()
        say(f"{len(once.records)} records of {pauses} pauses, delivered once")
        often = Recorded(pauses, size.seed, replayed=True).play()
        say(f"{often.delivered} deliveries of {len(often.records)} records")
        found = differences(once, often)
        ended = often.state()
        often.again()
        found += [f"after everything came again: {name}" for name in _unequal(ended, often.state())]
    return _proof(once, often, found, size)


def differences(once: Recorded, often: Recorded) -> list[str]:
    """What is not the same, by name; mails may come once more and not oftener, and never not at all: then
    they went into a mail of what waits."""
    found = _unequal(once.state(), often.state())
    few, many = once.mails(), often.mails()
    found += [
        f"mail {key}: {few[key]} and {many[key]}"
        for key in sorted(few | many)
        if many[key] > max(few[key], 1) + 1 or (many[key] < few[key] and key[0] not in often.digested())
    ]
    return found


def _unequal(first: dict[str, object], second: dict[str, object]) -> list[str]:
    """What differs, by name. How long people took is counted without a clause: what comes twice counts twice (data model)."""
    names = [name for name in sorted(first | second) if "#H#" not in name]
    return [name for name in names if first.get(name) != second.get(name)]


def _proof(once: Recorded, often: Recorded, found: list[str], size: Size) -> Proof:
    records, blocked = len(once.records), once.blocked + often.blocked
    unlogged = once.unlogged + often.unlogged
    violations = found[:20]
    violations += [f"{blocked} records were held up or poison went unreported"] * bool(blocked)
    violations += [f"{unlogged} poison records left no line for the alarm"] * bool(unlogged)
    violations += _unplayed(once, records, size)
    endings = Counter(item["state"] for item in once.heads().values() if "parked" not in item)
    more = sum((often.mails() - once.mails()).values())
    lines = [
        f"{records} records; again as {often.delivered} deliveries ({RECORDS} of each, shuffled, then the whole stream so)",
        f"schedules {TIMERS} times, notify {NOTIFIES} times; {sum(once.mails().values())} mails, {more} more when replayed",
        f"{once.poisoned + often.poisoned} poison records, one in each batch of at most 100",
        "endings: " + ", ".join(f"{name} {count}" for name, count in sorted(endings.items())),
        "fates: "
        + ", ".join(f"{fate} {count}" for fate, count in sorted(Counter(fate for _, fate in once.plan).items())),
    ]
    figures: dict[str, float] = {"records": records, "state_differences": len(found), "blocked": blocked}
    return Proof("replay", "\n".join(lines), figures, violations)


def _unplayed(once: Recorded, records: int, size: Size) -> list[str]:
    """What the recording has to hold to be worth anything."""
    missing = [f"only {records} records, {WANTED} are wanted"] * (not size.quick and records < WANTED)
    edges = Counter(record.edge for record in once.records)
    missing += [
        f"no record said {edge}" for edge in ("captured", "closed", "wait_late", "cancelled") if not edges[edge]
    ]
    rounds = {
        call["round"] for item in once.heads().values() for call in item.get("calls", {}).values() if "round" in call
    }
    missing += ["nothing was asked for again"] * (not rounds)
    open_ = [pause for pause, item in once.heads().items() if "parked" not in item and item["state"] != "ended"]
    missing += [f"{len(open_)} pauses did not end"] * bool(open_)
    return missing
