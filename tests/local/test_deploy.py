"""The deployer, with small assemblies of its own: order, assets, updates, and what it says when AWS would refuse."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import pytest

from local.assembly import read_assembly
from local.assets import zipped
from local.deploy import deploy, prepare
from local.errors import StepFailed

ROLE_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}],
}


class Assembly:
    """Writes a cloud assembly as CDK lays it out."""

    def __init__(self, folder):
        self.folder = folder
        self._artifacts = {}

    def stack(self, name, resources, outputs=None, after=(), assets=None):
        template = {
            "Resources": resources,
            "Outputs": {key: {"Value": value} for key, value in (outputs or {}).items()},
        }
        (self.folder / f"{name}.template.json").write_text(json.dumps(template))
        destination = {"bucketName": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}"}
        files = {
            digest: {
                "source": {"path": path, "packaging": "zip"},
                "destinations": {"here": destination | {"objectKey": f"{digest}.zip"}},
            }
            for digest, path in (assets or {}).items()
        }
        (self.folder / f"{name}.assets.json").write_text(json.dumps({"files": files}))
        self._artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "properties": {"templateFile": f"{name}.template.json"},
            "dependencies": list(after),
        }
        (self.folder / "manifest.json").write_text(json.dumps({"artifacts": self._artifacts}))


@pytest.fixture
def assembly(tmp_path):
    return Assembly(tmp_path)


@pytest.fixture
def deployment(bench, assembly):
    def make():
        return prepare(replace(bench.settings, assembly=assembly.folder))

    return make


def queue(**properties):
    return {"Type": "AWS::SQS::Queue", "Properties": properties}


def test_stacks_are_deployed_after_those_they_need_and_get_their_values(bench, assembly, deployment):
    value = {"Fn::GetStackOutput": {"StackName": "First", "OutputName": "Name"}}
    assembly.stack("Second", {"Q": queue(QueueName={"Fn::Join": ["-", [value, "more"]]})}, after=["First"])
    assembly.stack("First", {"Q": queue(QueueName="first")}, {"Name": {"Fn::GetAtt": ["Q", "QueueName"]}})
    assert deploy(deployment()) == {"Name": "first"}
    assert bench.aws.client("sqs").get_queue_url(QueueName="first-more")["QueueUrl"]


def test_changed_code_is_served_after_the_next_deployment(bench, assembly, deployment, tmp_path):
    for digest, answer in (("a" * 8, 1), ("b" * 8, 2)):
        (tmp_path / digest).mkdir()
        (tmp_path / digest / "handler.py").write_text(f"def handler(event, context): return {answer}")
        code = {"S3Bucket": "cdk-hnb659fds-assets-000000000000-us-east-1", "S3Key": f"{digest}.zip"}
        resources = {
            "Role": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": ROLE_TRUST}},
            "F": {
                "Type": "AWS::Lambda::Function",
                "Properties": {
                    "FunctionName": "changing",
                    "Runtime": "python3.13",
                    "Handler": "handler.handler",
                    "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                    "Code": code,
                },
            },
        }
        assembly.stack("Changing", resources, assets={digest: digest})
        deploy(deployment())
        assert bench.invoke("changing") == answer
    deploy(deployment())  # nothing changed: no failure either


def test_what_cloudformation_refuses_is_said_with_the_resource(assembly, deployment):
    assembly.stack("Broken", {"Odd": {"Type": "AWS::No::Such", "Properties": {}}})
    with pytest.raises(StepFailed, match="AWS::No::Such") as caught:
        deploy(deployment())
    assert "make synth" in caught.value.way_out


def test_a_resource_that_fails_is_named_with_its_reason(assembly, deployment):
    assembly.stack("Failing", {"Fine": queue(), "Wrong": queue(QueueName={"Fn::GetAtt": ["Fine", "NoSuchAttribute"]})})
    with pytest.raises(StepFailed, match=r"Failing is .*Wrong \(AWS::SQS::Queue\)"):
        deploy(deployment())


def test_without_a_synthesized_template_the_way_out_is_said(tmp_path):
    with pytest.raises(StepFailed, match="no synthesized stacks") as caught:
        read_assembly(tmp_path)
    assert caught.value.way_out == "Write them: make synth"


def test_a_folder_is_zipped_once_per_content_and_always_alike(tmp_path):
    folder, cache = tmp_path / "code", tmp_path / "cache"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "one.py").write_text("1")
    first = zipped(folder, cache)
    body, made = first.read_bytes(), first.stat().st_ino
    assert (zipped(folder, cache), first.stat().st_ino) == (first, made)
    first.unlink()
    assert zipped(folder, cache).read_bytes() == body
    with zipfile.ZipFile(first) as archive:
        assert archive.namelist() == ["deep/one.py"]
    (folder / "two.py").write_text("2")
    assert zipped(folder, cache) != first
