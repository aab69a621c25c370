"""Where settings stand: each mistake is a line that says what to do, and nothing of the example goes into an account."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from infra import app, settings_file, synth
from infra.settings import Settings, SettingsError
from infra.settings_file import EXAMPLE, OWN, ROOT, VARIABLE, SettingsFile, chosen, deployable, moved, read
from tests.infra.conftest import UNBUNDLED, example

MINE = """
mail_from = "placet@acme.test"
login_domain_prefix = "placet"
[[agents]]
name = "desk"
role = "desk"
owner = "ops@acme.test"
framework = "langchain"
target = { kind = "pick_up" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with the example alone."""
    (tmp_path / EXAMPLE).write_text((ROOT / EXAMPLE).read_text())
    return tmp_path


def mistakes(text: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        Settings.of(tomllib.loads(text), OWN)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'placet.toml: mail_from is missing; write the sender of mails to reviewers: mail_from = "placet@your-company.com"'),
        (f'epoh = 2\n{MINE}', "placet.toml: there is no setting epoh; epoch was meant"),
        (f'colour = "blue"\n{MINE}', "placet.toml: there is no setting colour; take it out"),
        (f'mail_sandbox = "no"\n{MINE}', "placet.toml: mail_sandbox must be true or false, without quotes, not 'no'"),
        (f'log_days = "90"\n{MINE}', "placet.toml: log_days must be a whole number, without quotes, not '90'"),
        (f"log_days = 91\n{MINE}", "placet.toml: log_days must be one of 7, 14, 30, 60, 90, not 91"),
        (f"epoch = true\n{MINE}", "placet.toml: epoch must be a whole number, without quotes, not True"),
        (f"alarm_mail = 3\n{MINE}", "placet.toml: alarm_mail must be text in quotes, not 3"),
        (f'alarm_mail = "ops"\n{MINE}', "placet.toml: alarm_mail must be a mail address, "
         "name@example.com with its domain in small letters, not 'ops'"),
        (f'operators = "olga"\n{MINE}', "placet.toml: operators must be a list: [\"one\", \"other\"], not 'olga'"),
        (f"reserved_concurrency = 5\n{MINE}", "placet.toml: reserved_concurrency must be a table: { decide = 5 }, not 5"),
        (f'reserved_concurrency = {{ decide = "5" }}\n{MINE}',
         "placet.toml: reserved_concurrency.decide must be a whole number, without quotes, not '5'"),
        (MINE.replace("role =", "rol ="), "placet.toml: agents: desk: an agent has no rol; role was meant"),
        (MINE.replace('role = "desk"\n', ""), "placet.toml: agents: desk: needs role"),
        (MINE.replace('"desk"\nrole', "4\nrole"), "placet.toml: agents: entry 1: name must be text in quotes, not 4"),
        (MINE.replace('"pick_up"', '"push"'),
         "placet.toml: agents: target of desk must have a kind: one of bedrock, bedrock_inline, lambda, pick_up, sqs, webhook"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_line_with_file_key_and_what_to_write(text: str, sentence: str) -> None:
    assert sentence in mistakes(text)


def test_every_mistake_is_told_at_once() -> None:
    assert len(mistakes('log_days = 1\nepoh = 1\nmail_from = "nobody"')) == 4


def test_a_file_that_is_no_toml_or_not_there_says_where_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / OWN).write_text("mail_from = placet@acme.test\n")
    with pytest.raises(SettingsError, match=rf"{OWN} is no TOML: .*line 1.*Text stands in quotes"):
        read(tmp_path / OWN)
    with pytest.raises(SettingsError, match=f"is not there: cp {EXAMPLE} {OWN}"):
        read(tmp_path / "other.toml")


def test_your_own_file_is_taken_before_the_example_and_a_named_one_before_both(folder: Path) -> None:
    assert chosen({}, folder) == folder / EXAMPLE
    (folder / OWN).write_text(MINE)
    assert chosen({}, folder) == folder / OWN
    assert chosen({VARIABLE: "/etc/placet.toml"}, folder) == Path("/etc/placet.toml")
    assert chosen({VARIABLE: EXAMPLE}, folder) == folder / EXAMPLE


def test_an_account_takes_no_example(folder: Path) -> None:
    with pytest.raises(SettingsError, match=f"{OWN} is not there, and an account takes no example: cp {EXAMPLE} {OWN}"):
        deployable({}, folder)
    with pytest.raises(SettingsError, match=f"{VARIABLE} names the example"):
        deployable({VARIABLE: EXAMPLE}, folder)
    (folder / OWN).write_text((ROOT / EXAMPLE).read_text())
    with pytest.raises(SettingsError) as caught:
        deployable({}, folder)
    told = [line.partition(": ")[2].partition(" is ")[0] for line in str(caught.value).splitlines()]
    assert told == [
        *("mail_from", "agents.support-agent.owner", "agents.billing-agent.owner", "agents.refund-desk.owner"),
        "agents.refund-desk.target.agent_id",
    ]
    (folder / OWN).write_text(MINE)
    assert [one.name for one in deployable({}, folder).agents] == ["desk"]


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("a@example.com", True), ("a@mail.EXAMPLE.org", True), ("https://hooks.example.com/x", True), ("https://example", True),
        ("AGENT12345", True), ("a@acme.com", False), ("a@counterexample.com", False), ("https://acme.com/example.com", False),
        ("placet-example", False), ("a@example.com.acme.com", False),
    ],
)  # fmt: skip
def test_what_an_example_is(value: str, is_one: bool) -> None:
    assert bool(SettingsFile(Path(OWN), {"public_base_url": value}).examples) is is_one


def test_the_example_is_whole_and_has_every_kind_of_key_in_it() -> None:
    text = (ROOT / EXAMPLE).read_text()
    assert Settings.of(example()).agents
    said = {line.lstrip("# ").partition(" =")[0].strip("[]") for line in text.splitlines() if line.strip()}
    assert set(Settings.model_fields) <= said
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line or "# [[" in line else line for line in text.splitlines()
    )
    assert Settings.of(tomllib.loads(uncommented.replace("epoch = 1", "epoch = 2"))).sinks, (
        "what is commented out is right too"
    )


def test_settings_of_an_older_cdk_json_are_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = {
        **example(),
        "public_base_url": None,
        "restored_table": "",
        "reserved_concurrency": {"decide": 5},
    }
    assert Settings.of(tomllib.loads(moved(context))) == Settings.of(context)
    odd = {"permissions_boundary": 'Quo"ted\x7f'}
    assert tomllib.loads(moved(odd)) == odd
    (tmp_path / "cdk.json").write_text(json.dumps({"context": {"placet": context}}))
    assert "now take context.placet out of cdk.json" in settings_file._move(tmp_path)
    assert read(tmp_path / OWN).settings == Settings.of(context)
    with pytest.raises(SettingsError, match=f"{OWN} is there already"):
        settings_file._move(tmp_path)
    with pytest.raises(SettingsError, match="nothing to move"):
        settings_file._move(ROOT)


def test_a_context_of_an_older_release_is_refused_with_the_way_to_move_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"infra\.settings_file move; then take context.placet out"):
        app.placet(Settings.of(example()), {**UNBUNDLED, "placet": {"mail_from": "a@b.c"}}, outdir=str(tmp_path))


def test_cdk_json_is_the_releases_alone_and_invites_to_no_hotswap() -> None:
    file = json.loads((ROOT / "cdk.json").read_text())
    assert set(file) == {"app", "context"}
    assert not [key for key in file["context"] if not key.startswith("@aws-cdk")]
    assert OWN in (ROOT / ".gitignore").read_text().splitlines()


def run(command: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in (VARIABLE, "PYTHONPATH")}
    return subprocess.run(command, shell=True, cwd=folder, env={**kept, **environ}, capture_output=True, text=True)  # noqa: S602


def test_the_app_of_cdk_json_says_what_to_do_before_set_up(tmp_path: Path) -> None:
    done = run(json.loads((ROOT / "cdk.json").read_text())["app"], tmp_path)
    assert (done.returncode, done.stderr) == (
        1, "placet: run `make setup` first: it makes .venv, which the stacks are written with\n",
    )  # fmt: skip


def test_a_python_without_cdk_gets_one_sentence() -> None:
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    done = run(f"{base} -I -c \"import sys; sys.path.insert(0, '.'); exec(open('app.py').read())\"", ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith("placet: ")
    assert done.stderr.endswith("Run `make setup`, and then: .venv/bin/python app.py\n")
    assert done.stderr.count("\n") == 1


def test_the_command_line_of_cdk_gets_no_example() -> None:
    given = {key: value for key, value in synth.jsii().items()}
    done = run(f"{sys.executable} app.py", ROOT, CDK_CLI_VERSION="2.1000.0", PYTHONPATH=os.environ.get("PYTHONPATH", ""), **given,
               **{VARIABLE: EXAMPLE})  # fmt: skip
    assert (done.returncode, done.stderr.splitlines()) == (
        1, [f"placet: {VARIABLE} names the example, and an account takes no example: "
            f"cp {EXAMPLE} {OWN}, and make it yours (docs/deploy.md#settings)"],
    )  # fmt: skip
