"""What a test or a demo gets from the running product."""

from __future__ import annotations

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Signer

from local.browser import Browser
from local.errors import LocalError


def signed(stack, credentials, path):
    request = AWSRequest("GET", stack.api_url + path)
    signer = Signer(credentials.id, credentials.secret, credentials.token)
    SigV4Auth(signer, "execute-api", "us-east-1").add_auth(request)
    return Browser().get(stack.api_url + path, dict(request.headers)).status


def test_an_agents_role_opens_the_agents_routes(stack):
    assert signed(stack, stack.agent_credentials("support-agent"), "/v1/gates") == 200


def test_a_role_without_agent_access_does_not(stack):
    iam = stack.client("iam")
    trust = (
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"AWS":"*"}}]}'
    )
    iam.create_role(RoleName="stranger", AssumeRolePolicyDocument=trust)
    stranger = stack.aws.assume("arn:aws:iam::000000000000:role/stranger", "test")
    iam.delete_role(RoleName="stranger")
    assert signed(stack, stranger, "/v1/gates") == 403


def test_an_unknown_agent_is_said(stack):
    with pytest.raises(LocalError, match="no demo agent"):
        stack.agent_credentials("night-agent")


def test_a_reviewer_signs_in_through_the_real_pages(stack):
    page = stack.sign_in("maria").get(f"{stack.api_url}/inbox")
    assert (page.status, page.url) == (200, f"{stack.api_url}/inbox")
    assert "Maria Keller" in page.text


def test_a_reviewers_token_opens_the_json_routes(stack):
    assert isinstance(stack.reviewing("jonas").reviews(), list)


def test_memberships_are_stored_from_both_sides(stack):
    maria = stack.reviewer("maria")
    table = stack.client("dynamodb")
    keys = [(f"T#main#U#{maria.sub}", "G#finance"), ("T#main#G#finance", f"U#{maria.sub}")]
    found = [
        table.get_item(TableName=stack.table_name, Key={"pk": {"S": pk}, "sk": {"S": sk}}).get("Item")
        for pk, sk in keys
    ]
    assert [one["email"]["S"] for one in found] == ["maria@example.com"] * 2
