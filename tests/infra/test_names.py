"""What becomes of the pauses of a name that is taken out is said before it is deployed, and looked for in the table."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra import doctor, doctor_lists, synth
from infra.app import placet
from infra.names import KEY, TEMPLATE, Names, last_made
from infra.policy_file import deployed_policy
from infra.settings import Settings
from placet.records.keys import Keys
from placet.service import operate
from tests.gateway import without_class
from tests.infra.aws_double import Account
from tests.infra.conftest import example

KEYS = Keys("main")
POLICY = deployed_policy()


def settings(*agents: str) -> Settings:
    made = [{"name": n, "role": f"{n}-role", "owner": "o@example.com", "target": {"kind": "pick_up"}} for n in agents]
    return Settings.of({"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": made})


def assembly(folder: Path, names: Names) -> None:
    (folder / TEMPLATE).write_text(json.dumps({"Metadata": {KEY: names.metadata}}))


def test_what_is_taken_out_is_told_until_it_is_back(tmp_path: Path) -> None:
    first = Names.of(settings("one", "two"), POLICY, last_made(tmp_path))
    assert list(first.told()) == []
    assembly(tmp_path, first)
    without = without_class(POLICY, "money-out", "payments")
    for _ in range(2):  # also by the assembly after that one
        second = Names.of(settings("two"), without, last_made(tmp_path))
        agent, action_class = second.told()
        assert re.search("agent one .*agent_gone.*still waits.*pick-up list run empty", agent)
        assert re.search("class money-out .*class_gone.*deadline", action_class)
        assembly(tmp_path, second)
    back = Names.of(settings("one", "two"), POLICY, last_made(tmp_path))
    assert back.gone_agents == back.gone_classes - {"payments"} == frozenset()


def test_every_reason_that_is_told_is_one() -> None:
    told = " ".join(Names(gone_agents=frozenset({"a"}), gone_classes=frozenset({"c"})).told())
    assert set(re.findall(r"\w+_gone", told)) == {"agent_gone", "class_gone"} <= set(operate.REASONS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"Metadata": {"PlacetNames": {"agents": 1}}}'])
def test_an_assembly_without_names_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / TEMPLATE).write_text(text)
    assert last_made(tmp_path) == last_made(None) == Names()


def test_the_template_names_its_agents_and_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    context = example()
    assembly(tmp_path, Names(agents=frozenset({"retired-agent"})))
    app = placet(Settings.of(context), outdir=str(tmp_path))
    assert "synth: the registry does not name the agent retired-agent any more" in capsys.readouterr().err
    found = app.node.find_child("PlacetGateway").template_options.metadata[KEY]
    assert found["agents"] == sorted(one["name"] for one in context["agents"])
    assert (found["classes"], found["gone_agents"]) == (sorted(POLICY.classes), ["retired-agent"])


def test_a_synth_that_has_nothing_to_do_says_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    stamp = {"inputs": synth.fingerprint(synth.ROOT), "figures": "synth: stacks=2"}
    (tmp_path / synth.STAMP).write_text(json.dumps(stamp))
    assembly(tmp_path, Names(gone_classes=frozenset({"payments"})))
    synth.synth(tmp_path)
    assert "synth: the policy does not name the class payments any more" in capsys.readouterr().out


def test_names_are_read_without_cdk() -> None:
    code = "import infra.doctor, infra.names, sys; sys.exit('aws_cdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=synth.ROOT).returncode == 0


# --- the doctor -------------------------------------------------------------------------------------------------------

TABLE = {
    "StackName": "PlacetData", "CreationTime": "2026-11-29", "StackStatus": "UPDATE_COMPLETE",
    "Outputs": [{"OutputKey": "TableName", "OutputValue": "t"}],
}  # fmt: skip
REMEMBERED = [
    KEYS.new(), KEYS.stuck(), KEYS.out("one"), KEYS.out("gone-agent"), KEYS.queue("money-out", 0), KEYS.queue("money-out", 3),
    KEYS.queue("payments", 0), KEYS.queue("several.", 0), KEYS.out("empty-agent"),
]  # fmt: skip


def account(waiting: dict[str, int], people: dict[str, list[str]], remembered: list[str] = REMEMBERED) -> Account:
    """An account with a table: pauses by list, people by group."""
    stored = {KEYS.lists(): remembered} | {KEYS.group(group): subs for group, subs in people.items()}

    def query(asked: dict[str, Any]) -> dict[str, Any]:
        (value,) = asked["ExpressionAttributeValues"].values()
        if asked.get("IndexName") == "work":
            return {"Count": waiting.get(value["S"], 0), "Items": []}
        return {"Items": [{"sk": {"S": sk}} for sk in stored.get(value["S"], [])]}

    return Account({"cloudformation.DescribeStacks": {"Stacks": [TABLE]}, "dynamodb.Query": query})


def test_the_doctor_says_what_waits_under_names_that_are_gone() -> None:
    names = (KEYS.out("gone-agent"), KEYS.queue("payments", 0), KEYS.queue("money-out", 3), KEYS.queue("money-out", 0))
    asked = account(dict.fromkeys(names, 2) | {KEYS.out("gone-agent"): 1}, {})
    told = [str(one) for one in doctor_lists.lists(asked.client, settings("one"))]
    assert len(told) == 3
    assert re.search(
        "^look lists +one pause waits for the agent gone-agent.*agent_gone.*→ deploy with gone-agent", told[0]
    )
    assert re.search("2 pauses wait at level 3 of money-out, which has 1", told[1])
    assert re.search("2 pauses wait in the class payments.*class_gone.*→ keep payments", told[2])


def test_names_that_are_gone_with_nothing_under_them_are_no_matter() -> None:
    (only,) = doctor_lists.lists(account({KEYS.out("one"): 7}, {}).client, settings("one"))
    assert (only.level, only.sentence.split()[0]) == ("ok", str(len(REMEMBERED)))


def test_a_list_of_no_known_name_is_told() -> None:
    first, last = doctor_lists.lists(account({}, {}, ["T#main#X"]).client, settings("one"))
    assert (first.level, "T#main#X" in first.sentence, last.level) == ("look", True, "ok")


def test_the_doctor_says_which_groups_are_empty() -> None:
    (only,) = doctor_lists.reviewers(account({}, {"approvers": ["U#a"]}).client, settings())
    assert re.search("look .*nobody is in the group finance, which decides money-out.*group_empty", str(only))
    (well,) = doctor_lists.reviewers(account({}, {"approvers": ["U#a"], "finance": ["U#a"]}).client, settings())
    assert well.level == "ok"


@pytest.mark.parametrize("probe", [doctor_lists.lists, doctor_lists.reviewers])
def test_before_the_first_deploy_there_is_nothing_to_look_at(probe: Any) -> None:
    (only,) = probe(Account({"cloudformation.DescribeStacks": "ValidationError"}).client, settings())
    assert only.level == "ok"


def test_one_question_can_be_asked_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = account({}, {})
    monkeypatch.setattr(doctor, "session_in", lambda region: asked)
    monkeypatch.setattr(doctor, "deployed_settings", lambda: settings("one"))
    monkeypatch.setattr("sys.argv", ["doctor", "--only", "lists"])
    assert doctor.main() == 0
    assert capsys.readouterr().out.splitlines()[-1] == "doctor: stop=0 look=0 ok=1"
    assert set(asked.asked) == {"cloudformation.DescribeStacks", "dynamodb.Query"}
