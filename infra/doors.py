"""Doors that open once: settings that a deployed installation cannot, or must not, change by the next deploy alone.

What is deployed stands in the metadata of the gateway's template, and from there in ``placet.lock.json`` beside ``placet.toml``,
which is committed with them, by account and region: so a synth, which asks no account, knows what a deploy of it would run into.

    python -m infra.doors [--region REGION]    # after a deploy: writes the file anew from what is deployed
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra.deployed import NotSaid, outputs, session_in
from infra.lock_file import Known, Lock, read_lock
from infra.registry import SettingsError
from infra.settings import Settings
from infra.settings_file import LOCKED, chosen

KEY = "PlacetDoors"
INBOX = "inbox"  # beside them in the lock: where people decide, which is known only once the API is there
CHOOSE = "PLACET_INSTALLATION=ACCOUNT/REGION before the command"
BY_HAND = frozenset({"login_domain_prefix", "require_mfa"})  # doors with a way through that is walked in the account
MFA = (
    "aws cognito-idp set-user-pool-mfa-config --user-pool-id {pool} --mfa-configuration ON "
    "--software-token-mfa-configuration Enabled=true"
)


def doors(settings: Settings) -> dict[str, Any]:
    """The settings that are such doors, as they stand in the template and in the lock."""
    return {
        "login_domain_prefix": settings.login_domain_prefix,
        "require_mfa": settings.require_mfa,
        "public_base_url": settings.public_base_url or "",
        "epoch": settings.epoch,
        "restored_table": settings.restored_table,
    }


def lock_file() -> Path:
    """Where it is written down what of these settings is deployed: placet.lock.json beside placet.toml."""
    return chosen().with_suffix(LOCKED)


def locked(installation: str = "", path: Path | None = None) -> Known:
    """What was deployed last in an account and region; nothing without a lock. Raises SettingsError as `whole_lock`."""
    return whole_lock(path).of(installation)


def whole_lock(path: Path | None = None) -> Lock:
    """Everything that the lock says; nothing without one. Raises SettingsError when the file is none that was written here."""
    path = path or lock_file()
    try:
        return read_lock(path.read_text("utf-8"))
    except FileNotFoundError:
        return Lock()
    except (OSError, UnicodeDecodeError) as error:
        said = f"cannot be read: {error}"
    except ValueError as error:
        said = str(error)
    raise SettingsError(f"{path.name} {said}; write it anew: python -m infra.doors")


def lock_told(installation: str, *, is_asked: bool) -> str:
    """A sentence on what a synth cannot hold against the lock, with the way; else nothing. Raises SettingsError.

    Args:
        is_asked: whether this goes straight to an account, so that nothing else compares.
    """
    path = lock_file()
    lock = whole_lock(path)
    if lock.unnamed:
        return (
            f"{path.name} names no account and no region: what it says is taken for wherever this is deployed; "
            "`make deploy` and `.venv/bin/python -m infra.doors` write them into it"
        )
    if not installation and len(lock.named) > 1:
        return (
            f"{path.name} knows {', '.join(sorted(lock.named))}, and nobody says for which this is made, so it is held against "
            f"none of them: `make deploy` says it by itself, a synth is told by {CHOOSE}"
        )
    if installation and installation not in lock.named and (lock.named or is_asked):
        return (
            f"{path.name} knows nothing of {installation}, so this is taken for the first deploy there. Is it none: "
            ".venv/bin/python -m infra.doors, or `make deploy`, which compares with what is deployed"
        )
    return ""


def closed(settings: Settings, deployed: Mapping[str, Any], pool: str = "POOL") -> Iterator[tuple[str, str]]:
    """(setting, sentence with a way out) for each door that the settings would go through and may not."""
    now = doors(settings)
    was = {name: deployed.get(name, value) for name, value in now.items()}
    if (prefix := now["login_domain_prefix"]) != (old := was["login_domain_prefix"]):
        yield (
            "login_domain_prefix",
            f"{old!r} is deployed, not {prefix!r}: a user pool has one domain, and CloudFormation makes the new one first, which "
            "fails. Delete the old one, then deploy at once, nobody signs in between: "
            f"aws cognito-idp delete-user-pool-domain --user-pool-id {pool} --domain {old}-ACCOUNT",
        )
    if now["require_mfa"] and not was["require_mfa"]:
        yield (
            "require_mfa",
            "the user pool was made without a demanded second factor, and an update may refuse to demand one. First: "
            f"{MFA.format(pool=pool)}",
        )
    if now["epoch"] < was["epoch"]:
        yield (
            "epoch",
            f"epoch {was['epoch']} is deployed, not {now['epoch']}: with a lower one permits of before the restore could be "
            f"spent again. Keep {was['epoch']}",
        )
    if now["restored_table"] != was["restored_table"]:
        yield from _other_table(now, was)


def _other_table(now: Mapping[str, Any], was: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not now["restored_table"]:
        yield (
            "restored_table",
            f"the records are in {was['restored_table']}: without it the functions go back to the table that was given up, and "
            "what waits now is seen by nobody. Keep restored_table and restored_stream",
        )
    elif now["epoch"] <= was["epoch"]:
        yield (
            "restored_table",
            f"{now['restored_table']} takes the place of another table, and permits that were used since look free in it. "
            f"Raise epoch above {was['epoch']}",
        )


def told(settings: Settings, deployed: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each change that a deploy makes at once and that people notice."""
    was, now = deployed.get("public_base_url"), doors(settings)["public_base_url"]
    if was is not None and was != now:
        yield (
            f"public_base_url: links that were mailed lead to {was or 'the address of the API'}; keep it answering until they are "
            "decided. Everybody signs in anew"
        )
    if deployed.get("require_mfa") and not settings.require_mfa:
        yield "require_mfa: with this deploy a password alone is enough to decide"


