"""An assembly says what it was made from and where it belongs, and is taken nowhere else, by any CDK command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest

from infra import app, cdk, places
from infra.cdk_caller import caller
from infra.made_from import (
    MANIFEST,
    NOBODYS,
    OF_EXAMPLE,
    VARIABLE,
    Made,
    named_installation,
    read_made,
    settings_digest,
    write_made,
)
from infra.names import EXAMPLE, TEMPLATE
from infra.places import assembly_in, misplaced
from infra.registry import SettingsError
from infra.settings_file import EXAMPLE as EXAMPLE_FILE
from infra.settings_file import ROOT, SettingsFile
from infra.synth import SynthError
from local.settings import ACCOUNT
from tests.infra.aws_double import Account, Answer
from tests.infra.test_settings_file import MINE

HERE, THERE = "123456789012/eu-central-1", "999999999999/eu-central-1"
WHO: dict[str, Answer] = {"sts.GetCallerIdentity": {"Account": "123456789012", "Arn": "arn:aws:iam::1:user/me"}}
OF_MINE = Made("sha256:0")


def made(folder: Path, what: Made) -> Path:
    """A folder that is an assembly of one stack, as far as anybody asks."""
    folder.mkdir(exist_ok=True)
    stack = {"type": "aws:cloudformation:stack", "environment": "aws://unknown-account/unknown-region"}
    (folder / MANIFEST).write_text(json.dumps({"artifacts": {"S": stack, "T": {"type": "cdk:tree"}}}))
    write_made(folder, what)
    return folder


def environment(folder: Path) -> str:
    return str(json.loads((folder / MANIFEST).read_text())["artifacts"]["S"]["environment"])


@pytest.mark.parametrize(
    ("what", "where"),
    [
        (Made(OF_EXAMPLE), "aws://000000000000/unknown-region"),
        (Made("sha256:0", ("mail_from",), HERE), "aws://000000000000/unknown-region"),
        (Made("sha256:0", (), HERE), "aws://123456789012/eu-central-1"),
        (OF_MINE, "aws://unknown-account/unknown-region"),
    ],
)
def test_what_was_said_is_read_again_and_the_manifest_says_where(tmp_path: Path, what: Made, where: str) -> None:
    assert (read_made(made(tmp_path, what)), environment(tmp_path)) == (what, where)


def test_the_account_of_examples_is_the_local_modes() -> None:
    assert NOBODYS == ACCOUNT


def test_an_assembly_of_an_older_release_says_no_more_than_that_it_is_the_examples(tmp_path: Path) -> None:
    assert read_made(tmp_path) == Made()
    for example in (True, False):
        (tmp_path / TEMPLATE).write_text(json.dumps({"Metadata": {EXAMPLE: True} if example else {}}))
        assert read_made(tmp_path).is_example is example
    (tmp_path / TEMPLATE).write_text("[]")
    assert read_made(tmp_path) == Made()


def test_settings_are_known_again_by_their_values_alone() -> None:
    one, two = (
        SettingsFile(Path(name), {"epoch": 1, "mail_from": "a"} if name == "a" else {"mail_from": "a", "epoch": 1})
        for name in "ab"
    )
    assert settings_digest(one) == settings_digest(two)
    assert settings_digest(one) != settings_digest(SettingsFile(Path("a"), {"epoch": 2, "mail_from": "a"}))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", Made(OF_EXAMPLE)),
        (MINE, Made("digest", (), HERE)),
        (MINE.replace("acme.test", "example.com"), Made("digest", ("mail_from", "agents.desk.owner"), HERE)),
    ],
)
def test_a_synth_writes_it_down(text: str, wanted: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "placet.toml"
    file.write_text(text)
    monkeypatch.setenv("PLACET_SETTINGS", str(file) if text else EXAMPLE_FILE)
    monkeypatch.setenv(VARIABLE, HERE)
    out = made(tmp_path / "out", OF_MINE)
    seen: dict[str, Any] = {}
    monkeypatch.setattr(app, "placet", lambda settings, **more: seen.update(more) or SimpleNamespace(
        synth=lambda: SimpleNamespace(directory=str(out))))  # fmt: skip
    app.main()
    found = read_made(out)
    assert (found.examples, found.installation, found.is_example) == (
        wanted.examples, wanted.installation, wanted.is_example,
    )  # fmt: skip
    assert found.settings.startswith("sha256:" if text else OF_EXAMPLE)
    assert seen == {"example": not text, "installation": HERE}


def test_for_whom_a_synth_is() -> None:
    by_cli = {"CDK_CLI_VERSION": "2.1", "CDK_DEFAULT_ACCOUNT": "123456789012", "CDK_DEFAULT_REGION": "eu-central-1"}
    assert named_installation({}) == ""
    assert named_installation(by_cli) == HERE
    assert named_installation({**by_cli, VARIABLE: THERE}) == THERE
    assert named_installation({**by_cli, "CDK_CLI_VERSION": ""}) == ""
    assert named_installation({"CDK_CLI_VERSION": "2.1", "CDK_DEFAULT_REGION": "eu-central-1"}) == ""
    for wrong in ("123456789012", "12345678901/eu-central-1", "123456789012/eu-central-1\n", "prod"):
        with pytest.raises(SettingsError, match="must be an account and a region"):
            named_installation({VARIABLE: wrong})


# --- python -m infra.cdk ----------------------------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Account:
    account = Account(WHO)
    monkeypatch.setattr(cdk, "command", lambda: ["cdk"])
    monkeypatch.setattr(cdk, "session_in", lambda region: account)
    return account


NAMED = [["--app", "OUT"], ["--app=OUT"], ["-a", "OUT"], ["-a=OUT"], ["-aOUT"]]


@pytest.mark.parametrize("command", ["deploy", "diff", "destroy", "import"])
@pytest.mark.parametrize("named", NAMED, ids=" ".join)
@pytest.mark.usefixtures("asked")
def test_an_examples_assembly_goes_to_no_account(command: str, named: list[str], tmp_path: Path) -> None:
    for what, says in (
        (Made(OF_EXAMPLE), "out was made from the example of the settings, .*cp placet.example.toml placet.toml"),
        (Made("sha256:0", ("mail_from",)), "out still has examples in mail_from of the settings, .*make synth"),
    ):
        words = [one.replace("OUT", str(made(tmp_path / "out", what))) for one in named]
        with pytest.raises(SynthError, match=f"{says}"):
            cdk.call([command, "--all", *words], {})
    made(tmp_path / "out", OF_MINE)
    assert cdk.call([command, "--all", *words], {})[0][:2] == ["cdk", command]


def test_the_emulator_of_this_machine_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, home = made(tmp_path, Made(OF_EXAMPLE)), f"{ACCOUNT}/us-east-1"
    assert misplaced(out, home, ["deploy"], is_local=True) == ""
    assert misplaced(out, home, ["deploy"], is_local=False)
    assert misplaced(out, HERE, ["deploy"], is_local=True), "a way to AWS through this machine"
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    assert not caller(Account(WHO)).is_local
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    assert caller(Account(WHO)).is_local
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://sts.example.com")
    assert not caller(Account(WHO)).is_local


@pytest.mark.usefixtures("asked")
def test_an_assembly_of_another_account_or_region_is_refused_with_what_to_say(tmp_path: Path) -> None:
    words = ["deploy", "--app", str(made(tmp_path / "out", Made("sha256:0", (), THERE)))]
    with pytest.raises(SynthError, match=f"out was made for {THERE}, .* of {HERE}: {VARIABLE}={HERE} make synth"):
        cdk.call(words, {})
    made(tmp_path / "out", Made("sha256:0", (), HERE))
    assert cdk.call(words, {})


@pytest.mark.usefixtures("asked")
def test_one_that_was_made_without_what_the_lock_knows_is_not_deployed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would forget the versions that were deployed, and its invitations name no inbox."""
    monkeypatch.setenv("PLACET_SETTINGS", str(tmp_path / "mine.toml"))
    out = str(made(tmp_path / "out", OF_MINE))
    lock = {"installations": {THERE: {"epoch": 1}, HERE: {"epoch": 1}}}
    (tmp_path / "mine.lock.json").write_text(json.dumps(lock))
    with pytest.raises(SynthError, match=f"without what the lock says is deployed in {HERE}: {VARIABLE}={HERE}"):
        cdk.call(["deploy", "--app", out], {})
    assert cdk.call(["diff", "--app", out], {})
    del lock["installations"][HERE]
    (tmp_path / "mine.lock.json").write_text(json.dumps(lock))
    assert cdk.call(["deploy", "--app", out], {})


