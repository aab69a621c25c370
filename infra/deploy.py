"""``make deploy``: says what it would change for whom, asks once, deploys both stacks, and says what is left to do.

    python -m infra.deploy [--region REGION] [--yes] [--look] [-- ARGUMENT FOR CDK …]

With ``--yes``, or where CI is set, nothing is asked. ``--look`` says what would change, and ends. The credentials are those that
the AWS command line would take; the CDK command line gets these very credentials and the same region (infra/cdk_caller.py).
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra import cdk
from infra.cdk_caller import caller, chosen_otherwise
from infra.changes import Stack, sentences, stacks, stops
from infra.deployed import NotSaid, deployed_settings, outputs, session_in
from infra.doctor import BEFOREHAND, examine
from infra.doctor_lists import lists
from infra.doors import INBOX, lock_file, locked, upgraded, whole_lock, write_lock
from infra.lock_file import Known
from infra.next_steps import next_steps
from infra.places import misplaced
from infra.real_doors import real_doors
from infra.settings import Settings, SettingsError
from infra.synth import ROOT, SynthError, synth
from infra.waiting import waiting
from placet.model.visible import one_line

ASSEMBLY = ROOT / "cdk.out"
ALWAYS = ("--all", "--app", str(ASSEMBLY), "--require-approval", "never", "--no-notices", "--progress", "events")
Run = Callable[[Sequence[str], Mapping[str, str]], int]


class NotDeployed(RuntimeError):
    """Nothing was deployed; the message is a sentence or several, with the way out."""


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what it does; 1 when nothing was deployed, or not all."""
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--region", help="default: AWS_REGION, AWS_DEFAULT_REGION, or that of your profile")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--look", action="store_true", help="say what would change, and end")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="more for `cdk deploy`, after --")
    options = parser.parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # into a log too, what is said before CDK stands before what CDK says
        sys.stdout.reconfigure(line_buffering=True)
    try:
        settings, session = deployed_settings(), session_in(options.region)
        print(synth(ASSEMBLY, installation=caller(session).installation))
        deploy(
            session,
            settings,
            asks=None if options.yes or _in_ci() else _ask,
            look=options.look,
            more=options.arguments,
        )
    except (NotDeployed, NotSaid, SettingsError, SynthError) as error:
        return _say(str(error))
    except (ClientError, BotoCoreError) as error:
        return _say(
            f"AWS cannot be asked: {error} → check credentials, region and network; what is in the way: make doctor"
        )
    return 0


def deploy(
    session: Any,
    settings: Settings,
    *,
    asks: Callable[[str], bool] | None = None,
    look: bool = False,
    more: Sequence[str] = (),
    run: Run | None = None,
    assembly: Path = ASSEMBLY,
    lock: Path | None = None,
) -> None:
    """Deploy the assembly. Raises NotDeployed, and ClientError for what has to be asked beforehand."""
    if otherwise := chosen_otherwise(more):
        raise NotDeployed(otherwise)
    clients, shown, lock = session.client, caller(session), lock or lock_file()
    print(f"deploy: {shown.where}, as {shown.arn}")
    for sentence in shown.told(os.environ):
        print(f"deploy: {sentence}")
    both = stacks(clients("cloudformation"), assembly)
    if wrong := [
        *stops(settings, both, lambda was: real_doors(clients, settings, was)),
        *_other_inbox(clients, settings, both, locked(shown.installation, lock), lock.name),
        *_in_the_way(clients, settings),
    ]:
        raise NotDeployed("\n".join(wrong))
    for sentence in (*sentences(settings, both), *_waits(clients, settings, both)):
        print(f"deploy: {one_line(sentence)}")
    print("deploy: every property: .venv/bin/python -m infra.cdk diff --app cdk.out")
    if look:
        return
    if asks is not None and not asks(f"Deploy into {shown.where}? [y/N] "):
        raise NotDeployed("not deployed, as you said")
    now = caller(session)
    if now != shown:
        raise NotDeployed(
            f"the credentials are now those of {now.where}, as {now.arn}: nothing was deployed, begin again"
        )
    if now.ends_soon and not shown.ends_soon:  # the question waited long
        print(f"deploy: {next(now.told(os.environ))}")
    # Another synth may have written the folder meanwhile.
    if elsewhere := misplaced(assembly, now.installation, ("deploy",), is_local=now.is_local, lock=lock):
        raise NotDeployed(elsewhere)
    if (run or _run)([*ALWAYS, *now.arguments, *more], now.environment(os.environ)):
        raise NotDeployed(
            "CDK did not finish; it says why above, and CloudFormation takes an update back by itself → make doctor"
        )
    _afterwards(clients, settings, now.installation, lock)


