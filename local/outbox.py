"""The mails that would have been sent."""

from __future__ import annotations

import json
from dataclasses import dataclass

from local.endpoint import Endpoint
from local.run_state import nothing_runs
from local.settings import ACCOUNT, LocalSettings


@dataclass(frozen=True)
class Mail:
    """One mail as SES took it."""

    to: tuple[str, ...]
    subject: str
    text: str
    html: str
    sender: str


def read_outbox(endpoint: str) -> list[Mail]:
    """Every mail since the start, oldest first."""
    answer = Endpoint(endpoint).open(f"/_ministack/ses/messages?account={ACCOUNT}")
    messages = json.loads(answer)["messages"].get(ACCOUNT, [])
    return [
        Mail(tuple(one["To"]), one["Subject"] or "", one["BodyText"] or "", one["BodyHtml"] or "", one["Source"])
        for one in messages
    ]


def print_outbox(settings: LocalSettings) -> None:
    """Print the mails of a running start; raise StepFailed when there is none."""
    try:
        mails = read_outbox(settings.endpoint)
    except OSError as error:
        raise nothing_runs(settings) from error
    for mail in mails:
        print(f"From: {mail.sender}\nTo: {', '.join(mail.to)}\nSubject: {mail.subject}\n\n{mail.text}\n{'-' * 60}")
    print(f"outbox: mails={len(mails)}")
