"""Commands that are not in this installation, and where they are."""

from __future__ import annotations

import click

IN_A_CHECKOUT = ("people", "away", "back", "reviewers")  # `placet.cli.directory`
ANYTHING = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
WAY_OUT = "It reads the deployed policy: run it in the checkout that the gateway is deployed from, as .venv/bin/placet {name}."


def commands(main: click.Group) -> None:
    """Add a command for each, which says so and ends with 2 whatever it is given."""
    for name in IN_A_CHECKOUT:
        main.add_command(_told(name))


def _told(name: str) -> click.Command:
    @click.command(name, context_settings=ANYTHING, help=WAY_OUT.format(name=name))
    def told() -> None:
        raise click.UsageError(f"placet {name} is not in this installation. {WAY_OUT.format(name=name)}")

    return told
