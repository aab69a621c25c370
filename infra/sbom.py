"""What other people wrote in the functions' layer, as a CycloneDX 1.6 document: in the layer itself, and beside the templates.

The same layer gives the same document: no date, and a serial number that follows from the lock.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from infra import lock

NAME = "sbom.cdx.json"
_OURS = uuid.UUID("6f4a7c52-3d0c-5c2e-9b61-0c1f7c1f9a11")  # of serial numbers; made up once


def write(site: Path, locked: Path, to: Path) -> None:
    """List every distribution in ``site``. Raises ValueError when it is not what the lock says."""
    to.write_text(json.dumps(document(site, locked), indent=2, sort_keys=True) + "\n")


def document(site: Path, locked: Path) -> dict[str, Any]:
    """The document. Raises ValueError when the folder holds anything but the locked distributions, each at its version."""
    wanted = {_plain(one.name): one for one in lock.read(locked)}
    found = {_plain(one["name"]): one for one in map(_component, sorted(site.glob("*.dist-info")))}
    versions = (
        {name: one.version for name, one in wanted.items()},
        {name: one["version"] for name, one in found.items()},
    )
    if wrong := sorted(name for name, _ in set(versions[0].items()) ^ set(versions[1].items())):
        raise ValueError(f"the layer and its lock differ in {', '.join(wrong)}")
    digest = hashlib.sha256(locked.read_bytes()).hexdigest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_OURS, digest)}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "placet", "bom-ref": "placet"},
            "properties": [{"name": "placet:lock", "value": f"sha256:{digest}"}],
        },
        "components": [found[name] for name in sorted(found)],
        "dependencies": [{"ref": "placet", "dependsOn": [found[name]["bom-ref"] for name in sorted(found)]}],
    }


def _component(folder: Path) -> dict[str, Any]:
    """One distribution as its own metadata describes it; its hash is that of the list of its files, which has each file's."""
    told = HeaderParser().parsestr((folder / "METADATA").read_text("utf-8"))
    name, version = str(told["Name"]), str(told["Version"])
    url = f"pkg:pypi/{_plain(name)}@{version}"
    made: dict[str, Any] = {"type": "library", "name": name, "version": version, "purl": url, "bom-ref": url}
    record = hashlib.sha256((folder / "RECORD").read_bytes()).hexdigest()
    made["properties"] = [{"name": "placet:record", "value": f"sha256:{record}"}]
    if expression := told["License-Expression"]:
        made["licenses"] = [{"expression": str(expression)}]
    elif told["License"] and "\n" not in told["License"]:
        made["licenses"] = [{"license": {"name": str(told["License"])}}]
    return made


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
