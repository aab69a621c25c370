"""What a run had before it when it paused: the user's words, results of earlier calls, passages that were looked up.

Read off the checkpoint, so that every process of the agent hands in the same. None of it is trusted: a text that a tool or a
search brought may say anything, and what a rule of the policy wants to know is whose words a value stands in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from placet.client.evidence import Piece, left_out

UNTRUSTED = ("tool", "retrieved")


def collected(values: Mapping[str, Any]) -> list[Piece]:
    """The pieces in a run's state, most important first: the user's last words, then the conversation from its end, then
    documents that lie beside it in the state.

    Args:
        values: the state's values, with its `messages`.
    """
    pieces = [piece for message in reversed(_messages(values)) for piece in _piece(message)]
    first = next((piece for piece in pieces if piece["origin"] == "user"), None)
    ordered = [first, *(piece for piece in pieces if piece is not first)] if first else pieces
    if first:
        first["title"] = "Last message of the user"
    return [*ordered, *_beside(values)]


def with_left_out(given: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Evidence that somebody chose, and how much of what tools and searches brought is not in it: a rule must not take that for
    nothing."""
    texts = [str(piece.get("text", "")) for piece in given]
    missing = [piece for piece in collected(values) if not any(piece["text"] in text for text in texts)]
    by_origin = {origin: [piece for piece in missing if piece["origin"] == origin] for origin in UNTRUSTED}
    return [*given, *(left_out(origin, pieces) for origin, pieces in by_origin.items() if pieces)]


def before_of(values: Mapping[str, Any]) -> str:
    """The tool that the run called before it paused; empty when this is its first call."""
    return next((str(one.name or "") for one in reversed(_messages(values)) if isinstance(one, ToolMessage)), "")


def _messages(values: Mapping[str, Any]) -> list[BaseMessage]:
    found = values.get("messages", []) if isinstance(values, Mapping) else []
    return [one for one in found if isinstance(one, BaseMessage)]


def _piece(message: BaseMessage) -> Iterator[Piece]:
    if isinstance(message, HumanMessage) and message.content:
        yield _made("Earlier message of the user", "conversation", message, "user")
    if isinstance(message, ToolMessage) and message.content:
        name, sources = str(message.name or "a tool"), _sources(message.artifact)
        if sources is None:
            yield _made(f"Result of {name}", name, message, "tool")
        else:
            yield _made(f"Passages that {name} found", ", ".join([name, *sources]), message, "retrieved")


def _made(title: str, source: str, message: BaseMessage, origin: str) -> Piece:
    """What is no text (a picture, a file) is not sent, and counts as left out."""
    text = str(message.text)
    other = not isinstance(message.content, str) and any(not _is_text(block) for block in message.content)
    missing = {"cut": 1} if other else {}
    return {"title": title, "source": source, "trusted": False, "text": text, "origin": origin, **missing}


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or (isinstance(block, Mapping) and block.get("type") == "text")


def _sources(artifact: Any) -> list[str] | None:
    """Where the documents behind a result come from; None when there are none."""
    documents = [one for one in artifact if _is_document(one)] if isinstance(artifact, list | tuple) else []
    return (
        [str(one.metadata.get("source", "")) for one in documents if one.metadata.get("source")] if documents else None
    )


def _beside(values: Mapping[str, Any]) -> Iterator[Piece]:
    for name, value in values.items() if isinstance(values, Mapping) else ():
        for one in value if isinstance(value, list | tuple) else ():
            if _is_document(one):
                source = str(one.metadata.get("source", name))
                yield {
                    "title": "Retrieved passage",
                    "source": source,
                    "trusted": False,
                    "text": one.page_content,
                    "origin": "retrieved",
                }


def _is_document(one: Any) -> bool:
    return isinstance(getattr(one, "page_content", None), str) and isinstance(getattr(one, "metadata", None), dict)
