"""What is deployed one after the other: assemblies of this checkout, and of copies with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.proofs.rehearsing import assemblies as made
from tests.proofs.rehearsing.assemblies import Assemblies, settings


@dataclass(frozen=True)
class Script:
    """The assemblies, in the order of their deploys; that of the restored table is made when its name is known."""

    base: Path
    policy: Path
    renamed: Path
    removed: Path
    code: Path
    failing: Path
    _maker: Assemblies

    def restored(self, table: str, stream: str) -> Path:
        """With the restored table in the place of the first, and the next epoch."""
        told = settings(epoch=2, restored_table=table, restored_stream=stream)
        return self._maker.make(told, made.policy_changed, made.code_changed)


def short(home: Path, say: Callable[[str], None]) -> Script:
    """This checkout's own assembly alone."""
    maker = Assemblies(home)
    say("rehearsal: synthesizing this checkout")
    base = maker.make(settings())
    return Script(base, base, base, base, base, base, maker)


def written(home: Path, say: Callable[[str], None]) -> Script:
    """Every assembly; AssertionError when app.py refuses one."""
    maker = Assemblies(home)

    def one(name: str, told: dict[str, object], *changes: made.Change) -> Path:
        say(f"rehearsal: synthesizing {name}")
        return maker.make(told, *changes)

    without = tuple(name for name in made.AGENTS if name != "courier")
    return Script(
        base=one("this checkout", settings()),
        policy=one("another policy", settings(), made.policy_changed),
        renamed=one("a renamed class", settings(), made.policy_changed, made.class_renamed),
        removed=one("one agent less", settings(without), made.policy_changed),
        code=one("changed code", settings(), made.policy_changed, made.code_changed),
        failing=one(
            "an update that fails",
            settings(login_domain_prefix=made.TAKEN, log_days=30),
            made.code_changed_again,
        ),
        _maker=maker,
    )
