"""How the files in `items/` were made: `python -m tests.upgrade.make COMMIT …`; those in `items/bedrock/` with `--bedrock`.

Each commit is checked out beside the working copy, its own verbs write one pause per state (`scenes.py`, which runs on that code
and not on ours; `bedrock_scenes.py` for runs of Bedrock), and the table is kept as DynamoDB's JSON. The files are records, not test
data: added to, never changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
ITEMS = HERE / "items"


def main(commits: list[str]) -> None:
    bedrock = "--bedrock" in commits
    script, folder_of_items = ("bedrock_scenes.py", ITEMS / "bedrock") if bedrock else ("scenes.py", ITEMS)
    for commit in (one for one in commits if one != "--bedrock"):
        short, date, subject = _git("show", "-s", "--format=%h%n%as%n%s", commit).splitlines()
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / short
            _git("worktree", "add", "--detach", "--quiet", str(tree), commit)
            try:
                text = _written_by(tree, script, short, date, subject)
            finally:
                _git("worktree", "remove", "--force", str(tree))
        (folder_of_items / f"{date}-{short}.json").write_text(text)
        print(f"{date} {short} {subject}")


def _written_by(tree: Path, script: str, *about: str) -> str:
    paths = [tree, tree / "layers/core/python", tree / "layers/policy/python"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, str(HERE / script), *about]
    return subprocess.run(command, cwd=tree, env=environment, check=True, capture_output=True, text=True).stdout


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout  # noqa: S607


if __name__ == "__main__":
    main(sys.argv[1:])
