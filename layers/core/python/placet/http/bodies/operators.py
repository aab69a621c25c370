"""What operators send."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from placet.http.bodies import Body, Reason


class ReconcileBody(Body):
    """`POST /v1/operations/calls/{call}/reconcile`."""

    permit: Literal["done", "failed"]
    evidence: Annotated[str, Field(max_length=10_000)]


class FreezeBody(Body):
    """`POST /v1/operations/freeze`."""

    reason: Reason
