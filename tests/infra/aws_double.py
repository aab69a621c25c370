"""Real boto3 clients whose calls never leave the process: requests and canned answers are held against AWS's own models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from botocore.validate import ParamValidator

Answer = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]] | str


class Account:
    """An account that answers what it was given; ``asked`` is every operation in order. A text is an error code."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.answers, self.asked = answers, list[str]()
        self.region_name = "eu-central-1"
        self.profile_name = "default"  # as boto3 says where nobody has chosen one
        self.regions = set[tuple[str, str]]()

    def get_credentials(self) -> Credentials:
        return Credentials("test", "test", "token")

    def client(self, service: str, region_name: str = "", **keys: str) -> Any:
        region = region_name or self.region_name
        self.regions.add((service, region))
        given = {"aws_access_key_id": "test", "aws_secret_access_key": "test", **keys}
        made = boto3.client(service, region_name=region, **given)
        made.meta.events.register("before-call", self._answer)
        made.meta.events.register("before-parameter-build", self._remember)
        return made

    def _remember(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        self._params = params

    def _answer(self, model: Any, **_: Any) -> Any:
        name = f"{model.service_model.service_name}.{model.name}"
        self.asked.append(name)
        answer = self.answers.get(name, "AccessDeniedException")
        if isinstance(answer, str):
            raise ClientError({"Error": {"Code": answer, "Message": answer}}, model.name)
        found = answer(dict(self._params)) if callable(answer) else answer
        report = ParamValidator().validate(found, model.output_shape) if model.output_shape else None
        assert not (report and report.has_errors()), f"{name}: {report.generate_report() if report else ''}"
        response = type("Response", (), {"status_code": 200, "headers": {}})()
        return response, {**found, "ResponseMetadata": {"HTTPStatusCode": 200}}
