"""Texts of placet.toml that are not what they look like: refused where they count, and never shown as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.registry import SettingsError
from infra.settings import Settings
from infra.settings_file import EXAMPLE, SettingsFile, read
from infra.sinks import check_sinks

HIDDEN = ["\x1b[31m", "\x07", "\u202e", "\u200b", "\u3164", "\u2028", "\n", "\r", "\x85"]
AGENT = {"name": "a", "role": "Desk", "owner": "o@acme.test", "framework": "langchain", "target": {"kind": "pick_up"}}
PLAIN: dict[str, Any] = {"mail_from": "placet@acme.test", "login_domain_prefix": "placet", "agents": [AGENT]}
BEDROCK = {
    "kind": "bedrock", "agent_id": "A1", "alias_id": "A1", "executor": "x", "session_ttl_s": 600, "verified": True,
    "action_role": "acts",
}  # fmt: skip


def refused(**values: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings.of({**PLAIN, **values})
    return str(caught.value)


def places(text: str) -> dict[str, dict[str, Any]]:
    """Every place of the settings in which a text can stand, as key or value, where it is refused."""
    sink = {"name": "s", "kind": "sns", "topic": "t"}
    return {
        "setting": {text: 1}, "value": {"alarm_mail": text}, "number": {"log_days": text}, "flag": {"require_mfa": text},
        "list": {"operators": [text]}, "provider": {"identity_providers": [text]}, "boundary": {"permissions_boundary": text},
        "origin": {"public_base_url": f"https://{text}"}, "verb": {"reserved_concurrency": {text: 5}},
        "audience": {"requests_per_second": {text: 5}}, "of a table": {"reserved_concurrency": {"decide": text}},
        "agents": {"agents": text}, "entry": {"agents": [text]}, "field": {"agents": [{**AGENT, text: 1}]},
        "unknown field of a strange name": {"agents": [{"name": text, text: 1}]},
        "agent": {"agents": [{**AGENT, "name": text}]}, "role": {"agents": [{**AGENT, "role": text}]},
        "missing": {"agents": [{"name": text}]}, "owner": {"agents": [{**AGENT, "owner": f"o@acme.test{text}"}]},
        "framework": {"agents": [{**AGENT, "framework": text}]}, "executor": {"agents": [{**AGENT, "executor": text}]},
        "kind": {"agents": [{**AGENT, "target": {"kind": text}}]},
        "target field": {"agents": [{**AGENT, "target": {"kind": "pick_up", text: 1}}]},
        "target value": {"agents": [{**AGENT, "target": {"kind": "lambda", "function": text}}]},
        "region": {"agents": [{**AGENT, "target": {**BEDROCK, "region": text}}]},
        "sink": {"sinks": [{**sink, "name": text}]}, "sink kind": {"sinks": [{**sink, "kind": text}]},
        "sink field": {"sinks": [{**sink, text: 1}]}, "topic": {"sinks": [{**sink, "topic": text}]},
        "event": {"sinks": [{**sink, "events": [text]}]}, "classes": {"sinks": [{**sink, "classes": [text, text]}]},
        "stream": {"restored_table": text, "restored_stream": text}, "function": {"groups_function": text},
        "pool": {"pool_mail_identity": text},
    }  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_no_message_holds_what_cannot_be_seen(hidden: str) -> None:
    """One line for each mistake, and not one more, whatever stands in a name."""
    for place, values in places(f"x{hidden}y").items():
        said = refused(**values)
        assert hidden not in said, (place, said)
        assert len(said.splitlines()) == 1, (place, said)


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_nor_does_one_of_a_file_or_of_what_needs_the_policy(hidden: str, tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text(f"a = {hidden}\n")
    for path in (tmp_path / "odd.toml", tmp_path / f"x{hidden}y.toml"):
        with pytest.raises(SettingsError) as caught:
            read(path)
        assert len(str(caught.value).splitlines()) == 1
        assert hidden not in str(caught.value)
    sinks = Settings.of(
        {**PLAIN, "sinks": [{"name": "s", "kind": "sns", "topic": "t", "classes": [f"x{hidden}y"]}]}
    ).sinks
    with pytest.raises(SettingsError) as caught:
        check_sinks(sinks, {"general"})
    assert hidden not in str(caught.value)
    (left,) = SettingsFile(Path(EXAMPLE), {f"x{hidden}y": "a@example.com"}).examples
    assert hidden not in left


def test_what_is_escaped_can_be_read() -> None:
    assert str(SettingsError("one\x1b\ntwo\u2028")) == "one[U+001B]\ntwo[U+2028]"
    assert refused(**{"e\x1b[31mpoch": 2}) == "placet.toml: there is no setting e[U+001B][31mpoch; epoch was meant"
    assert refused(**{"x\ny": 2}) == "placet.toml: there is no setting x[U+000A]y; take it out"


@pytest.mark.parametrize(
    "owner",
    [
        *(
            "o@acme.test\n",
            "o@acme.test\t",
            " o@acme.test",
            "o\u200b@acme.test",
            "\u3164o@acme.test",
            "o@acme\x1b.test",
        ),
    ],
)
def test_an_owner_is_one_line_that_can_be_seen(owner: str) -> None:
    assert "owner of a must be one line" in refused(agents=[{**AGENT, "owner": owner}])


@pytest.mark.parametrize(
    "owner",
    ["o@acme.test", "maria@müller.de", "Maria Keller <m@acme.test>", "0f8fad5b-d9cb-469f-a165-70867728950e"],
)
def test_owners_that_are_people_are_taken(owner: str) -> None:
    assert Settings.of({**PLAIN, "agents": [{**AGENT, "owner": owner}]}).agents[0].owner == owner


def test_a_sink_names_each_event_and_class_once() -> None:
    sink = {"name": "s", "kind": "sns", "topic": "t"}
    event = "visible"
    assert Settings.of({**PLAIN, "sinks": [{**sink, "events": [event], "classes": ["a", "b"]}]}).sinks
    assert refused(sinks=[{**sink, "events": [event, event]}]) == f"placet.toml: sinks: events of s names {event} twice"
    assert refused(sinks=[{**sink, "classes": ["a", "b", "a"]}]) == "placet.toml: sinks: classes of s names a twice"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"operators": ["Olga", "olga"]}, "operators names Olga, olga twice; IAM does not tell roles apart by capitals"),
        ({"operators": ["desk"]}, "['desk'] is an agent's role"),
        ({"agents": [AGENT, {**AGENT, "name": "b", "role": "desk"}]}, "names and roles must be unique; IAM does not tell"),
        ({"operators": ["ACTS"], "agents": [{**AGENT, "framework": "", "target": BEDROCK}]}, "['ACTS'] is an agent's role"),
        ({"agents": [AGENT, {**AGENT, "name": "b", "role": "b", "framework": "", "target": {**BEDROCK, "action_role": "dESK"}}]},
         "['dESK'] is an agent's role and an action_role"),
        ({"agents": [{**AGENT, "name": n, "role": n, "framework": "", "target": {**BEDROCK, "action_role": r}}
                     for n, r in (("a", "acts"), ("b", "Acts"))]}, "['Acts', 'acts'] is the action_role of two agents"),
    ],
)  # fmt: skip
def test_a_role_in_other_capitals_is_the_same_role(values: dict[str, Any], says: str) -> None:
    assert says in refused(**values)
