"""Mail to reviewers through SES v2."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client
from placet.aws.refusals import is_final
from placet.model.errors import Busy
from placet.service.bounces import PERSON
from placet.service.ports import Digest, Note

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


_TAG = re.compile(r"[A-Za-z0-9_-]{1,256}")  # what SES takes as the value of one; a `sub` of Cognito is a UUID


class Letter(Protocol):
    """A rendered mail."""

    @property
    def subject(self) -> str:
        """One line."""

    @property
    def text(self) -> str:
        """The plain form."""

    @property
    def html(self) -> str:
        """The form with markup."""


class Ses:
    """The mail port."""

    def __init__(
        self,
        sender: str,
        configuration_set: str,
        render: Callable[[Note | Digest], Letter],
        sesv2: Any = None,
    ) -> None:
        self._sender = sender
        self._configuration_set = configuration_set
        self._render = render
        self._sesv2 = sesv2 if sesv2 is not None else client("sesv2")

    def send(self, note: Note) -> bool:
        """Send one mail; False when it is refused for good, Busy when it may work later."""
        return self._send(note)

    def digest(self, digest: Digest) -> bool:
        """Send the mail of what waits, as `send`."""
        return self._send(digest)

    def _send(self, note: Note | Digest) -> bool:
        letter = self._render(note)
        try:
            self._sesv2.send_email(
                FromEmailAddress=self._sender,
                Destination={"ToAddresses": [note.to_email]},
                ConfigurationSetName=self._configuration_set,
                **_tagged(note.to),
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


def _tagged(sub: str) -> dict[str, Any]:
    """Whom a mail is for, so that what SES tells of it later names a person and not only an address."""
    return {"EmailTags": [{"Name": PERSON, "Value": sub}]} if _TAG.fullmatch(sub) else {}
