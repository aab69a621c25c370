"""Reading synthesized templates: the two stacks together, as the checks ask for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from infra.settings import VERBS

DATA, GATEWAY = "PlacetData", "PlacetGateway"
Json = Any


@dataclass(frozen=True)
class Templates:
    """The templates of both stacks; logical ids are unique over both."""

    data: Mapping[str, Json]
    gateway: Mapping[str, Json]

    @classmethod
    def read(cls, assembly: Path) -> Templates:
        """Reads ``cdk.out``."""
        return cls(*(json.loads((assembly / f"{stack}.template.json").read_text()) for stack in (DATA, GATEWAY)))

    @cached_property
    def resources(self) -> dict[str, Json]:
        """All resources by logical id."""
        return {**self.data["Resources"], **self.gateway["Resources"]}

    def of(self, kind: str) -> dict[str, Json]:
        """Properties of every resource of one type, by logical id."""
        return {name: one.get("Properties", {}) for name, one in self.resources.items() if one["Type"] == kind}

    @cached_property
    def roles(self) -> dict[str, list[Json]]:
        """Statements by the role's logical id; managed policies that we make count as roles of their own."""
        found: dict[str, list[Json]] = {role: [] for role in self.of("AWS::IAM::Role")}
        for role, properties in self.of("AWS::IAM::Role").items():
            for policy in properties.get("Policies", []):
                found[role] += policy["PolicyDocument"]["Statement"]
        for properties in self.of("AWS::IAM::Policy").values():
            for role in properties["Roles"]:
                found.setdefault(role.get("Ref", text(role)), []).extend(properties["PolicyDocument"]["Statement"])
        for name, properties in self.of("AWS::IAM::ManagedPolicy").items():
            found[name] = properties["PolicyDocument"]["Statement"]
        return found

    def functions(self) -> Iterator[tuple[str, str, Json]]:
        """(verb, logical id, properties) of our functions."""
        for name, properties in self.of("AWS::Lambda::Function").items():
            yield verb_of(name), name, properties


def verb_of(logical_id: str) -> str:
    """``NotifyFunction3392CA4F`` and ``NotifyRole4E90EFC9`` belong to ``notify``; anything else is itself."""
    matched = re.fullmatch(r"([A-Z]\w*?)(?:Function|Role)[0-9A-F]{8}", logical_id)
    verb = re.sub(r"(?<!^)(?=[A-Z])", "_", matched[1]).lower() if matched else ""
    return verb if verb in VERBS else logical_id


def as_list(value: Json) -> list[Json]:
    """IAM writes one thing without its list."""
    return value if isinstance(value, list) else [value]


def text(value: Json) -> str:
    """Canonical text, for looking something up in a nested value."""
    return json.dumps(value, sort_keys=True)


def flat(value: Json) -> str:
    """A value with its intrinsic functions as readable text: references as ``<Id>`` or ``<Id.Attribute>``."""
    if not isinstance(value, dict):
        return str(value)
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return str(separator).join(flat(part) for part in parts)
    if "Ref" in value:
        return f"<{value['Ref']}>"
    if "Fn::GetAtt" in value:
        return f"<{'.'.join(value['Fn::GetAtt'])}>"
    if "Fn::GetStackOutput" in value:
        return f"<{value['Fn::GetStackOutput']['OutputName']}>"
    return text(value)


def at_most(value: Json) -> str:
    """A value as text, with its references as long as they can be at deploy."""
    return re.sub(r"<(\w[^<>]*)>", lambda found: "-" * _longest(found[1]), flat(value))


def _longest(reference: str) -> int:
    """Pseudo parameters are short; nothing is longer than a function's ARN, with 64 characters of a name at its end."""
    return 20 if reference.startswith("AWS::") else 120


def actions(statement: Json) -> list[str]:
    """The statement's actions; a denial grants nothing."""
    return as_list(statement["Action"]) if statement["Effect"] == "Allow" else []


def resources(statement: Json) -> list[str]:
    """The statement's resources as readable text."""
    return [flat(one) for one in as_list(statement["Resource"])]


def target(reference: Json) -> str:
    """The logical id that a Ref or GetAtt names."""
    if isinstance(reference, dict):
        return str(reference.get("Ref") or reference.get("Fn::GetAtt", ["?"])[0])
    return str(reference)


def walk(value: Json) -> Iterator[Json]:
    """Every dict, list and scalar below a value."""
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(inner)
