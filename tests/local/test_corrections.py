"""Each correction to MiniStack, proven on the running emulator: without it the test fails."""

from __future__ import annotations

import datetime
import http.client
import io
import json
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from local.browser import Browser
from local.emulator.corrections import longest_idle, queueing
from local.emulator.launch import VERSION, refuse_other_versions
from tests.local.conftest import allow

ECHO = """
    import json
    def handler(event, context):
        return {"statusCode": 200, "body": json.dumps(event)}
"""


def test_another_version_is_refused_because_the_corrections_reach_into_this_one():
    refuse_other_versions(VERSION)
    with pytest.raises(SystemExit, match="corrections are made for"):
        refuse_other_versions("1.6.0")


def test_a_schedule_fires_within_seconds_and_is_gone(bench, eventually):
    url, arn = bench.queue()
    scheduler = bench.aws.client("scheduler")
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=1)
    scheduler.create_schedule(
        Name="soon",
        ScheduleExpression=f"at({moment:%Y-%m-%dT%H:%M:%S})",
        FlexibleTimeWindow={"Mode": "OFF"},
        ActionAfterCompletion="DELETE",
        Target={"Arn": arn, "RoleArn": bench.role(allow("sqs:SendMessage", arn)), "Input": '{"due": true}'},
    )
    started = time.monotonic()
    assert bench.messages(url) == [{"due": True}]
    assert time.monotonic() - started < 5
    eventually(lambda: not scheduler.list_schedules()["Schedules"])


def test_a_handlers_exception_is_reported_by_its_class(bench):
    function = bench.function("""
        class OutOfPaper(Exception): pass
        def handler(event, context): raise OutOfPaper("none left")
    """)
    answer = bench.invoke(function)
    assert (answer["errorType"], answer["errorMessage"]) == ("OutOfPaper", "none left")


def test_callers_wait_for_one_of_four_environments(bench):
    function = bench.function("""
        import os, time
        def handler(event, context):
            time.sleep(0.2)
            return os.getpid()
    """)
    with ThreadPoolExecutor(12) as callers:
        processes = list(callers.map(lambda _: bench.invoke(function), range(12)))
    assert len(processes) == 12
    assert len(set(processes)) <= 4


def api(bench, function, **route):
    """An HTTP API with one route to a function; its id."""
    apis = bench.aws.client("apigatewayv2")
    one = apis.create_api(Name="bench", ProtocolType="HTTP")["ApiId"]
    integration = apis.create_integration(
        ApiId=one, IntegrationType="AWS_PROXY", IntegrationUri=function, PayloadFormatVersion="2.0"
    )["IntegrationId"]
    apis.create_route(ApiId=one, RouteKey="GET /things/{id}", Target=f"integrations/{integration}", **route)
    apis.create_stage(ApiId=one, StageName="$default", AutoDeploy=True)
    return one


def test_the_api_has_a_port_of_its_own_and_cookies_arrive_as_a_list(bench):
    one = api(bench, bench.function(ECHO))
    try:
        browser = Browser()
        browser.cookies["localhost"] = {"a": "1", "b": "2"}
        event = json.loads(browser.get(f"{bench.settings.api_url}/things/7?a=b").body)
    finally:
        bench.aws.client("apigatewayv2").delete_api(ApiId=one)
    assert event["cookies"] == ["a=1", "b=2"]
    assert "cookie" not in event["headers"]
    assert (event["rawPath"], event["pathParameters"], event["requestContext"]["stage"]) == (
        "/things/7",
        {"id": "7"},
        "$default",
    )


def test_the_gateways_port_stays_the_gateways(bench):
    connection = http.client.HTTPConnection("127.0.0.1", bench.settings.gateway_port)
    connection.request("GET", "/_ministack/health")
    answer = connection.getresponse()
    health = json.loads(answer.read())
    connection.close()
    assert (health["auth"], health["version"]) == ("enabled", VERSION)


def test_a_function_does_not_see_the_checkout(bench):
    function = bench.function("""
        import importlib.util, os
        def handler(event, context):
            return [importlib.util.find_spec("placet") is None, "PYTHONPATH" in os.environ]
    """)
    assert bench.invoke(function) == [True, False]


def test_environments_share_one_unpacked_layer(bench):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("python/shared_module.py", "WHERE = __file__")
    functions = bench.aws.client("lambda")
    layer = functions.publish_layer_version(LayerName="shared", Content={"ZipFile": body.getvalue()})["LayerVersionArn"]
    source = """
        import os, shared_module
        def handler(event, context):
            return os.path.realpath(shared_module.WHERE)
    """
    seen = []
    for _ in range(2):
        function = bench.function(source)
        functions.update_function_configuration(FunctionName=function, Layers=[layer])
        seen.append(bench.invoke(function))
    assert seen[0] == seen[1]
    assert seen[0].startswith(str((bench.settings.run / "tmp" / "layers").resolve()))
    assert not list((bench.settings.run / "tmp").glob("ministack-lambda-*/layer_*.zip"))


def test_the_environments_that_were_idle_longest_are_ended_and_no_busy_one():
    def one(last_used, in_use=False):
        return SimpleNamespace(last_used=last_used, in_use=in_use)

    old, older, busy, new = one(2), one(1), one(0, in_use=True), one(3)
    workers = {"capture": [old, busy], "sweep": [older, new]}
    assert longest_idle(workers, 1) == [older, old]
    assert longest_idle(workers, 2) == [older]
    assert longest_idle(workers, 3) == []


def test_a_new_environment_makes_room():
    asked = []
    acquire = queueing(lambda *_args, **_kwargs: ("worker", next(ways)), 4, started=lambda: asked.append(1))
    ways = iter(["spawn", "reused"])
    assert [acquire("name", {}, b""), acquire("name", {}, b"")] == [("worker", "spawn"), ("worker", "reused")]
    assert asked == [1]


def test_a_change_set_of_outputs_alone_is_made_and_executed(bench):
    cloudformation, topic = bench.aws.client("cloudformation"), {"T": {"Type": "AWS::SNS::Topic"}}
    for kind, value in (("CREATE", "one"), ("UPDATE", "two")):
        body = json.dumps({"Resources": topic, "Outputs": {"Told": {"Value": value}}})
        asked = {"StackName": "outputs", "ChangeSetName": kind.lower()}
        cloudformation.create_change_set(**asked, ChangeSetType=kind, TemplateBody=body)
        cloudformation.get_waiter("change_set_create_complete").wait(**asked, WaiterConfig={"Delay": 1})
        cloudformation.execute_change_set(**asked)
        done = cloudformation.get_waiter(f"stack_{kind.lower()}_complete")
        done.wait(StackName="outputs", WaiterConfig={"Delay": 1})
        (stack,) = cloudformation.describe_stacks(StackName="outputs")["Stacks"]
        assert stack["Outputs"][0]["OutputValue"] == value
    same = asked | {"ChangeSetName": "same"}
    cloudformation.create_change_set(**same, ChangeSetType="UPDATE", TemplateBody=body)
    assert "didn't contain changes" in cloudformation.describe_change_set(**same)["StatusReason"]
    cloudformation.delete_stack(StackName="outputs")
