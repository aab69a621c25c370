"""The errors of the service model that this runtime answers with."""

from __future__ import annotations


class Refusal(Exception):
    """An answer that is an error.

    Attributes:
        status: HTTP status of that error in the service model.
        name: such as `ValidationException`.
        text: the message.
    """

    def __init__(self, status: int, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.status = status
        self.name = name
        self.text = text


def invalid(text: str) -> Refusal:
    """What is asked cannot be."""
    return Refusal(400, "ValidationException", text)


def conflict(text: str) -> Refusal:
    """The session is not where this request thinks it is."""
    return Refusal(409, "ConflictException", text)


def not_found(text: str) -> Refusal:
    """There is no such agent."""
    return Refusal(404, "ResourceNotFoundException", text)


def failed_dependency(text: str) -> Refusal:
    """An action failed: its Lambda, or the caller who says so."""
    return Refusal(424, "DependencyFailedException", text)
