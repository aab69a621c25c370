"""Mail to reviewers through SES v2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import is_final
from placet.model.errors import Busy
from placet.service.ports import Note

# Rejecting one address or the whole account: either way the inbox works without mail, and the log and alarm say it.
_REFUSED = frozenset(
    {
        "MessageRejected",
        "MailFromDomainNotVerifiedException",
        "AccountSuspendedException",
        "SendingPausedException",
        "BadRequestException",
        "NotFoundException",
        "AccessDeniedException",
    }
)


class Letter(NamedTuple):
    """A rendered mail."""

    subject: str
    text: str
    html: str


class Ses:
    """The mail port."""

    def __init__(
        self, sender: str, configuration_set: str, render: Callable[[Note], Letter], sesv2: Any = None
    ) -> None:
        self._sender = sender
        self._configuration_set = configuration_set
        self._render = render
        self._sesv2 = sesv2 if sesv2 is not None else client("sesv2")

    def send(self, note: Note) -> bool:
        """Send one mail; False when it is refused for good, Busy when it may work later."""
        letter = self._render(note)
        try:
            self._sesv2.send_email(
                FromEmailAddress=self._sender,
                Destination={"ToAddresses": [note.to_email]},
                ConfigurationSetName=self._configuration_set,
                Content={
                    "Simple": {
                        "Subject": {"Data": letter.subject, "Charset": "UTF-8"},
                        "Body": {
                            "Text": {"Data": letter.text, "Charset": "UTF-8"},
                            "Html": {"Data": letter.html, "Charset": "UTF-8"},
                        },
                    }
                },
            )
        except (ClientError, BotoCoreError) as error:
            if is_final(error, _REFUSED):
                return False
            raise Busy("Mail is throttled or cannot be sent now.") from None
        return True