def check_doors(settings: Settings, known: Known) -> None:
    """Raises SettingsError when the settings would strand something that is deployed."""
    for name, sentence in closed(settings, known.values):
        raise SettingsError(
            f"{name}: {sentence}. Once that is done, take {name} out of {lock_file().name}{known.where and f', {known.where}'} "
            f"(docs/deploy.md){'' if not known.where else f'. Is another account or region meant: {CHOOSE}'}"
        )


def deployed_doors(cloudformation: Any) -> dict[str, Any]:
    """What the deployed gateway says of itself; nothing before there is one. Raises ClientError."""
    try:
        body = cloudformation.get_template(StackName="PlacetGateway")["TemplateBody"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return {}
        raise
    template = json.loads(body) if isinstance(body, str) else body
    return dict(template.get("Metadata", {}).get(KEY, {}))


def write_lock(cloudformation: Any, installation: str, path: Path | None = None) -> dict[str, Any]:
    """Writes down what is deployed in an account and region, beside what the lock says of others, and answers it.

    Raises ClientError, and SettingsError when there is nothing.
    """
    path = path or lock_file()
    found = deployed_doors(cloudformation)
    if not found:
        raise SettingsError("there is no deployed gateway that says what it was made from: deploy first")
    found[INBOX] = outputs(cloudformation, "PlacetGateway").get("InboxUrl", "")
    path.write_text(_readable(path).with_(installation, found).text, "utf-8")
    return found


def _readable(path: Path | None = None) -> Lock:
    """The lock, and nothing of one that nothing here wrote: it is written anew."""
    try:
        return whole_lock(path)
    except SettingsError:
        return Lock()


def upgraded(was: Lock, installation: str, path: Path) -> Iterator[str]:
    """A sentence when a lock that named no account was taken for that of an installation."""
    if was.unnamed:
        yield f"{path.name} named no account before: what it says is of {installation} now, and of no other"


def main() -> int:
    """Prints what was written."""
    parser = argparse.ArgumentParser(prog="python -m infra.doors", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--region", help="default: AWS_REGION, AWS_DEFAULT_REGION, or that of your profile")
    options = parser.parse_args()
    try:
        session = session_in(options.region)
        where = f"{session.client('sts').get_caller_identity()['Account']}/{session.region_name}"
        was = _readable()
        found = write_lock(session.client("cloudformation"), where)
    except (NotSaid, SettingsError, ClientError, BotoCoreError, OSError) as error:
        print(f"doors: {error}", file=sys.stderr)
        return 1
    for sentence in upgraded(was, where, lock_file()):
        print(f"doors: {sentence}")
    print(f"doors: {lock_file().name} says of {where}: {json.dumps(found)}; commit it with the settings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
