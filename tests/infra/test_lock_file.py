"""The lock says whose it is: each account and region has an entry, none is held against another, and an old one is named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra import deploy, doors, synth
from infra.deploy import NotDeployed
from infra.lock_file import INSTALLATIONS, Known, Lock, read_lock
from infra.made_from import MANIFEST, OF_EXAMPLE, VARIABLE, Made, write_made
from infra.registry import SettingsError
from infra.settings import Settings
from tests.infra.deploying import OUT, Aws, Cdk, settings, template, written

HERE, THERE, WEST = "123456789012/eu-central-1", "999999999999/eu-central-1", "123456789012/us-west-2"
COLLEAGUES = {"login_domain_prefix": "theirs", "epoch": 7, "inbox": "https://theirs.test/inbox"}


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the lock of the settings of this test is."""
    monkeypatch.setenv("PLACET_SETTINGS", str(tmp_path / "mine.toml"))
    return tmp_path / "mine.lock.json"


@pytest.fixture
def assembly(tmp_path: Path) -> Callable[[Settings], Path]:
    return lambda made: written(tmp_path, made)


def held(lock: Path, **named: dict[str, Any]) -> None:
    known = {"HERE": HERE, "THERE": THERE, "WEST": WEST}
    lock.write_text(json.dumps({INSTALLATIONS: {known[name]: one for name, one in named.items()}}))


def test_what_is_written_is_read_again_whatever_the_order() -> None:
    one = Lock().with_(THERE, {"epoch": 7}).with_(HERE, {"epoch": 1})
    assert read_lock(one.text) == one
    assert one.text == Lock().with_(HERE, {"epoch": 1}).with_(THERE, {"epoch": 7}).text
    assert list(json.loads(one.text)[INSTALLATIONS]) == [HERE, THERE]


def test_of_whom_something_is_known() -> None:
    two, sole, old = (
        Lock({HERE: {"epoch": 1}, THERE: {"epoch": 7}}),
        Lock({THERE: {"epoch": 7}}),
        Lock({}, {"epoch": 7}),
    )
    assert [one.of(HERE) for one in (two, sole, old, Lock())] == [
        Known({"epoch": 1}, HERE), Known({}, HERE), Known({"epoch": 7}), Known({}, HERE),
    ]  # fmt: skip
    assert [one.of() for one in (two, sole, old, Lock())] == [
        Known(), Known({"epoch": 7}, THERE), Known({"epoch": 7}), Known(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"installations": [], "epoch": 1}', "has 'epoch' beside installations"),
        ('{"installations": []}', "installations that are not all objects named like 123456789012/eu-central-1"),
        ('{"installations": {"prod": {}}}', "named like"),
        ('{"installations": {"123456789012/eu-central-1": 5}}', "not all objects"),
        ('{"installations": {"123456789012/eu-central-1": {"epoch": "5"}}}', "as epoch, which is a whole number"),
        (
            '{"installations": {"123456789012/eu-central-1": {"installations": {}}}}',
            "'installations', which is none of",
        ),
        ('{"installations": {"123456789012/eu-central-1": {}, "123456789012/eu-central-1": {}}}', "eu-central-1 twice"),
    ],
)
def test_entries_that_nothing_wrote_are_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_lock(text)


# --- synth ------------------------------------------------------------------------------------------------------------


def test_a_lock_of_another_account_is_not_held_against_this_one(lock: Path) -> None:
    held(lock, THERE=COLLEAGUES)
    mine = settings()
    doors.check_doors(mine, doors.locked(HERE))
    for said in (THERE, ""):  # the only one, when nobody says
        with pytest.raises(
            SettingsError, match=f"'theirs' is deployed.*out of {lock.name}, {THERE} .*PLACET_INSTALLATION="
        ):
            doors.check_doors(mine, doors.locked(said))
    held(lock, THERE=COLLEAGUES, HERE={"epoch": 3})
    with pytest.raises(SettingsError, match="epoch 3 is deployed"):
        doors.check_doors(mine, doors.locked(HERE))
    doors.check_doors(mine, doors.locked())


def test_another_region_and_another_prefix_are_others_too(lock: Path) -> None:
    held(lock, WEST={"login_domain_prefix": "west"}, HERE={"login_domain_prefix": "placet"})
    doors.check_doors(settings(), doors.locked(HERE))
    doors.check_doors(settings(login_domain_prefix="west"), doors.locked(WEST))
    with pytest.raises(SettingsError, match="'placet' is deployed, not 'west'"):
        doors.check_doors(settings(login_domain_prefix="west"), doors.locked(HERE))


