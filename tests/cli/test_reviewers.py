"""`placet reviewers`: user pool and table together; what was done stands whole, is said, and is gone on from."""

from __future__ import annotations

import pytest

from placet.cli.directory import installation
from placet.client.errors import ClientError as NotSaid
from placet.model.errors import Busy
from tests.cli.desk import ELIF, Desk
from tests.cli.pool import INBOX


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_a_new_reviewer_gets_account_invitation_and_every_group(desk: Desk) -> None:
    said = desk.run("add", "finance", "approvers", *ELIF)
    assert said.output == (
        "Elif Demir is in finance and approvers. The user pool mails their user name and a password for one sign-in to "
        f"elif@acme.test; tell them the inbox: {INBOX}\n"
    )
    assert desk.pool.mailed == [("elif", False)]
    assert desk.groups("elif@acme.test") == {"finance", "approvers"}


def test_an_inbox_that_cannot_be_read_undoes_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(service: str) -> None:
        raise NotSaid("No region is set.")

    monkeypatch.delenv(installation.INBOX)
    monkeypatch.setattr(installation, "client", nowhere)
    assert desk.run("add", "finance", *ELIF).output.endswith(
        "tell them the inbox: the output InboxUrl of PlacetGateway\n"
    )
    assert desk.groups("elif@acme.test") == {"finance"}


def test_json_says_where_the_sub_is_from(desk: Desk) -> None:
    assert desk.json("add", "finance", *ELIF) == {
        "sub": "sub-0", "name": "Elif Demir", "email": "elif@acme.test", "account": "invited", "new": ["finance"],
        "was": None, "address_not_taken": None, "signed_in": False, "groups": ["finance"], "inbox": INBOX,
    }  # fmt: skip
    again = desk.json("add", "finance", "approvers", "--email", "elif@acme.test")
    assert (again["account"], again["new"], again["inbox"]) == ("known", ["approvers"], None)


def test_an_account_that_is_there_is_taken_whatever_its_letters(desk: Desk) -> None:
    desk.accounts.invite("elif@acme.test", "Elif Demir")
    desk.pool.users["elif"]["status"] = "CONFIRMED"
    said = desk.run("add", "finance", "--email", "Elif@Acme.test", "--name", "Elif Demir")
    assert said.output == "Elif Demir is in finance. Their account was there.\n"
    assert len(desk.pool.mailed) == 1
    assert desk.groups("elif@acme.test") == {"finance"}


def test_half_done_says_what_stands_and_goes_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(ops: object) -> None:
        raise Busy

    with monkeypatch.context() as patched:
        patched.setattr(desk.gateway.table, "write", write)
        result = desk.run("add", "finance", "approvers", *ELIF)
    assert result.exit_code == 3
    assert (
        "The account of elif@acme.test is made (sub sub-0), and they are in no group yet: repeat the command."
        in result.output
    )
    assert desk.groups("elif@acme.test") == frozenset(), "all groups or none"
    assert desk.run("add", "finance", "approvers", *ELIF).exit_code == 0
    assert desk.pool.mailed == [("elif", False)], "nobody is invited twice"
    assert desk.groups("elif@acme.test") == {"finance", "approvers"}


def test_two_people_of_one_name_get_two_user_names(desk: Desk) -> None:
    desk.run("add", "finance", *ELIF)
    desk.run("add", "finance", "--email", "elif@other.test", "--name", "Elif Kaya")
    first, second = (name for name, _ in desk.pool.mailed)
    assert (first, second[:5], len(second)) == ("elif", "elif-", 11)
    taken = desk.run("add", "finance", "--email", "e@other.test", "--name", "E", "--username", "elif")
    assert taken.exit_code == 1
    assert "Choose one with --username." in taken.output


