"""Bugs that the checks of `infra.checks.stack` have to find, by check: what CloudFormation takes, and what is left behind."""

from __future__ import annotations

from infra.checks import Templates
from tests.infra.planting import BUCKET, FUNCTION, TABLE, Bug, more, put


def _many(templates: Templates) -> None:
    for number in range(400):
        templates.gateway["Resources"][f"Queue{number}"] = {"Type": "AWS::SQS::Queue", "Properties": {}}


def _long(templates: Templates) -> None:
    templates.data["Metadata"] = {"note": "x" * 900_000}


def _outputs(templates: Templates) -> None:
    templates.gateway["Outputs"] = {f"Output{number}": {"Value": "x"} for number in range(180)}


BUGS: dict[str, list[Bug]] = {
    "templates_fit": [_many, _long, _outputs],
    "nothing_is_asked_at_deploy": [
        lambda t: t.gateway.setdefault("Parameters", {}).update(Password={"Type": "String"}),
        lambda t: t.gateway.update(Transform="AWS::Serverless-2016-10-31"),
        more("AWS::SNS::Topic", DisplayName="{{resolve:secretsmanager:placet}}"),
    ],
    "nothing_is_traced": [
        put("AWS::StepFunctions::StateMachine", "Properties.TracingConfiguration", {"Enabled": True}),
        put(FUNCTION, "Properties.TracingConfig", {"Mode": "Active"}),
    ],
    "nothing_is_locked": [
        put(BUCKET, "Properties.ObjectLockEnabled", True),
        put(BUCKET, "Properties.ReplicationConfiguration", {"Rules": []}),
    ],
    "logs_go_with_their_stack": [
        put("AWS::Logs::LogGroup", "DeletionPolicy", "Retain"),
        put("AWS::Logs::LogGroup", "Properties.LogGroupClass", "INFREQUENT_ACCESS"),
    ],
    "one_region_writes": [
        more("AWS::DynamoDB::GlobalTable"),
        put(TABLE, "Properties.Replicas", [{"Region": "us-east-1"}]),
    ],
    "table_grows_by_itself": [
        put(TABLE, "Properties.BillingMode", "PROVISIONED"),
        put(TABLE, "Properties.ContributorInsightsSpecification", {"Enabled": True}),
        put(TABLE, "Properties.TableClass", "STANDARD_INFREQUENT_ACCESS"),
    ],
    "indexes_stay": [
        put(TABLE, "Properties.GlobalSecondaryIndexes.0.IndexName", "work2"),
        put(TABLE, "Properties.GlobalSecondaryIndexes.1.Projection.ProjectionType", "ALL"),
        put(TABLE, "Properties.LocalSecondaryIndexes", []),
    ],
}