@pytest.mark.usefixtures("asked")
def test_other_settings_than_those_that_stand_here_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    monkeypatch.setenv("PLACET_SETTINGS", str(tmp_path / "mine.toml"))
    of_it = settings_digest(places.read(tmp_path / "mine.toml"))
    for digest, is_said in ((of_it, False), ("sha256:0", True)):
        cdk.call(["deploy", "--app", str(made(tmp_path / "out", Made(digest)))], {})
        assert ("made from other settings than" in capsys.readouterr().err) is is_said


@pytest.mark.usefixtures("asked")
def test_a_bootstrap_is_of_the_place_that_was_shown_whatever_lies_there(tmp_path: Path) -> None:
    words = ["bootstrap", "--app", str(made(tmp_path / "out", Made(OF_EXAMPLE)))]
    assert f"aws://{HERE}" in cdk.call(words, {})[0]
    assert f"aws://{HERE}" not in cdk.call([*words, f"aws://{THERE}"], {})[0]


def test_what_is_synthesized_by_the_command_line_is_no_folder(tmp_path: Path) -> None:
    for words in ([], ["--all"], ["--app"], ["--app", "python app.py"], ["--all", "-a", str(tmp_path)], ["-v", "x"]):
        assert assembly_in(["deploy", *words]) is None


