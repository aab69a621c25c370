"""A dress rehearsal: an empty account, the real CDK command line, every deploy that people will do, a restore, and a removal.

The assemblies are those of `app.py`, deployed as they are; what differs on this machine is exchanged inside the emulator and stands
in `make differences`. Pauses wait meanwhile, and after each deploy every one of them has to be in an inbox, with its agent, or on
the stuck list. The restore is played from a snapshot that was taken earlier in the run. The full size takes some minutes; the
quick one is the way from nothing to a first approval, and the removal.
"""

from __future__ import annotations

from collections.abc import Callable

from botocore.exceptions import ClientError

from local.settings import LocalSettings
from tests.proofs import Proof, Size
from tests.proofs.rehearsing import first, later, removal, restore
from tests.proofs.rehearsing.account import Account
from tests.proofs.rehearsing.assemblies import settings, toml
from tests.proofs.rehearsing.play import Play, counted
from tests.proofs.rehearsing.scripts import Script, short, written
from tests.proofs.rehearsing.waiting import Waiting
from tests.shared import synthesize

STEPS, DEPLOYS = 20, 5  # a full rehearsal with fewer has not been one
QUICK_STEPS, QUICK_DEPLOYS = 12, 1


def prove(say: Callable[[str], None], size: Size) -> Proof:
    """Play it to its end, or to the first step that fails."""
    synthesize()
    home = LocalSettings.from_environment().home
    script = short(home, say) if size.quick else written(home, say)
    written_settings = home / "rehearsal.toml"
    written_settings.write_text(toml(settings()))
    account = Account(written_settings, say)
    play, failed = Play(account, Waiting(account), say), ""
    try:
        account.start()
        before = removal.held(account)
        try:
            _steps(play, script, before, size)
        except (AssertionError, ClientError) as error:
            failed = str(error)
    finally:
        account.stop() if failed else account.discard()
    return judged(play, size, failed)


def _steps(play: Play, script: Script, before: set[str], size: Size) -> None:
    first.steps(play, script)
    if not size.quick:
        later.steps(play, script)
        restore.steps(play, script)
    removal.steps(play, script, before)


def judged(play: Play, size: Size, failed: str = "") -> Proof:
    """The figures, and what makes the proof fail."""
    figures = {
        "steps": len(play.steps),
        "deploys": play.deploys,
        "rollbacks": play.rollbacks,
        "pauses_waiting": len(play.waited),
        "invisible": len(play.invisible),
        "lost": len(play.lost),
        "left_over": len(play.left_over),
    }
    least = {"steps": QUICK_STEPS, "deploys": QUICK_DEPLOYS}
    if not size.quick:
        least = {"steps": STEPS, "deploys": DEPLOYS, "rollbacks": 1, "pauses_waiting": 5}
    violations = [failed] if failed else []
    violations += [f"only {figures[name]} {name}, not {many}" for name, many in least.items() if figures[name] < many]
    violations += [*play.invisible, *play.lost, *(f"left over: {one}" for one in play.left_over)]
    rows = [f"  {number:>2} {name:<24} {sentence}" for number, (name, sentence) in enumerate(play.steps, 1)]
    rows += [f"     {name:<24} {counted(places)}" for name, places in play.places]
    return Rehearsed("rehearsal", "\n".join(rows), figures, violations)


class Rehearsed(Proof):
    """What a rehearsal found; its last line says first who deployed."""

    @property
    def line(self) -> str:
        """The last line: the command line is the pinned one of the CDK (`infra.cdk`), not a deployer of our own."""
        return super().line.replace(f"{self.name}: ", f"{self.name}: cli=real ", 1)
