"""Which region everything of Placet asks that runs outside of Lambda."""

from __future__ import annotations

import os
from typing import Any


def region_of(asked: str | None = None, session: Any = None) -> str:
    """The region: as asked for, else AWS_REGION, AWS_DEFAULT_REGION, or that of the profile; empty when nobody says.

    boto3 by itself reads AWS_DEFAULT_REGION and not AWS_REGION (boto3#3620), and the CDK command line reads AWS_REGION first: two
    tools in one terminal would look at two regions. ``session`` is a botocore session; one that knows no profile has none.
    """
    named = asked or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    configured = getattr(session, "get_config_variable", None)
    return str(named or (configured("region") if configured else "") or "")