# --- any CDK command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def sts() -> Iterator[tuple[str, list[str]]]:
    """An STS that knows its caller as 111122223333 and lets nobody into a role, and what was asked of it, by role or operation."""
    asked: list[str] = []
    identity = (
        "<GetCallerIdentityResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><GetCallerIdentityResult>"
        "<Arn>arn:aws:sts::111122223333:assumed-role/ci/run</Arn><UserId>A</UserId><Account>111122223333</Account>"
        "</GetCallerIdentityResult></GetCallerIdentityResponse>"
    )
    denied = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>denied</Message></Error></ErrorResponse>"

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = parse_qs(self.rfile.read(int(self.headers.get("content-length", 0))).decode())
            action = query.get("Action", [self.headers.get("x-amz-target", "?")])[0]
            asked.append(query.get("RoleArn", [action])[0])
            known = action == "GetCallerIdentity"
            self.send_response(200 if known else 403)
            self.send_header("content-type", "text/xml")
            self.end_headers()
            self.wfile.write((identity if known else denied).encode())

        do_GET = do_PUT = do_POST

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("what", "role_of"), [(Made(OF_EXAMPLE), "000000000000"), (OF_MINE, "111122223333")])
def test_cdk_itself_takes_it_into_no_other_account(
    what: Made, role_of: str, assembly: Path, sts: tuple[str, list[str]], tmp_path: Path
) -> None:
    """Plain `cdk deploy --app cdk.out`: it asks for its deploy role in the account of the assembly, and ends without it.

    The last one belongs nowhere, so the role of the caller's own account is asked for, and without it CDK goes on.
    """
    url, asked = sts
    for file in assembly.glob("*.json"):
        shutil.copyfile(file, tmp_path / file.name)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    for one in manifest["artifacts"].values():
        one.get("properties", {}).pop("stackTemplateAssetObjectUrl", None)  # nothing is published
        one["dependencies"] = []
    kept = {name: one for name, one in manifest["artifacts"].items() if name == "PlacetData"}
    (tmp_path / MANIFEST).write_text(json.dumps({**manifest, "artifacts": kept}))
    write_made(tmp_path, what)
    keys = {
        "AWS_ACCESS_KEY_ID": "A",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_REGION": "eu-central-1",
        "CDK_HOME": str(tmp_path / "home"),
    }
    given = {**keys, "AWS_ENDPOINT_URL": url, "AWS_MAX_ATTEMPTS": "1", "CI": "true"}
    words = [*cdk.command(), "deploy", "--all", "--app", str(tmp_path), "--require-approval", "never", "--no-notices"]
    done = subprocess.run(words, env=cdk.environment(given), capture_output=True, text=True, cwd=ROOT)
    roles = {one.split(":")[4] for one in asked if "deploy-role" in one}
    assert (done.returncode, roles) == (1, {role_of}), done.stderr[-800:]
    went_on = any(":role/" not in one and one != "GetCallerIdentity" for one in asked)
    assert went_on is (what == OF_MINE), asked
