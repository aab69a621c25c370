"""boto3 clients, built once per process, on first use."""

from __future__ import annotations

import functools
from typing import Any

import boto3
from botocore.config import Config

_CONFIG = Config(retries={"mode": "standard", "max_attempts": 3}, connect_timeout=3, read_timeout=20)
_SLOW = Config(retries={"total_max_attempts": 1}, connect_timeout=3, read_timeout=890)


@functools.cache
def client(service: str, *, slow: bool = False) -> Any:
    """A client of one service. `slow`: one attempt, for invoking agents that take their time and must not be called twice."""
    return boto3.client(service, config=_SLOW if slow else _CONFIG)
