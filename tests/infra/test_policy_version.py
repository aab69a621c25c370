"""One version, one policy: other rules under a version that was deployed are refused, and other comments are not other rules."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra import policy_version
from infra.changes import Stack, stops
from infra.doors import KEY as DOORS
from infra.doors import doors
from infra.lock_file import Known
from infra.policy_file import POLICY, deployed_policy, noted
from infra.policy_version import KEY, check_version, clashes, digest, forgotten, versions
from infra.registry import SettingsError
from infra.settings import Settings

SHIPPED = deployed_policy()
RULES = 'from datetime import time\nLIMIT = 100\nNAME = f"up to {LIMIT}"\nAT = (None, b"x", 1.5, ...)\n'


def folder(at: Path, text: str = RULES, **beside: str) -> Path:
    at.mkdir(parents=True)
    (at / "placet_policy.py").write_text(text)
    for name, content in beside.items():
        (at / name).write_text(content)
    return at


def test_comments_and_lines_are_no_other_rules_and_everything_else_is(tmp_path: Path) -> None:
    said = digest(folder(tmp_path / "a"))
    again = RULES.replace("LIMIT = 100\n", "# since March\n\nLIMIT = (\n    100\n)  # EUR\n").replace('"', "'")
    assert digest(folder(tmp_path / "b", again)) == said
    others = [
        folder(tmp_path / "c", RULES.replace("100", "1000")),
        folder(tmp_path / "d", RULES.replace("100", "'100'")),
        folder(tmp_path / "e", RULES.replace("None", "False")),
        folder(tmp_path / "f", table="EUR"),
        folder(tmp_path / "g", table="USD"),
        folder(tmp_path / "h", lists="EUR"),
    ]
    assert len({said, *map(digest, others)}) == len(others) + 1


def test_a_cache_of_python_is_no_rule(tmp_path: Path) -> None:
    said = digest(folder(tmp_path / "a"))
    (tmp_path / "a" / "__pycache__").mkdir()
    (tmp_path / "a" / "__pycache__" / "placet_policy.cpython-313.pyc").write_bytes(b"other")
    assert digest(tmp_path / "a") == said


@pytest.mark.parametrize(
    "stray",
    [".DS_Store", ".placet_policy.py.swp", "placet_policy.py~", "#placet_policy.py#", "placet_policy.py.orig",
     ".mypy_cache/CACHEDIR.TAG", ".ipynb_checkpoints/placet_policy-checkpoint.py"],
)  # fmt: skip
def test_what_desktops_editors_and_checkers_leave_is_no_rule(tmp_path: Path, stray: str) -> None:
    said = digest(folder(tmp_path / "a"))
    (tmp_path / "a" / stray).parent.mkdir(exist_ok=True)
    (tmp_path / "a" / stray).write_text("x = 1\n")
    assert digest(tmp_path / "a") == said


def test_a_refusal_names_every_file_that_the_digest_is_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = folder(tmp_path / "a", limits="1")
    monkeypatch.setattr(policy_version, "POLICY", at / "placet_policy.py")
    with pytest.raises(SettingsError, match=r"^policy: placet_policy\.py, limits: the rules changed"):
        check_version(SHIPPED, {KEY: {SHIPPED.version: "a" * 64}}, "b" * 64, "placet.lock.json")


def test_characters_and_formats_are_read_alike_by_every_python() -> None:
    """A character of a newer Unicode is printable to some only; 3.12.0 and 3.12.1 part texts at doubled braces."""
    assert policy_version._plain(ast.parse("'\U0001fae8'", mode="eval").body)[1]["value"] == "'\\U0001fae8'"
    whole = ast.parse('f"{{amount}} in {C}"', mode="eval").body
    assert isinstance(whole, ast.JoinedStr)
    texts = ("{", "amount}", "", " in ")
    parted = ast.JoinedStr([*map(ast.Constant, texts), whole.values[-1]])
    assert policy_version._plain(parted) == policy_version._plain(whole)
    other = ast.JoinedStr([ast.Constant("{amount} at "), whole.values[-1]])
    assert policy_version._plain(other) != policy_version._plain(whole)


def test_the_tree_is_read_alike_by_every_python() -> None:
    """3.12 gives a function type_params and 3.13 leaves what is empty out of a dump; neither stands in what is digested."""
    tree = policy_version._plain(ast.parse("def f(a, *, b=1): return a\n"))
    assert tree == json.loads(json.dumps(tree))
    assert not {"type_params", "[]", "null"} & set(re.findall(r"\w+|\[\]", json.dumps(tree)))


def test_other_rules_under_a_deployed_version_are_refused_with_the_next_one() -> None:
    deployed = {KEY: versions(SHIPPED, {}, "a" * 64)}
    check_version(SHIPPED, deployed, "a" * 64, "placet.lock.json")
    with pytest.raises(SettingsError) as refused:
        check_version(SHIPPED, deployed, "b" * 64, "placet.lock.json")
    assert str(refused.value) == (
        f"policy: placet_policy.py: the rules changed since version '{SHIPPED.version}' was deployed, and its records would speak "
        "of two policies: raise version to '2026-11-30.2' (placet.lock.json keeps what is deployed, docs/policy.md#versions)"
    )
    check_version(replace(SHIPPED, version="2026-11-30.2"), deployed, "b" * 64, "placet.lock.json")


@pytest.mark.parametrize("deployed", [{}, {"epoch": 1}, {KEY: "by hand"}])
def test_before_it_is_known_what_is_deployed_everything_may_change(deployed: dict[str, Any]) -> None:
    check_version(SHIPPED, deployed, "b" * 64, "placet.lock.json")


@pytest.mark.parametrize(
    ("taken", "raised"),
    [
        ("1", "2"),
        ("2026-11-30.9", "2026-11-30.10"),
        ("v09", "v10"),
        ("rc1-beta", "rc2-beta"),
        ("first", "first.2"),
    ],
)
def test_the_version_that_is_named_is_free(taken: str, raised: str) -> None:
    (sentence,) = clashes({KEY: {taken: "a"}}, {KEY: {taken: "b"}})
    assert sentence.endswith(f"raise version to {raised!r}")
    (sentence,) = clashes({KEY: {taken: "a", raised: "c"}}, {KEY: {taken: "b"}})
    assert not sentence.endswith(f"raise version to {raised!r}")


def test_an_earlier_version_is_known_too_and_there_is_a_bound() -> None:
    known: dict[str, Any] = {}
    for number in range(60):
        known = {KEY: versions(replace(SHIPPED, version=str(number)), known, f"of {number}")}
    assert list(known[KEY]) == [str(number) for number in range(10, 60)]
    assert list(clashes(known, {KEY: {"30": "of 30"}})) == []
    assert "version '30'" in next(clashes(known, {KEY: {"30": "of 59"}}))
    assert list(versions(replace(SHIPPED, version="30"), known, "of 30"))[-1] == "30"


def test_a_deploy_stops_at_what_is_deployed_whatever_the_lock_says() -> None:
    settings = Settings.of({"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": []})

    def template(of: str) -> dict[str, Any]:
        return {"Metadata": {DOORS: {**doors(settings), KEY: {"1": of}}}, "Resources": {}}

    data = Stack("PlacetData", {"Resources": {}}, {"Resources": {}})
    assert list(stops(settings, [data, Stack("PlacetGateway", template("a"), template("a"))])) == []
    assert list(stops(settings, [data, Stack("PlacetGateway", None, template("a"))])) == []
    (stop,) = stops(settings, [data, Stack("PlacetGateway", template("a"), template("b"))])
    assert stop.startswith("policy: the rules changed since version '1' was deployed")


def test_what_was_deployed_is_not_forgotten_by_a_deploy_with_an_older_lock() -> None:
    mine: dict[str, Any] = {KEY: {"1": "a"}}  # a colleague deployed 2, and their lock is not here yet
    deployed = {KEY: versions(replace(SHIPPED, version="2"), mine, "b")}
    (sentence,) = forgotten(deployed, {KEY: versions(replace(SHIPPED, version="3"), mine, "c")})
    assert "deployed as '2'" in sentence
    assert "-m infra.doors" in sentence
    assert list(forgotten(deployed, {KEY: versions(replace(SHIPPED, version="3"), deployed, "c")})) == []
    settings = Settings.of({"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": []})
    was, now = ({"Metadata": {DOORS: {**doors(settings), **one}}, "Resources": {}} for one in (deployed, mine))
    (stop,) = stops(settings, [Stack("PlacetData", was, was), Stack("PlacetGateway", was, now)])
    assert stop.startswith("policy: the lock does not know")


def test_the_oldest_of_as_many_as_are_remembered_may_go() -> None:
    full: dict[str, Any] = {KEY: {str(number): "a" for number in range(50)}}
    now = {KEY: versions(replace(SHIPPED, version="50"), full, "b")}
    assert "0" not in now[KEY]
    assert list(forgotten(full, now)) == []
    older = {KEY: {str(number): "a" for number in range(49)}}
    (sentence,) = forgotten(full, {KEY: versions(replace(SHIPPED, version="50"), older, "b")})
    assert "deployed as '49'" in sentence


def test_a_policy_that_names_no_groups_is_told_and_the_shipped_one_names_them() -> None:
    assert list(noted(SHIPPED)) == []
    (sentence,) = noted(replace(SHIPPED, groups=frozenset()))
    assert f"{POLICY.name}: Policy.of is given no groups" in sentence
    assert 'groups=frozenset({"approvers", "finance"})' in sentence


def test_a_synth_holds_the_policy_against_the_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from infra import app

    settings = Settings.of({"mail_from": "a@example.com", "login_domain_prefix": "placet", "agents": []})
    monkeypatch.setattr(app, "locked", lambda where: Known({KEY: {SHIPPED.version: "0" * 64}}))
    with pytest.raises(SettingsError, match="the rules changed since version"):
        app.placet(settings, outdir=str(tmp_path))
    monkeypatch.setattr(app, "PlacetData", _reached)  # behind the check
    with pytest.raises(RuntimeError, match="reached"):
        app.placet(settings, outdir=str(tmp_path), example=True)


def _reached(*_: Any, **__: Any) -> None:
    raise RuntimeError("reached")
