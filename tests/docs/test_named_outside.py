"""docs/deploy.md says of every setting that names something outside of the stacks who asks for it, and whether a deploy stops."""

from __future__ import annotations

import re

from infra import doctor
from infra.settings import Settings
from tests.docs.reading import ROOT

PAGE = (ROOT / "docs/deploy.md").read_text()
ROW = re.compile(r"^\| (`[^|]+) \| [^|]+ \| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|$", re.MULTILINE)
INSIDE = {  # they are numbers or switches, or name what nobody has to make first
    "public_base_url": "an address that is made afterwards, to lead to the API's",
    "epoch": "a number",
    "attach_to_roles": "a switch; the roles have a row",
    "alarm_mail": "a mailbox: AWS writes to it, and doctor cannot ask for one",
    "mail_sandbox": "a switch",
    "require_mfa": "a switch",
    "log_days": "a number",
    "most_open": "a number",
    "requests_per_second": "numbers",
    "stream_parallelization": "a number",
}


def rows() -> list[tuple[set[str], set[str], str]]:
    """(settings, doctor's subjects, whether a deploy stops) of each row."""
    return [
        (set(re.findall(r"`(\w+)`", first.partition(":")[0])), set(re.findall(r"\w+", subjects)), stops.strip())
        for first, subjects, stops in ROW.findall(PAGE)
    ]


def test_every_setting_has_a_row_or_is_no_name_of_anything() -> None:
    named = set().union(*(settings for settings, _, _ in rows()))
    assert named | INSIDE.keys() == set(Settings.model_fields)
    assert named & INSIDE.keys() == set()


def test_a_row_says_who_asks_and_what_a_deploy_does() -> None:
    asks = {probe.__name__ for probe in doctor.PROBES}
    stop = {probe.__name__ for probe in doctor.BEFOREHAND}
    assert len(rows()) == 11
    for settings, subjects, stops in rows():
        assert subjects <= asks, settings
        if stops == "yes":
            assert subjects <= stop, settings
        elif stops == "no":
            assert subjects - {"agents"} <= asks - stop, settings  # functions are a look, whatever the roles are
        else:
            assert stops == "with `attach_to_roles`"
            assert subjects <= stop
