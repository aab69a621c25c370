"""Folders of ours: known by a mark in them before anything in them is removed, and not followed out of by a link."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from local.errors import StepFailed

MARK = ".made-by-placet"
STARTED = frozenset({"ministack.log", "steps.log", "bedrock.log", "agent.log"})  # what a start leaves, all in `logs`


def is_ours(folder: Path) -> bool:
    """Whether this is a folder, itself and no link to one, in which this user's Placet has set its mark."""
    try:
        mark = os.lstat(folder / MARK)
        return stat.S_ISDIR(os.lstat(folder).st_mode) and stat.S_ISREG(mark.st_mode) and mark.st_uid == os.geteuid()
    except OSError:
        return False


def holds_anything(folder: Path) -> bool:
    """Whether there is something at this path that a removal would take away."""
    return os.path.lexists(folder) and not (folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()))


def make(folder: Path, mode: int = 0o755) -> None:
    """Make it with its mark, or mark it where it is there and empty; what holds something stays without. Raises OSError."""
    if not holds_anything(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=mode)
        folder.chmod(mode)
        (folder / MARK).touch()


def make_anew(folder: Path) -> None:
    """An empty folder for its owner's eyes, with the mark; what a start left in it is removed.

    Raises StepFailed, and removes nothing, where something stands in it without the mark.
    """
    try:
        if is_ours(folder):
            shutil.rmtree(folder)
        elif _ended(folder):
            (folder / MARK).touch()
            folder.chmod(0o700)
            return
        elif holds_anything(folder):
            raise StepFailed(
                f"{folder} holds something that no start is known to have put there (no {MARK} in it).",
                "Look what it is. If it is yours, choose other ports or another PLACET_HOME; if an earlier version "
                f"left it, remove it: rm -r {folder}",
            )
        make(folder, 0o700)
    except OSError as error:
        raise StepFailed(f"{folder} cannot be made anew ({error.strerror}).", "Look whose it is.") from error


def _ended(folder: Path) -> bool:
    """Whether it is what a start of an earlier version left when it had ended: its logs and nothing else."""
    return (
        not folder.is_symlink()
        and [one.name for one in folder.iterdir()] == ["logs"]
        and not (folder / "logs").is_symlink()
        and {one.name for one in (folder / "logs").iterdir() if one.is_file() and not one.is_symlink()} <= STARTED
        and (folder / "logs" / "ministack.log").is_file()
        if folder.is_dir()
        else False
    )