@pytest.mark.parametrize(
    ("content", "installation", "is_asked", "says"),
    [
        (None, "", False, ""), (None, HERE, False, ""), (None, "", True, ""),
        (None, HERE, True, f"knows nothing of {HERE}, so this is taken for the first deploy there"),
        ({"epoch": 1}, HERE, False, "names no account and no region: .*infra.doors` write them into it"),
        ({INSTALLATIONS: {THERE: {}}}, "", False, ""), ({INSTALLATIONS: {THERE: {}}}, THERE, True, ""),
        ({INSTALLATIONS: {THERE: {}}}, HERE, False, f"knows nothing of {HERE}, .*infra.doors, or `make deploy`"),
        ({INSTALLATIONS: {HERE: {}, THERE: {}}}, "", False,
         f"knows {HERE}, {THERE}, and nobody says for which .*PLACET_INSTALLATION=ACCOUNT/REGION"),
    ],
)  # fmt: skip
def test_what_a_synth_cannot_compare_is_said(
    lock: Path, content: Any, installation: str, is_asked: bool, says: str
) -> None:
    if content is not None:
        lock.write_text(json.dumps(content))
    found = doors.lock_told(installation, is_asked=is_asked)
    assert bool(found) is bool(says)
    assert re.search(says, found), found


def test_an_assembly_of_elsewhere_is_made_anew(lock: Path) -> None:
    assert synth.fingerprint(synth.ROOT, HERE) != synth.fingerprint(synth.ROOT, THERE)
    held(lock, HERE={})
    assert synth._meant("") == ("", HERE)
    assert synth._meant(THERE) == (THERE, THERE)
    lock.write_text("{")
    with pytest.raises(synth.SynthError, match="is no JSON"):
        synth._meant("")


def test_the_app_is_told_for_whom_it_synthesizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, str] = {}

    def started(words: list[str], env: dict[str, str], **_: Any) -> SimpleNamespace:
        told.update(env)
        return SimpleNamespace(communicate=lambda: ("", ""), returncode=0)

    monkeypatch.setattr(synth.subprocess, "Popen", started)
    synth._run_app(tmp_path, HERE)
    assert told[VARIABLE] == HERE


# --- deploy -----------------------------------------------------------------------------------------------------------


def test_a_first_deploy_beside_a_colleagues_adds_an_entry_and_leaves_theirs(
    lock: Path, assembly: Callable[[Settings], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    held(lock, THERE=COLLEAGUES)
    made, aws = settings(), Aws()
    cdk = Cdk(aws, assembly(made))
    deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
    assert len(cdk.told) == 1
    found = read_lock(lock.read_text()).named
    assert (list(found), found[THERE]) == ([HERE, THERE], COLLEAGUES)
    assert found[HERE]["inbox"] == OUT["PlacetGateway"]["InboxUrl"]
    assert "named no account" not in capsys.readouterr().out


def test_an_assembly_that_became_the_examples_while_somebody_was_asked_is_not_deployed(
    lock: Path, assembly: Callable[[Settings], Path]
) -> None:
    """`make demo` in another terminal synthesizes into the same folder."""
    made, aws = settings(), Aws()
    cdk = Cdk(aws, assembly(made))

    def meanwhile(question: str) -> bool:
        (cdk.assembly / MANIFEST).write_text('{"artifacts": {}}')
        write_made(cdk.assembly, Made(OF_EXAMPLE))
        return True

    with pytest.raises(NotDeployed, match="was made from the example of the settings"):
        deploy.deploy(aws, made, asks=meanwhile, run=cdk, assembly=cdk.assembly, lock=lock)
    assert cdk.told == []


def test_an_old_lock_works_and_is_named_by_the_next_deploy(
    lock: Path, assembly: Callable[[Settings], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    made = settings()
    lock.write_text(json.dumps({**doors.doors(made), "inbox": OUT["PlacetGateway"]["InboxUrl"]}))
    assert doors.locked(HERE).values["login_domain_prefix"] == "placet"
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(made))
    cdk = Cdk(aws, assembly(made))
    for is_first in (True, False):
        deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
        said = capsys.readouterr().out
        assert (f"deploy: {lock.name} named no account before: what it says is of {HERE} now" in said) is is_first
        assert list(read_lock(lock.read_text()).named) == [HERE]


def test_an_old_lock_whose_inbox_is_elsewhere_is_nobodys_here(lock: Path, assembly: Callable[[Settings], Path]) -> None:
    made = settings()
    lock.write_text(json.dumps({**doors.doors(made), "inbox": "https://theirs.test/inbox"}))
    aws = Aws()
    cdk = Cdk(aws, assembly(made))
    with pytest.raises(NotDeployed, match=r"is it of another account or region: `python -m infra\.doors` there"):
        deploy.deploy(aws, made, run=cdk, assembly=cdk.assembly, lock=lock)
    assert cdk.told == []
    assert read_lock(lock.read_text()).unnamed


def test_the_command_writes_the_entry_of_its_account(
    lock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    aws = Aws(PlacetData={"Resources": {}}, PlacetGateway=template(settings()))
    monkeypatch.setattr(doors, "session_in", lambda region: aws)
    monkeypatch.setattr("sys.argv", ["doors"])
    for before in (None, "{", json.dumps({"epoch": 1}), json.dumps({INSTALLATIONS: {THERE: COLLEAGUES}})):
        if before is not None:
            lock.write_text(before)
        assert doors.main() == 0
        told = capsys.readouterr().out
        assert f"says of {HERE}: " in told
        assert ("named no account before" in told) is (before == '{"epoch": 1}')
        assert set(read_lock(lock.read_text()).named) == ({HERE, THERE} if before and "theirs" in before else {HERE})
