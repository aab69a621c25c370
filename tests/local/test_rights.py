"""IAM decides here as on AWS where the product relies on it; each test has a right that is just too small."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.local.conftest import allow, document

TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/{}"
SES = "arn:aws:ses:us-east-1:000000000000:{}"


def refused(request, *args, **kwargs):
    with pytest.raises(ClientError) as caught:
        request(*args, **kwargs)
    return caught.value.response["Error"]["Code"]


@pytest.fixture
def table(bench):
    """A table, and the clients of a role that may touch partitions of pauses only."""
    name, _ = bench.table()
    verbs = ("PutItem", "GetItem", "BatchGetItem", "BatchWriteItem", "Query", "UpdateItem")
    actions = [f"dynamodb:{one}" for one in verbs]
    condition = {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["T#*#P#*"]},
        "Null": {"dynamodb:LeadingKeys": "false"},  # as deployed: a request that names no key is denied
    }
    role = bench.role(allow(actions, TABLE.format(name), **condition))
    return name, bench.as_role("dynamodb", role)


def item(pk):
    return {"pk": {"S": pk}, "sk": {"S": "HEAD"}}


def test_a_function_keeps_to_its_own_kinds_of_item(table):
    name, client = table
    client.put_item(TableName=name, Item=item("T#main#P#1"))
    assert client.get_item(TableName=name, Key=item("T#main#P#1"))["Item"]
    assert refused(client.put_item, TableName=name, Item=item("T#main#K#1")) == "AccessDeniedException"
    assert refused(client.get_item, TableName=name, Key=item("T#main#K#1")) == "AccessDeniedException"


def test_every_key_of_a_batch_is_looked_at(table):
    name, client = table

    def read(*pks):
        keys = [item(pk) for pk in pks]
        return client.batch_get_item(RequestItems={name: {"Keys": keys, "ConsistentRead": True}})["Responses"][name]

    client.put_item(TableName=name, Item=item("T#main#P#1"))
    assert read("T#main#P#1", "T#main#P#2") == [item("T#main#P#1")]
    assert refused(read, "T#main#P#1", "T#main#K#1") == "AccessDeniedException"


def test_every_item_that_a_batch_writes_is_looked_at(table):
    name, client = table

    def write(*pks):
        puts = [{"PutRequest": {"Item": item(pk)}} for pk in pks]
        client.batch_write_item(RequestItems={name: [*puts, {"DeleteRequest": {"Key": item("T#main#P#9")}}]})

    write("T#main#P#1", "T#main#P#2")
    assert client.get_item(TableName=name, Key=item("T#main#P#2"))["Item"]
    assert refused(write, "T#main#P#3", "T#main#K#3") == "AccessDeniedException"


def test_a_query_keeps_to_them_too(table):
    name, client = table

    def query(pk):
        client.query(
            TableName=name,
            KeyConditionExpression="#p = :pk AND begins_with(sk, :s)",
            ExpressionAttributeNames={"#p": "pk"},
            ExpressionAttributeValues={":pk": {"S": pk}, ":s": {"S": "E#"}},
        )

    query("T#main#P#1")
    assert refused(query, "T#main#U#1") == "AccessDeniedException"


def test_every_item_of_a_transaction_is_checked_by_its_own_key(table):
    name, client = table

    def write(*pks):
        client.transact_write_items(TransactItems=[{"Put": {"TableName": name, "Item": item(pk)}} for pk in pks])

    write("T#main#P#1", "T#main#P#2")
    assert refused(write, "T#main#P#3", "T#main#K#3") == "AccessDeniedException"


def test_a_schedule_belongs_to_its_group(bench):
    bench.aws.client("scheduler").create_schedule_group(Name="ours")
    target = bench.role()
    schedules = "arn:aws:scheduler:us-east-1:000000000000:schedule/ours/*"
    actions = [f"scheduler:{one}Schedule" for one in ("Create", "Get", "Delete")]
    role = bench.role(allow(actions, schedules), allow("iam:PassRole", target))
    scheduler = bench.as_role("scheduler", role)

    def create(**where):
        scheduler.create_schedule(
            Name="one",
            ScheduleExpression="at(2040-01-01T00:00:00)",
            FlexibleTimeWindow={"Mode": "OFF"},
            Target={"Arn": bench.queue()[1], "RoleArn": target},
            **where,
        )

    create(GroupName="ours")
    assert scheduler.get_schedule(Name="one", GroupName="ours")["GroupName"] == "ours"
    scheduler.delete_schedule(Name="one", GroupName="ours")
    assert refused(create) == "AccessDeniedException"


def test_mail_needs_the_sender_and_the_configuration_set(bench):
    sesv2 = bench.aws.client("sesv2")
    sesv2.create_configuration_set(ConfigurationSetName="ours")
    for sender in ("us@example.com", "them@example.com"):
        bench.aws.client("ses").verify_email_identity(EmailAddress=sender)
    resources = [SES.format("identity/*"), SES.format("configuration-set/ours")]
    condition = {"StringEquals": {"ses:FromAddress": "us@example.com"}}
    ours = bench.as_role("sesv2", bench.role(allow("ses:SendEmail", resources, **condition)))
    without_set = bench.as_role("sesv2", bench.role(allow("ses:SendEmail", resources[:1], **condition)))

    def send(client, sender):
        content = {"Simple": {"Subject": {"Data": "s"}, "Body": {"Text": {"Data": "t"}}}}
        return client.send_email(
            FromEmailAddress=sender,
            ConfigurationSetName="ours",
            Destination={"ToAddresses": ["you@example.com"]},
            Content=content,
        )

    assert send(ours, "us@example.com")["MessageId"]
    assert refused(send, ours, "them@example.com") == "AccessDeniedException"
    assert refused(send, without_set, "us@example.com") == "AccessDeniedException"


def test_a_wrong_signature_is_refused(bench):
    from local.emulator.signatures import Key

    given = bench.aws.assume(bench.role(allow("dynamodb:ListTables", "*")), "test")
    forged = Key(given.id, "x" * 40, given.token)
    assert bench.aws.client("dynamodb", given).list_tables() is not None
    assert refused(bench.aws.client("dynamodb", forged).list_tables) in {
        "SignatureDoesNotMatch",
        "InvalidSignatureException",
    }


def test_a_bucket_that_refuses_plain_http_is_open_here(bench):
    s3, name = bench.aws.client("s3"), bench.name("bucket")
    s3.create_bucket(Bucket=name)
    policy = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    s3.put_bucket_policy(Bucket=name, Policy=document(policy))
    writer = bench.as_role("s3", bench.role(allow("s3:PutObject", f"arn:aws:s3:::{name}/*")))
    assert writer.put_object(Bucket=name, Key="one", Body=b"1")
    assert refused(writer.get_object, Bucket=name, Key="one") == "AccessDenied"
