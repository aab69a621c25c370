"""`placet reviewers import`: a file is read whole, in bounds, and what of somebody known is written anew is said."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from placet.service import members
from tests.cli.desk import ELIF, Desk


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_every_mistake_of_a_file_is_told_before_anybody_is_invited(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(
        "email,name,groups\nelif,Elif,finance\na@acme.test,,nobodys\nb@acme.test,B,\n\nB@acme.test,B,finance\nc@acme.test,C,finance,x\n"
    )
    result = desk.run("import", str(file))
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "placet: people.csv, line 2: 'elif' is no mail address: one alone is wanted, like name@example.com",
        "placet: people.csv, line 3: has no name",
        "placet: people.csv, line 3: no class of the policy asks the group 'nobodys'; it asks approvers, finance",
        "placet: people.csv, line 4: has no groups",
        "placet: people.csv, line 6: B@acme.test stands in line 4 already; put all groups into one line",
        "placet: people.csv, line 7: has more cells than columns; groups are separated by spaces, or stand in quotes",
        "placet: Nothing was done.",
    ]
    assert len(desk.json("import", str(file))["mistakes"]) == 6
    assert desk.pool.users == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("email;groups\n", "the columns are email,name,groups; name is missing"),
        ("email,name,groups,colour\n", "there is no column 'colour'; take it out"),
        ("email,name,groups\n", "people.csv names nobody"),
        ("", "email, name, groups is missing"),
        ("email,name,groups,groups,Email\n", "the column email, groups stands there more than once; take one out"),
        ('email,name,groups\na@b.co,"Ann,finance\n', "line 2: a quote is opened that nothing closes"),
        ('"email,name,groups\n', "a quote is opened that nothing closes"),
        ('email,name,groups\na@b.co,"An"n,finance\n', "line 2: a quote stands in the middle of a cell"),
        (f"email,name,groups\na@b.co,{'n' * 140_000},finance\n", "a cell has more than 131,072 characters"),
        (f"email,name,groups\na@b.co,{'é' * 500_000},finance\n", "is over 1,000,000 bytes"),
        (
            "email,name,groups,sub\na@b.co,A,finance,S1\nz@b.co,B,finance,S1\n",
            "line 3: the sub 'S1' stands in line 2 already",
        ),
        (
            "email,name,groups,username\na@b.co,A,finance,u\nz@b.co,B,finance,U\n",
            "line 3: the username 'U' stands in line 2",
        ),
        (
            "email,name,groups\na@b.co,A,finance\n'a@b.co,B,finance\n",
            "line 3: 'a@b.co resembles the address of line 2",
        ),
        ("email,name,groups\n\x00\ud800", "is not UTF-8"),
    ],
)
def test_a_file_of_another_shape_is_refused(desk: Desk, tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(text.encode(errors="surrogatepass"))
    result = desk.run("import", str(file))
    assert (result.exit_code, says in result.output) == (1, True), result.output
    assert desk.pool.users == {}


def test_what_is_no_file_is_not_read(desk: Desk, tmp_path: Path) -> None:
    """It may have no end, or wait for somebody to write."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        assert f"{place.name} is no regular file: save the list as one" in desk.run("import", str(place)).output
    unread = tmp_path / "people.csv"
    unread.write_bytes(b"")
    os.truncate(unread, 2**40)  # of which no more is read than is taken
    assert "is over 1,000,000 bytes" in desk.run("import", str(unread)).output


def test_a_plan_and_what_is_done_say_what_of_somebody_known_is_written_anew(desk: Desk, tmp_path: Path) -> None:
    desk.run("add", "finance", *ELIF)
    file = tmp_path / "people.csv"
    file.write_text("email,name,groups,sub\nelif@acme.test,Elif Aydin,finance,\n")
    for words in (("--dry-run",), ()):
        told = desk.run("import", str(file), *words).output
        assert "The name of elif@acme.test was Elif Demir and is Elif Aydin." in told
        assert desk.json("import", str(file), "--dry-run")["people"][0]["was"] == (
            {"name": "Elif Demir", "email": "elif@acme.test"} if words else None
        )
    file.write_text("email,name,groups,sub\nelif@new.test,Elif Aydin,finance,sub-0\n")
    assert "The address of Elif Aydin was elif@acme.test and is elif@new.test." in desk.run("import", str(file)).output
    assert members.reviewer(desk.gateway.ports, "sub-0").email == "elif@new.test"


@pytest.mark.parametrize("given", ["Elif@acme.test", "'elif@acme.test"])
def test_an_address_that_only_resembles_one_is_not_taken_in_its_place(desk: Desk, given: str) -> None:
    desk.run("add", "finance", *ELIF)
    said = desk.run("add", "approvers", "--email", given)
    assert said.output.startswith(
        f"Elif Demir is in approvers. {given} resembles elif@acme.test, by which Elif Demir is known, and that stays their address"
    )
    assert members.reviewer(desk.gateway.ports, "sub-0").addresses == {"elif@acme.test"}
    assert desk.json("add", "approvers", "--email", given)["address_not_taken"] == given
    assert desk.run("add", "approvers", "--email", given, "--sub", "sub-0").exit_code == 0
    assert given in members.reviewer(desk.gateway.ports, "sub-0").addresses


def test_a_file_as_spreadsheets_write_it_is_taken(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes("\ufeffEmail;Name;Groups\r\nelif@acme.test;Elif Demir;finance, approvers\r\n".encode())
    assert desk.json("import", str(file))["people"][0]["groups"] == ["finance", "approvers"]


def test_a_dry_run_does_nothing_and_the_import_goes_on_where_it_stopped(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("email,name,groups\na@acme.test,Ana,finance\nb@acme.test,Bo,finance\n")
    assert "Nothing was done. 2 would be invited." in desk.run("import", str(file), "--dry-run").output
    assert desk.pool.users == {}
    made = desk.pool.admin_create_user

    def once(**asked: Any) -> dict[str, Any]:
        desk.pool.fails = {"AdminCreateUser": "LimitExceededException"} if desk.pool.users else {}
        return made(**asked)

    desk.pool.admin_create_user = once  # type: ignore[method-assign]
    stopped = desk.run("import", str(file))
    assert (stopped.exit_code, "1 of 2 are entered, and b@acme.test is not. Repeat the command." in stopped.output) == (
        3,
        True,
    )
    desk.pool.admin_create_user = made  # type: ignore[method-assign]
    desk.pool.fails = {}
    assert "2 are entered, 1 of them invited." in desk.run("import", str(file)).output
    assert [name for name, _ in desk.pool.mailed] == ["a", "b"]
