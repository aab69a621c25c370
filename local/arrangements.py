"""What is arranged around a deployment on this machine: layers for its processor before it, the sender's identity after it."""

from __future__ import annotations

from pathlib import Path

from local.assembly import Asset
from local.assets import zipped
from local.deployment import Deployment
from local.layers import for_this_machine, holds_rules, is_layer, with_rules
from local.settings import LocalSettings


def exchange_layers(deployment: Deployment) -> None:
    """Put each layer, made for this machine, where the emulator looks for it: under its asset's key."""
    folder = deployment.settings.exchanged
    folder.mkdir(parents=True, exist_ok=True)
    for stack in deployment.stacks:
        for asset in stack.assets:
            if asset.zipped and is_layer(asset.source):
                _exchange(deployment.settings, asset, folder / asset.key)


def _exchange(settings: LocalSettings, asset: Asset, place: Path) -> None:
    source, cache = lay_rules(settings, asset.source), settings.home / "cache"
    made = zipped(for_this_machine(source, cache), cache / "assets")
    place.unlink(missing_ok=True)
    place.symlink_to(made)


def lay_rules(settings: LocalSettings, source: Path) -> Path:
    """The policy's layer with the rules of the settings over the shipped ones; any other folder, or without rules, itself."""
    if settings.rules is None or not holds_rules(source):
        return source
    return with_rules(source, settings.rules, settings.home / "cache")


def verify_mail_identity(deployment: Deployment) -> None:
    """Verify the sender that the functions were given."""
    mail = deployment.aws.client("ses")
    for sender in {one for stack in deployment.stacks for one in stack.told("PLACET_MAIL_FROM")}:
        mail.verify_email_identity(EmailAddress=sender)