def _waits(clients: Any, settings: Settings, both: list[Stack]) -> Iterator[str]:
    """What waits in the table, above all under names that are gone."""
    if both[0].was is None:
        return
    for finding in examine(clients, settings, [lists, waiting]):
        if finding.level != "ok" or finding.subject == "waiting":
            yield f"{finding.sentence}{f' → {finding.way_out}' if finding.way_out else ''}"


def _in_the_way(clients: Any, settings: Settings) -> Iterator[str]:
    """What makes CloudFormation refuse before it begins, or take a create back half-way."""
    for finding in examine(clients, settings, BEFOREHAND):
        if finding.level == "stop":
            yield "\n".join(
                [finding.sentence + (f" → {finding.way_out}" if finding.way_out else ""), *finding.commands]
            )


def _other_inbox(clients: Any, settings: Settings, both: list[Stack], known: Known, lock: str) -> Iterator[str]:
    """A lock of another installation, or of a gateway that is gone: the pool's invitations would name its inbox."""
    named = known.values.get(INBOX)
    if settings.public_base_url or not named:
        return
    here = "" if both[1].was is None else outputs(clients("cloudformation"), "PlacetGateway").get("InboxUrl", "")
    if here != named:
        way = ".venv/bin/python -m infra.doors writes it anew" if here else f"take {INBOX} out of it"
        whose = (
            ""
            if known.where
            else " → is it of another account or region: `python -m infra.doors` there writes that in it"
        )
        yield (
            f"{lock} says that the inbox{known.whose} is {named}, and here {f'it is {here}' if here else 'there is none yet'}: "
            f"invitations would lead there{whose} → is the lock old: {way}"
        )


def _afterwards(clients: Any, settings: Settings, installation: str, lock: Path) -> None:
    try:
        named = locked(installation, lock).values.get(INBOX)
        inbox = _written(clients, installation, lock)
        if inbox and inbox != named and not settings.public_base_url:
            since = "is elsewhere since this deploy" if named else "has an address only now"
            print(f"next: make deploy once more, and invitations name the inbox, which {since}")
        for step in next_steps(clients, settings):
            print(f"next: {step}")
    except (ClientError, BotoCoreError, SettingsError) as error:
        print(f"next: it is deployed, and what is left to do cannot be read ({error}): docs/deploy.md#first-deploy")


def _written(clients: Any, installation: str, lock: Path) -> str:
    """The inbox that the lock has now; nothing where it cannot be written."""
    try:
        was = whole_lock(lock)
        found = write_lock(clients("cloudformation"), installation, lock)
    except OSError as error:
        print(
            f"next: it is deployed, and {lock} cannot be written ({error.strerror}): from a checkout where it can, "
            ".venv/bin/python -m infra.doors, and commit it with the settings"
        )
        return ""
    print(f"deploy: {lock.name} says what is deployed; commit it with the settings")
    for sentence in upgraded(was, installation, lock):
        print(f"deploy: {sentence}")
    return str(found[INBOX])


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """The CDK command line in the version that set-up pins. Raises SynthError."""
    words = [*cdk.command(), "deploy", *arguments]
    return subprocess.run(words, env=cdk.environment(environ), check=False, cwd=ROOT).returncode  # noqa: S603 - our own words


def _ask(question: str) -> bool:
    if not sys.stdin.isatty():
        raise NotDeployed("nobody is here to be asked: say --yes (make deploy ARGS=--yes)")
    return input(question).strip().lower() in ("y", "yes")


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _say(text: str) -> int:
    print("".join(f"deploy: {one_line(line)}\n" for line in text.split("\n")), end="", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
