"""The three layers, built with pip and no Docker, and compiled when a Python of the runtime's version is at hand.

Layers are read-only in Lambda, so a layer without ``.pyc`` files pays for compiling at every cold start (816 ms against
468 ms of CPU for the same imports). ``unchecked-hash``: an asset's zip has one fixed old date, and a ``.pyc`` that
compares dates would be taken for stale.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import sbom
from infra.constructs.function import RUNTIME
from infra.constructs.interpreter import matching_interpreter
from infra.constructs.layer_rules import NOT_DEPLOYED

LAYERS = Path(__file__).resolve().parents[2] / "layers"
VERSION = RUNTIME.name.removeprefix("python")
# Lambda's Python 3.13 has glibc 2.34; pip takes the best wheel of any of these.
PLATFORMS = tuple(f"{tag}_aarch64" for tag in ("manylinux2014", "manylinux_2_17", "manylinux_2_28", "manylinux_2_34"))


class Layers(Construct):
    """``deps`` (third-party wheels), ``core`` (the package) and ``policy`` (the user's rules)."""

    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        if not matching_interpreter(VERSION):
            print(
                f"synth: no Python {VERSION} found, so the layers ship uncompiled: same behaviour, slower cold starts"
            )
        self.deps = self._layer("Deps", LAYERS / "deps", _Wheels(LAYERS / "deps" / "requirements.lock"))
        self.core = self._layer("Core", LAYERS / "core", _Sources(LAYERS / "core" / "python"))
        self.policy = self._layer("Policy", LAYERS / "policy", _Sources(LAYERS / "policy" / "python"))

    @property
    def all(self) -> Sequence[lambda_.ILayerVersion]:
        """In the order in which they change."""
        return (self.deps, self.core, self.policy)

    def _layer(self, name: str, source: Path, bundling: Any) -> lambda_.LayerVersion:
        # The hash is of the input (hence exact pins), so whether we can compile has to be part of it.
        compiled = "compiled" if matching_interpreter(VERSION) else "source"
        exclude = ["**/__pycache__", "**/*.pyc", "**/*.egg-info", *(f"python/placet/{part}" for part in NOT_DEPLOYED)]
        fingerprint = cdk.FileSystem.fingerprint(
            str(source), exclude=exclude, extra_hash=f"{RUNTIME.name}-arm64-{compiled}", ignore_mode=cdk.IgnoreMode.GLOB
        )
        return lambda_.LayerVersion(
            self,
            name,
            code=lambda_.Code.from_asset(
                str(source),
                asset_hash_type=cdk.AssetHashType.CUSTOM,
                asset_hash=fingerprint,
                bundling=cdk.BundlingOptions(image=cdk.DockerImage.from_registry("never-pulled"), local=bundling),
            ),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[lambda_.Architecture.ARM_64],
            description=f"Placet: {name.lower()}",
        )


@jsii.implements(cdk.ILocalBundling)
class _Wheels:
    """Installs locked wheels for the runtime's platform, whatever platform and Python this is, and lists them beside."""

    def __init__(self, requirements: Path) -> None:
        self._requirements = requirements

    def try_bundle(self, output_dir: str, *, image: object, **_: object) -> bool:
        target = Path(output_dir, "python")
        print("synth: layer deps: pip downloads wheels for arm64", flush=True)
        # --no-deps: the file pins every transitive one too; pip would read markers for *this* interpreter.
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-compile", "--only-binary=:all:", "--implementation", "cp", "--python-version", VERSION]
        command += [option for tag in PLATFORMS for option in ("--platform", tag)]
        # By digest: a file that is not one of those that were locked ends the synth, wherever it comes from.
        command += ["--require-hashes", "--requirement", str(self._requirements)]
        _run([*command, "--target", str(target)])
        shutil.rmtree(target / "bin", ignore_errors=True)
        sbom.write(target, self._requirements, Path(output_dir, sbom.NAME))
        _compile(target)
        return True


@jsii.implements(cdk.ILocalBundling)
class _Sources:
    """Copies our own modules."""

    def __init__(self, source: Path) -> None:
        self._source = source

    def try_bundle(self, output_dir: str, *, image: object, **_: object) -> bool:
        target = Path(output_dir, "python")
        shutil.copytree(self._source, target, ignore=self._ignore)
        _compile(target)
        return True

    def _ignore(self, folder: str, names: list[str]) -> set[str]:
        out = {name for name in names if name == "__pycache__" or name.endswith((".pyc", ".egg-info"))}
        return out | (set(NOT_DEPLOYED) & set(names) if Path(folder) == self._source / "placet" else set())


def _compile(target: Path) -> None:
    if python := matching_interpreter(VERSION):
        # -s strips this machine's folder from tracebacks.
        options = ["-q", "-j", "0", "-s", str(target), "-p", "/opt/python", "--invalidation-mode", "unchecked-hash"]
        _run([python, "-m", "compileall", *options, str(target)])


def _run(command: Sequence[str]) -> None:
    """Raises when the command fails: answering False would send CDK to Docker."""
    done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603 - our own words
    if done.returncode:
        raise RuntimeError(f"synth: {' '.join(command[:4])} … failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
