"""The pause's next moment on EventBridge Scheduler: one one-time schedule per pause, named by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import code_of, is_final
from placet.model.errors import Busy, Refused

EARLIEST_MS = 60_000  # never ask for a moment closer than this: sources disagree on what a past one does
_REFUSED = frozenset({"AccessDeniedException", "ValidationException"})
_MET = frozenset({"ConflictException", "ResourceNotFoundException"})  # it is there already, or there no more


class Scheduler:
    """Timers in the gateway's own schedule group."""

    def __init__(
        self,
        group: str,
        role_arn: str,
        target_arn: str,
        dead_letter_arn: str,
        tenant: str,
        now_ms: Callable[[], int],
        scheduler: Any = None,
    ) -> None:
        self._fixed = (group, role_arn, target_arn, dead_letter_arn)
        self._tenant = tenant
        self._now_ms = now_ms
        self._scheduler = scheduler if scheduler is not None else client("scheduler")

    def set(self, pause: str, at_ms: int) -> None:
        """Create or move the schedule. Both requests are the same: an update resets every field it leaves out.

        Raises:
            Busy: throttled, out of reach, or made and deleted at once.
            Refused: `timer_group_missing`, `timer_refused`.
        """
        request = self.request(pause, at_ms)
        for verb in ("create_schedule", "update_schedule", "create_schedule"):
            try:
                getattr(self._scheduler, verb)(**request)
                return
            except (ClientError, BotoCoreError) as error:
                code = code_of(error)
                if code == "ResourceNotFoundException" and verb == "create_schedule":
                    # An update may find the schedule gone; what does not let one be made is that its group is.
                    raise Refused("timer_group_missing", "The schedule group of the gateway is gone.") from None
                if is_final(error, _REFUSED):
                    raise Refused("timer_refused", f"The scheduler refused the request: {code}") from None
                if not is_final(error, _MET):
                    raise Busy("The scheduler is throttled or cannot be reached.") from None
        raise Busy("The timer is created and deleted at once.")

    def request(self, pause: str, at_ms: int) -> dict[str, Any]:
        """The whole request, the same for create and update. Rounded up to the next second, so that nothing fires early."""
        group, role_arn, target_arn, dead_letter_arn = self._fixed
        moment = -(-max(at_ms, self._now_ms() + EARLIEST_MS) // 1000)
        return {
            "Name": pause,
            "GroupName": group,
            "ScheduleExpression": f"at({datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S})",
            "ScheduleExpressionTimezone": "UTC",
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "ActionAfterCompletion": "DELETE",
            "State": "ENABLED",
            "Target": {
                "Arn": target_arn,
                "RoleArn": role_arn,
                "Input": json.dumps({"tenant": self._tenant, "pause": pause}, sort_keys=True),
                "RetryPolicy": {"MaximumRetryAttempts": 5, "MaximumEventAgeInSeconds": 3_600},
                "DeadLetterConfig": {"Arn": dead_letter_arn},
            },
        }
