"""One synthesized app for all infra tests: without CDK's own validation and without bundling, which `make synth` does."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.checks.template import Templates
from infra.synth import environment

# Read by jsii when aws_cdk is imported, so it is set before any test does.
os.environ.update({key: value for key, value in environment(Path("unused")).items() if key.startswith("JSII_")})
UNBUNDLED = {"aws:cdk:bundling-stacks": []}


def example() -> dict[str, Any]:
    """What placet.example.toml says: the settings of tests, whatever placet.toml is there."""
    from infra.settings_file import EXAMPLE, ROOT, read

    return dict(read(ROOT / EXAMPLE).values)


def synthesize(folder: Path, **settings: Any) -> Path:
    """Both stacks with some settings replaced; answers the assembly's folder."""
    from infra.app import placet
    from infra.settings import Settings

    app = placet(Settings.of({**example(), **settings}), UNBUNDLED, outdir=str(folder))
    return Path(app.synth().directory)


@pytest.fixture(scope="session", autouse=True)
def _quick() -> Iterator[None]:
    before = os.environ.get("CDK_VALIDATION")
    os.environ["CDK_VALIDATION"] = "false"
    yield
    os.environ.pop("CDK_VALIDATION") if before is None else os.environ.update(CDK_VALIDATION=before)


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory, _quick: None) -> Path:
    """The folder of the app with the example's settings."""
    return synthesize(tmp_path_factory.mktemp("assembly"))


@pytest.fixture(scope="session")
def templates(assembly: Path) -> Templates:
    """Both templates; read them, do not change them."""
    return Templates.read(assembly)


@pytest.fixture
def broken(templates: Templates) -> Callable[[Callable[[Templates], None]], Templates]:
    """A copy of the templates with a bug planted in it."""

    def plant(bug: Callable[[Templates], None]) -> Templates:
        copied = Templates(copy.deepcopy(dict(templates.data)), copy.deepcopy(dict(templates.gateway)))
        bug(copied)
        return Templates(copied.data, copied.gateway)  # anew, because a reading may be remembered

    return plant


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The deployed gateway, its HTTP answers canned too."""
    from infra import smoke, smoke_agent
    from tests.infra.deployed_double import OUTPUTS, Deployed

    account = Deployed()
    pages = {
        "/v1/gates": (403, "", "https://api.example.com/v1/gates"),
        "/v1/reviews": (401, "", "https://api.example.com/v1/reviews"),
        "/sign-in/start": (200, "<script>", "https://placet-1.auth.eu-central-1.amazoncognito.com/login?x"),
    }
    account.pages = pages
    monkeypatch.setattr(smoke, "page", lambda url: pages[url.removeprefix(OUTPUTS["ApiUrl"])])
    monkeypatch.setattr(smoke_agent.Gateway, "call", lambda _self, *asked: account.call(*asked))
    return account
