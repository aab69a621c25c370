"""Each check finds the bug it is there for, names the resource, and finds nothing in what we deploy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from infra import data_stack
from infra.checks import CHECKS, Templates, findings
from tests.infra.bugs import BUGS
from tests.infra.planting import Bug, put

CASES = [
    pytest.param(name, bug, id=f"{name}-{number}") for name, bugs in BUGS.items() for number, bug in enumerate(bugs)
]


def test_what_we_deploy_has_no_finding(templates: Templates) -> None:
    assert [f"{check.__name__}: {what}" for check, what in findings(templates)] == []


def test_an_invitation_may_name_the_address_that_aws_gave_the_api(broken: Callable[[Bug], Templates]) -> None:
    """From the second deploy on it does, where no address of its own is set: an address as AWS gives it, not as tests do."""
    inbox = "https://abc123.execute-api.eu-central-1.amazonaws.com/inbox"
    mail = "Properties.AdminCreateUserConfig.InviteMessageTemplate.EmailMessage"
    told = broken(put("AWS::Cognito::UserPool", mail, data_stack._invitation(inbox)))
    assert [f"{check.__name__}: {what}" for check, what in findings(told)] == []


def test_every_check_has_a_planted_bug() -> None:
    assert set(BUGS) == {check.__name__ for check in CHECKS}
    assert all((check.__doc__ or "").strip() for check in CHECKS)


@pytest.mark.parametrize(("name", "bug"), CASES)
def test_the_check_finds_its_bug(name: str, bug: Bug, broken: Callable[[Bug], Templates]) -> None:
    check = next(check for check in CHECKS if check.__name__ == name)
    found = list(check(broken(bug)))
    assert found, f"{name} overlooks the planted bug"
    assert all(len(what) < 300 for what in found)
