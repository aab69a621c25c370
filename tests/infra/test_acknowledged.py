"""Every accepted finding of cdk-nag, where it is accepted; a new one is a decision, and this list is where it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

FUNCTIONS = "Bounce Capture Decide Dispatch Escalate Execute InvokeAgent Notify Operate PickUp Publish Resume Review"
FUNCTIONS += " SignIn Sweep Tell"
ACCEPTED = {
    "AwsSolutions-COG8": ["Reviewers"],
    "AwsSolutions-IAM5[Resource::*]": ["Dispatch", "Lifecycle/Role", "Publish"],
    "AwsSolutions-IAM5[Resource::<NotifyFunction.Arn>:*]": ["Lifecycle/Role"],
    "AwsSolutions-IAM5[Resource::<ResumeFunction.Arn>:*]": ["Lifecycle/Role"],
    "AwsSolutions-IAM5[Resource::…schedule/PlacetGateway-pauses/*]": ["Escalate", "Notify"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/GET/v1/pauses/*]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/GET/v1/pauses/*/status]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/GET/v1/runs/*]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/agents/*/invoke]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/calls/*/claim]": ["Api/ActionAccess", "Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/calls/*/outcome]": ["Api/ActionAccess", "Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/calls/*/renew]": ["Api/ActionAccess", "Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/pauses/*/answer]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/pauses/*/cancel]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/resumes/*/lease]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/resumes/*/outcome]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/resumes/*/release]": ["Api/AgentAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/operations/calls/*/reconcile]": ["Api/OperatorAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/operations/calls/*/undo]": ["Api/OperatorAccess"],
    "AwsSolutions-IAM5[Resource::…<ApiHttp>/$default/POST/v1/operations/pauses/*/repair]": ["Api/OperatorAccess"],
    "AwsSolutions-IAM5[Resource::(Bodies)/*]": [
        f"{verb}/Role" for verb in ("Capture", "Decide", "Execute", "InvokeAgent", "PickUp", "Resume", "Review")
    ],
    "AwsSolutions-S1": ["Bodies"],
    "AwsSolutions-L1": [f"{verb}/Function" for verb in FUNCTIONS.split()],
    "AwsSolutions-SF2": ["Lifecycle/Machine"],
    "AwsSolutions-SQS3": ["AsyncFailures", "Bus/Failures", "Stream/Failures", "Timers/Failures"],
    "AwsSolutions-APIG4": ["Api/Http/… (20 pages)"],
}


def test_accepted_findings_are_these(assembly: Path) -> None:
    found: dict[str, list[str]] = {}
    for metadata in assembly.glob("*.metadata.json"):
        for path, entries in json.loads(metadata.read_text()).items():
            for entry in entries:
                if entry["type"] == "aws:cdk:acknowledged-rules":
                    for rule, reason in entry["data"].items():
                        assert len(reason) > 20, f"{path}: {rule} is accepted without a reason"
                        found.setdefault(_short(rule), []).append(path.split("/", 2)[2])
    pages = found.pop("AwsSolutions-APIG4")
    assert all(page.startswith("Api/Http/") for page in pages)
    found["AwsSolutions-APIG4"] = [f"Api/Http/… ({len(pages)} pages)"]
    assert {rule: sorted(paths) for rule, paths in found.items()} == ACCEPTED


def _short(rule: str) -> str:
    """Without the parts that every ARN of ours begins with, and without the hashes of logical ids."""
    rule = rule.removeprefix("Annotation::").replace("<AWS::Region>:<AWS::AccountId>:", "")
    rule = re.sub(
        r'\{"Fn::GetStackOutput":.*?"OutputName":"PublishOutputFnGetAtt(\w+?)[0-9A-F]{8}Arn\w+"\}+', r"(\1)", rule
    )
    rule = re.sub(r"arn:<AWS::Partition>:[a-z-]+:", "…", rule)
    return re.sub(r"<(\w+?)[0-9A-F]{8}", r"<\1", rule)
