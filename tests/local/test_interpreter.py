"""The state machine's interpreter: errors reach Catch, tokens go on, tasks have the machine's rights and no more."""

from __future__ import annotations

import json

from tests.local.conftest import allow


def machine(bench, role, states):
    client = bench.steps.client("stepfunctions")
    definition = json.dumps({"StartAt": next(iter(states)), "States": states})
    return client.create_state_machine(name=bench.name("machine"), definition=definition, roleArn=role)[
        "stateMachineArn"
    ]


def wait_for(bench, eventually, execution):
    client = bench.steps.client("stepfunctions")
    eventually(lambda: client.describe_execution(executionArn=execution)["status"] != "RUNNING")
    return client.describe_execution(executionArn=execution)


def waiting(function, **more):
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
        "Parameters": {"FunctionName": function, "Payload": {"token.$": "$$.Task.Token"}},
        "TimeoutSeconds": 60,
        **more,
    }


def test_an_exception_in_a_waiting_task_reaches_catch_by_its_name(bench, eventually):
    function = bench.function("""
        class Listed(Exception): pass
        def handler(event, context): raise Listed("no")
    """)
    catch = [{"ErrorEquals": ["Listed"], "Next": "Caught"}]
    states = {
        "Wait": waiting(function, Catch=catch, Next="Missed"),
        "Caught": {"Type": "Succeed"},
        "Missed": {"Type": "Fail"},
    }
    arn = machine(bench, bench.role(allow("lambda:InvokeFunction", function)), states)
    execution = bench.steps.client("stepfunctions").start_execution(stateMachineArn=arn)["executionArn"]
    assert wait_for(bench, eventually, execution)["status"] == "SUCCEEDED"


def test_a_token_lets_the_machine_go_on(bench, eventually):
    url, arn = bench.queue()
    source = f"""
        import json, boto3
        def handler(event, context):
            boto3.client("sqs").send_message(QueueUrl="{url}", MessageBody=json.dumps(event))
    """
    function = bench.function(source, bench.role(allow("sqs:SendMessage", arn)))
    role = bench.role(allow("lambda:InvokeFunction", function))
    steps = bench.steps.client("stepfunctions")
    execution = steps.start_execution(stateMachineArn=machine(bench, role, {"Wait": waiting(function, End=True)}))
    (event,) = bench.messages(url)
    steps.send_task_success(taskToken=event["token"], output='{"by": "maria"}')
    assert json.loads(wait_for(bench, eventually, execution["executionArn"])["output"]) == {"by": "maria"}


def test_a_task_may_do_what_the_machines_role_may_do_and_nothing_else(bench, eventually):
    function = bench.function("def handler(event, context): return 1")
    other = bench.function("def handler(event, context): return 2")
    states = {"Call": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "End": True}}
    states["Call"]["Parameters"] = {"FunctionName": function}
    steps = bench.steps.client("stepfunctions")
    outcomes = []
    for allowed in (function, other):
        arn = machine(bench, bench.role(allow("lambda:InvokeFunction", allowed)), states)
        execution = steps.start_execution(stateMachineArn=arn)["executionArn"]
        outcomes.append(wait_for(bench, eventually, execution)["status"])
    assert outcomes == ["SUCCEEDED", "FAILED"]