def test_an_invitation_is_mailed_again_until_they_signed_in(desk: Desk) -> None:
    desk.run("add", "finance", *ELIF)
    assert f"tell them the inbox: {INBOX}" in desk.run("add", "finance", *ELIF, "--resend").output
    assert desk.pool.mailed == [("elif", False), ("elif", True)]
    desk.pool.users["elif"]["status"] = "CONFIRMED"
    refused = desk.run("add", "finance", *ELIF, "--resend")
    assert (refused.exit_code, "They have signed in already" in refused.output) == (1, True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("add", "nobodys", *ELIF),
            "No class of the policy asks this group. It asks: approvers, finance. (group_unknown)",
        ),
        (("add", "finance", "--email", "elif", "--name", "E"), "'elif' is no mail address: one alone is wanted"),
        (
            ("add", "finance", "--email", "elif@acme.test"),
            "elif@acme.test is no reviewer yet, so say their name: --name.",
        ),
        (("remove", "jonas"), "name groups, or say --everywhere"),
        (
            ("remove", "--everywhere", "nobody@acme.test"),
            "No reviewer is 'nobody@acme.test', by sub or mail address. (person_unknown",
        ),
        (("add", "finance", "--email", "a@acme.test,b@acme.test", "--name", "E"), "is no mail address"),
        (("add", "finance", "--email", "a@acme.test", "--name", "E\nF"), "is no name"),
        (("add", "finance", "--email", "a@acme.test", "--sub", "a b", "--name", "E"), "is no sub"),
    ],
)
def test_a_mistake_is_a_sentence_and_nothing_is_done(desk: Desk, words: tuple[str, ...], says: str) -> None:
    result = desk.run(*words)
    assert result.exit_code in (1, 2)
    assert says in result.output
    assert desk.pool.users == {}


def test_what_the_pool_refuses_is_said(desk: Desk) -> None:
    desk.pool.fails = {"AdminCreateUser": "NotAuthorizedException"}
    result = desk.run("add", "finance", *ELIF)
    assert result.output == (
        "placet: The user pool refuses AdminCreateUser: NotAuthorizedException: said so (pool_refused)\n"
    )
    desk.pool.fails = {"AdminCreateUser": "TooManyRequestsException"}
    assert desk.run("add", "finance", *ELIF).exit_code == 3
    assert desk.groups("elif@acme.test") == frozenset()


def test_a_disabled_account_is_no_reviewer(desk: Desk) -> None:
    desk.accounts.close(desk.accounts.invite("elif@acme.test", "Elif Demir"))
    result = desk.run("add", "finance", *ELIF)
    assert "Enable it first: aws cognito-idp admin-enable-user. (account_disabled)" in result.output


def test_who_leaves_everything_loses_the_account_only_when_asked(desk: Desk) -> None:
    desk.run("add", "finance", "approvers", *ELIF)
    assert (
        "still in approvers, so their account stays"
        in desk.run("remove", "--account", "finance", "elif@acme.test").output
    )
    assert desk.pool.users["elif"]["enabled"]
    told = desk.json("remove", "--everywhere", "--account", "elif@acme.test")
    assert (told["left"], told["groups"], told["account_disabled"]) == (["approvers"], [], True)
    assert not desk.pool.users["elif"]["enabled"]


def test_leaving_goes_on_when_the_account_could_not_be_closed(desk: Desk) -> None:
    desk.run("add", "finance", *ELIF)
    desk.pool.fails = {"AdminDisableUser": "InternalErrorException"}
    assert desk.run("remove", "--everywhere", "--account", "elif@acme.test").exit_code == 3
    assert desk.groups("elif@acme.test") == frozenset()
    desk.pool.fails = {}
    assert "Their account is disabled." in desk.run("remove", "--everywhere", "--account", "elif@acme.test").output
    assert not desk.pool.users["elif"]["enabled"]


def test_the_list_with_accounts_names_who_is_in_no_group(desk: Desk) -> None:
    for name in ("ana", "bo", "cy"):
        desk.accounts.invite(f"{name}@acme.test", name)
    desk.run("add", "finance", *ELIF)
    told = desk.json("list", "--accounts")["accounts"]
    assert {one["username"]: (one["state"], one["in_a_group"]) for one in told} == {
        "ana": ("invited", False), "bo": ("invited", False), "cy": ("invited", False), "elif": ("invited", True),
    }  # fmt: skip
    assert "ana has an account (invited) and is in no group: they see nothing." in desk.run("list", "--accounts").output
