"""The CDK command line in the version that set-up pins: installed once, into ``.placet``, and run by the Node that synth runs on.

    python -m infra.cdk ARGUMENT …       `cdk ARGUMENT …`, in the account and region of all tools here

It comes from ``infra/cdk_cli/package-lock.json``, held against its digest; without a network npm's own cache is enough.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from infra.cdk_caller import caller, chosen_otherwise, unchosen
from infra.deployed import NotSaid, session_in
from infra.places import assembly_in, made_of_others, misplaced
from infra.settings import SettingsError
from infra.synth import ROOT, SynthError, node
from local.folders import holds_anything, is_ours, make
from local.venvs import HOME

PINS = ROOT / "infra" / "cdk_cli"
FILES = ("package.json", "package-lock.json")
ASK = {  # the commands that ask an account, or change one
    *(
        "bootstrap",
        "deploy",
        "destroy",
        "diff",
        "drift",
        "gc",
        "import",
        "migrate",
        "orphan",
        "publish-assets",
        "refactor",
    ),
    *("rollback", "watch"),
}
QUIET = {"CDK_DISABLE_CLI_TELEMETRY": "true", "CDK_DISABLE_VERSION_CHECK": "true"}  # it tells and asks nobody


def command(home: Path = HOME) -> list[str]:
    """How ``cdk`` is called, installed before if it is not there as pinned. Raises SynthError."""
    folder = home / "cdk"
    program = folder / "node_modules" / "aws-cdk" / "bin" / "cdk"
    home.mkdir(parents=True, exist_ok=True)
    with _alone(home):
        wanted, stamp = _fingerprint(), folder / ".stamp"
        if not (stamp.exists() and stamp.read_text() == wanted and program.exists()):
            _install(folder)
            stamp.write_text(wanted)
    return [str(node()), str(program)]


def environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of the command line: the given one, with Python and Node of this checkout before any other.

    Node knows authorities of its own: it trusts the file that Python was told to trust as well.
    """
    first = os.pathsep.join([str(Path(sys.executable).parent), str(node().parent), environ.get("PATH", os.defpath)])
    trusted = next(
        (environ[name] for name in ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE") if environ.get(name)), ""
    )
    own = {"NODE_EXTRA_CA_CERTS": trusted} if trusted and not environ.get("NODE_EXTRA_CA_CERTS") else {}
    return {**environ, **own, **QUIET, "PATH": first}


def _install(folder: Path) -> None:
    print("setup: installing the CDK command line (this happens once) …", file=sys.stderr, flush=True)
    if is_ours(folder) or (folder / ".stamp").is_file():
        shutil.rmtree(folder, ignore_errors=True)
    elif holds_anything(folder):
        raise SynthError(f"{folder} holds something else than the CDK command line: move it away, and repeat")
    make(folder)
    for name in FILES:
        shutil.copyfile(PINS / name, folder / name)
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    words = [str(node()), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True)  # noqa: S603 - our own words
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise SynthError(
            f"the CDK command line could not be installed; with no network, connect once and repeat:\n{last}"
        )


def _fingerprint() -> str:
    return hashlib.sha256(b"\0".join((PINS / name).read_bytes() for name in FILES)).hexdigest()


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Two starts at once must not install into the same folder."""
    with (home / "cdk.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def call(words: Sequence[str], environ: Mapping[str, str] = os.environ) -> tuple[list[str], dict[str, str]]:
    """What is run for some arguments, and in which environment.

    Raises SynthError, also for an assembly of elsewhere; SettingsError for a lock that nothing wrote; NotSaid without a region; and
    BotoCoreError or ClientError without credentials that AWS knows.
    """
    if otherwise := chosen_otherwise(words):
        raise SynthError(otherwise)
    if ASK.isdisjoint(words):
        return [*command(), *words], environment(unchosen(environ))
    shown = caller(session_in(None))
    print(f"cdk: {shown.where}, as {shown.arn}", file=sys.stderr)
    for sentence in shown.told(environ):
        print(f"cdk: {sentence}", file=sys.stderr)
    if "bootstrap" in words:  # of the place that was shown, wherever an assembly belongs
        here = () if any("://" in word for word in words) else (f"aws://{shown.installation}",)
        return [*command(), *words, *here, *shown.arguments], environment(shown.environment(environ))
    if (assembly := assembly_in(words)) is not None:
        if said := misplaced(assembly, shown.installation, words, is_local=shown.is_local):
            raise SynthError(said)
        if told := made_of_others(assembly):
            print(f"cdk: {told}", file=sys.stderr)
    return [*command(), *words, *shown.arguments], environment(shown.environment(environ))


def main() -> int:
    """Runs it in this terminal; its exit code is ours."""
    try:
        words, environ = call(sys.argv[1:])
    except (SynthError, SettingsError, NotSaid, BotoCoreError, ClientError) as error:
        print(f"cdk: {error}", file=sys.stderr)
        return 1
    return subprocess.run(words, env=environ, check=False).returncode  # noqa: S603 - its own words


if __name__ == "__main__":
    sys.exit(main())
