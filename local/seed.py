"""What a fresh installation needs before anybody can use it: people who may sign in, and their memberships."""

from __future__ import annotations

from typing import Any

from local.endpoint import Endpoint
from local.people import PEOPLE, Person, Reviewer
from placet.aws.ids import SystemClock
from placet.aws.table import DynamoTable
from placet.model.pauses import Reviewer as Member
from placet.model.registry import Registry
from placet.records.keys import Keys
from placet.service import members
from placet.service.ports import Ports


def seed_people(aws: Endpoint, pool: str) -> dict[str, Reviewer]:
    """Make everybody's account with a password that need not be changed; give them by username."""
    cognito = aws.client("cognito-idp")
    return {person.username: _sign_up(cognito, pool, person) for person in PEOPLE}


def _sign_up(cognito: Any, pool: str, person: Person) -> Reviewer:
    attributes = {"email": person.email, "email_verified": "true", "name": person.name}
    answer = cognito.admin_create_user(
        UserPoolId=pool,
        Username=person.username,
        UserAttributes=[{"Name": name, "Value": value} for name, value in attributes.items()],
        MessageAction="SUPPRESS",
    )
    cognito.admin_set_user_password(UserPoolId=pool, Username=person.username, Password=person.password, Permanent=True)
    given = {one["Name"]: one["Value"] for one in answer["User"]["Attributes"]}
    return Reviewer(person.username, person.password, given["sub"], person.email, person.name, person.groups)


def seed_members(aws: Endpoint, table: str, reviewers: dict[str, Reviewer]) -> None:
    """Enter everybody's memberships through the product's own service."""
    import placet_policy

    ports = Ports(
        table=DynamoTable(table, aws.client("dynamodb")),
        keys=Keys("main"),
        clock=SystemClock(),
        policy=placet_policy.POLICY,
        registry=Registry(()),
    )
    for reviewer in reviewers.values():
        for group in reviewer.groups:
            members.add(ports, Member(reviewer.sub, reviewer.name, reviewer.email), group)
