"""A policy that takes a value from the machine of the synth would be another one in the functions: refused, with where."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from infra import app, policy_runtime, policy_values
from infra.policy_file import CORE, POLICY, check_alone, deployed_policy
from infra.registry import SettingsError
from infra.settings import Settings

SHIPPED = POLICY.read_text("utf-8")
LIMIT = '"amount", Decimal(100)'
RULE = 'Always("general/delete", "Deleting records is always looked at.")'
ELSEWHERE = "if {there}:\n    X = 100\nelse:\n    X = 10**9\n"
OWN = """
import os
from dataclasses import dataclass
LIMIT = int(os.environ.get("PLACET_TEST_LIMIT", "7"))
@dataclass(frozen=True)
class Mine:
    id: str = "general/mine"
    sentence: str = "Mine."
    def fires(self, arguments, facts):
        return len(arguments) > LIMIT
"""


def refused(folder: Path, text: str) -> str:
    path = folder / "placet_policy.py"
    path.write_text(text, "utf-8")
    policy = deployed_policy(path)
    with pytest.raises(SettingsError) as error:
        check_alone(policy, path)
    said = str(error.value)
    assert said.startswith("policy: placet_policy.py: ")
    assert said.endswith("; write it into the policy, or into a file beside it")
    assert len(said.splitlines()) == 1
    return said


def limited(before: str) -> str:
    return before + SHIPPED.replace(LIMIT, '"amount", Decimal(X)', 1)


OTHER = "rules.0.above is Decimal('100') here and Decimal('1000000000') there"


@pytest.mark.parametrize(
    ("before", "says"),
    [
        ("import os\nX = int(os.environ['PLACET_TEST_LIMIT'])\n", "line 2: it cannot be run where only what the functions have"),
        ("import os\nX = int(os.getenv('PLACET_TEST_LIMIT', str(10**9)))\n", OTHER),
        (f"import datetime\n{ELSEWHERE.format(there=f'datetime.date.today().year == {time.gmtime().tm_year}')}", OTHER),
        (f"from pathlib import Path\n{ELSEWHERE.format(there=f'Path({str(Path(__file__))!r}).exists()')}", OTHER),
        ("try:\n    import pytest\n    X = 100\nexcept ImportError:\n    X = 10**9\n", OTHER),
        ("import subprocess\nX = int(subprocess.run(['echo', '100'], capture_output=True).stdout)\n", "line 2: it cannot be run"),
        ("import sqlite3\nX = sqlite3.connect(':memory:').execute('select 100').fetchone()[0]\n", "line 2: it cannot be run"),
        ("import runpy\nX = runpy.run_path({elsewhere!r})['X']\n", "No such file or directory"),
        ("import sys\nsys.path.insert(0, {folder!r})\nfrom limit_of_elsewhere import X\n", "No module named 'limit_of_elsewhere'"),
        ("import os\nX = 100 + os.getpid()\n", "tools.issue_refund.rules.0.above is Decimal("),
    ],
    ids=["needed", "left-out", "date", "file", "installed", "process", "database", "run", "path", "process-id"],
)  # fmt: skip
def test_what_is_taken_from_this_machine_is_refused(
    before: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACET_TEST_LIMIT", "100")
    monkeypatch.setattr(sys, "path", list(sys.path))
    elsewhere, beside = tmp_path / "elsewhere", tmp_path / "policy"
    for folder in (elsewhere, beside):
        folder.mkdir()
    (elsewhere / "limit_of_elsewhere.py").write_text("X = 100\n")
    names = {"{elsewhere!r}": repr(str(elsewhere / "limit_of_elsewhere.py")), "{folder!r}": repr(str(elsewhere))}
    for name, value in names.items():
        before = before.replace(name, value)
    assert says in refused(beside, limited(before))
    sys.modules.pop("limit_of_elsewhere", None)


def test_a_file_is_found_by_whatever_name_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "limit").write_text("100")
    beside = tmp_path / "policy"
    beside.mkdir()
    (beside / "placet_policy.py").write_text(
        limited(f"with open({bytes(tmp_path / 'limit')!r}) as f:\n    X = int(f.read())\n")
    )
    with pytest.raises(SettingsError, match=r"reads .*limit, which the functions do not have"):
        deployed_policy(beside / "placet_policy.py")


def test_what_a_rule_of_ones_own_reads_is_compared_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = OWN + SHIPPED.replace(RULE, "Mine()", 1)
    monkeypatch.setenv("PLACET_TEST_LIMIT", "100")
    assert ".fires.LIMIT is 100 here and 7 there" in refused(tmp_path, own)
    monkeypatch.setenv("PLACET_TEST_LIMIT", "7")
    (tmp_path / "placet_policy.py").write_text(own)
    check_alone(deployed_policy(tmp_path / "placet_policy.py"), tmp_path / "placet_policy.py")


def test_what_stands_in_the_policy_and_beside_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "limits_beside.json").write_text("100")
    (tmp_path / "limits_beside.py").write_text(
        "from pathlib import Path\nX = int(Path(__file__).with_suffix('.json').read_text())\n"
    )
    hours = SHIPPED.replace('say="A colleague', 'hours=WorkingHours("Europe/Berlin"), say="A colleague')
    text = "import boto3, logging, time\nfrom placet.policy import WorkingHours\nfrom limits_beside import X\n"
    text += "LOADED = time.time()\n"
    path = tmp_path / "placet_policy.py"
    path.write_text(text + "log = logging.getLogger(__name__)\n" + hours.replace(LIMIT, '"amount", Decimal(X)', 1))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    check_alone(deployed_policy(path), path)
    sys.modules.pop("limits_beside", None)


def test_the_shipped_one_is_taken_and_every_value_of_it_is_compared() -> None:
    policy = deployed_policy()
    check_alone(policy)
    lines = dict(policy_values.lines(policy))
    assert lines["classes.money-out.deadline_s"] == "14400"
    assert lines["tools.issue_refund.rules.0.above"] == "Decimal('100')"
    assert lines["tools.delete_records.denies.0.values.0"] == "'audit_log'"
    assert (CORE / "placet" / "policy").is_dir()
    assert {"pytest", "placet.client"} <= policy_runtime.not_there()
    assert not {"jsonschema", "boto3", "placet"} & policy_runtime.not_there()


def test_a_long_text_is_compared_to_its_end() -> None:
    one, other = (policy_values.lines({"says": "x" * 500 + end}) for end in "ab")
    assert policy_values.difference(one, other).startswith("says is 'xxx")
    assert policy_values.difference(one, one) == ""


def test_a_synth_asks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = deployed_policy()
    monkeypatch.setattr(app, "deployed_policy", lambda: replace(shipped, version="of-this-machine"))
    made = Settings.of({"mail_from": "a@acme.test", "login_domain_prefix": "placet"})
    with pytest.raises(SettingsError, match=f"version is 'of-this-machine' here and '{shipped.version}' there"):
        app.placet(made, example=True)
