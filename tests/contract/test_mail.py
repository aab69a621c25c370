"""What a mail is sent with: whom it is for, so that what comes back names a person."""

from __future__ import annotations

from typing import Any

import pytest

from placet.aws.mail import Ses
from placet.model.errors import Busy
from placet.service.bounces import PERSON
from placet.service.ports import Digest
from placet.web.mail import Letter
from tests.contract.faults import Answering, refusal

DIGEST = Digest("8f14e45f-ceea-467f-9f6b-1c2d3e4f5a6b", "Maria", "maria@example.com", 7, False, 1)


def sender(*answers: Any) -> tuple[Ses, Answering]:
    asked = Answering(*(answers or ({},)))
    return Ses("p@example.com", "set", lambda note: Letter("s", "t", "h"), asked), asked


def test_a_mail_is_tagged_with_whom_it_is_for() -> None:
    ses, asked = sender()
    assert ses.digest(DIGEST) is True
    ((_, request),) = asked.requests
    assert request["EmailTags"] == [{"Name": PERSON, "Value": DIGEST.to}]
    assert request["Destination"] == {"ToAddresses": ["maria@example.com"]}


@pytest.mark.parametrize("sub", ["", "a b", "x" * 257, "é"])
def test_what_is_no_tag_is_left_out(sub: str) -> None:
    ses, asked = sender()
    ses.digest(Digest(sub, "Maria", "maria@example.com", 1, False, 1))
    assert "EmailTags" not in asked.requests[0][1]


def test_a_digest_is_refused_or_comes_again_as_a_mail_is() -> None:
    assert sender(refusal("MessageRejected"))[0].digest(DIGEST) is False
    with pytest.raises(Busy):
        sender(refusal("TooManyRequestsException"))[0].digest(DIGEST)
