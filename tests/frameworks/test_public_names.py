"""What users may import, and that the SDK knows neither the gateway's insides nor a framework until it is asked for one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import placet.client
import placet.client.langchain

ROOT = Path(__file__).resolve().parents[2]
LOADED = """
import sys, placet.client
print([name for name in sys.modules if name.split(".")[0] in ("langchain", "langchain_core", "langgraph", "boto3")
       or name.startswith("placet.") and not name.startswith("placet.client")])
"""


def test_every_public_name_is_there_and_documented():
    for module in (placet.client, placet.client.langchain):
        assert module.__all__ == sorted(module.__all__)
        for name in module.__all__:
            assert getattr(module, name).__doc__, name


def test_the_sdk_loads_no_framework_and_nothing_of_the_gateway():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(ROOT / "layers/core/python"), "PATH": ""},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
