"""What a run had before it when it paused: the user's words, results of earlier calls, passages that were looked up, and what the
agent wrote: messages of the model, summaries, messages under a name. Only a plain message of a human is the user's.

Read off the checkpoint, so that every process of the agent hands in the same. None of it is trusted: a text that a tool or a
search brought may say anything, and what a rule of the policy wants to know is whose words a value stands in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage

from placet.client.evidence import Piece, left_out

UNTRUSTED = ("tool", "retrieved", "agent")
_OF_THE_MODEL = {
    "tool_use",
    "tool_call",
    "function_call",
    "thinking",
    "redacted_thinking",
    "reasoning",
    "input_json_delta",
}


def collected(values: Mapping[str, Any]) -> list[Piece]:
    """The pieces in a run's state, most important first: the user's last words, then the conversation from its end, then
    documents that lie beside it in the state, then what the agent wrote.

    Args:
        values: the state's values, with its `messages`.
    """
    messages = _messages(values)
    last = next((one for one in reversed(messages) if isinstance(one, AIMessage)), None)
    proposing = last if last is not None and last.tool_calls else None  # it is sent as what the model says
    pieces = [piece for one in reversed(messages) if one is not proposing for piece in _piece(one)]
    pieces += _unknown(values)
    written = [piece for piece in pieces if piece["origin"] == "agent"]
    pieces = [piece for piece in pieces if piece["origin"] != "agent"]
    first = next((piece for piece in pieces if piece["origin"] == "user"), None)
    ordered = [first, *(piece for piece in pieces if piece is not first)] if first else pieces
    if first:
        first["title"] = "Last message of the user"
    return [*ordered, *_beside(values), *written]


def with_left_out(given: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Evidence that somebody chose, and how much of what the run read is not in it: a rule must not take that for nothing."""
    missing = [left for piece in collected(values) for left in _not_in(given, piece)]
    by_origin = {origin: [piece for piece in missing if piece["origin"] == origin] for origin in UNTRUSTED}
    return [*given, *(left_out(origin, pieces) for origin, pieces in by_origin.items() if pieces)]


def _not_in(given: Sequence[Mapping[str, Any]], piece: Piece) -> Iterator[Piece]:
    """What of a piece nobody handed in: its text, or what of it is no text, like a picture."""
    cut = int(piece.get("cut", 0))
    same = [one for one in given if one.get("origin") == piece["origin"] and one.get("text", "") == piece["text"]]
    if cut and not any(_cut_of(one) >= cut for one in same):
        yield {**piece, "text": ""} if _holds(given, piece["text"]) else piece
    elif not cut and not _holds(given, piece["text"]):
        yield piece


def _holds(given: Sequence[Mapping[str, Any]], text: str) -> bool:
    return any(text in str(one.get("text", "")) for one in given)


def _cut_of(piece: Mapping[str, Any]) -> int:
    cut = piece.get("cut", 0)
    return cut if isinstance(cut, int) else 0


def before_of(values: Mapping[str, Any]) -> str:
    """The tool that the run called before it paused; empty when this is its first call."""
    return next((str(one.name or "") for one in reversed(_messages(values)) if isinstance(one, ToolMessage)), "")


def _messages(values: Mapping[str, Any]) -> list[BaseMessage]:
    found = values.get("messages", []) if isinstance(values, Mapping) else []
    return [one for one in found if isinstance(one, BaseMessage)]


def _unknown(values: Mapping[str, Any]) -> list[Piece]:
    """What stands among the messages and is none: somebody's words that cannot be read here."""
    found = values.get("messages", []) if isinstance(values, Mapping) else []
    count = sum(not isinstance(one, BaseMessage) for one in found)
    return [_mark(f"{count} of the messages could not be read", "retrieved", count)] if count else []


def _mark(title: str, origin: str, cut: int) -> Piece:
    return {"title": title, "source": "conversation", "trusted": False, "text": "", "origin": origin, "cut": cut}


def _piece(message: BaseMessage) -> Iterator[Piece]:
    """One message: whose it is follows from its kind, and what is not certainly the user's is not theirs."""
    if not message.content:
        return
    summary = "lc_source" in message.additional_kwargs
    if isinstance(message, HumanMessage) and not message.name and not summary:
        said = _made("Earlier message of the user", "conversation", message, "user")
        yield said
        if said.get("cut"):  # whoever made the picture or file, the user sent it and did not write it
            yield _mark("A picture or file that the user sent", "retrieved", 1)
    elif isinstance(message, ToolMessage | FunctionMessage):
        name, sources = str(message.name or "a tool"), _sources(getattr(message, "artifact", None))
        if sources is None:
            yield _made(f"Result of {name}", name, message, "tool")
        else:
            yield _made(f"Passages that {name} found", ", ".join([name, *sources]), message, "retrieved")
    else:
        made = _made(_title(message, summary), str(message.name or "conversation"), message, "agent")
        if summary:  # what it stands for is gone
            made["cut"] = made.get("cut", 0) + 1
        if made["text"] or made.get("cut"):
            yield made


def _title(message: BaseMessage, summary: bool) -> str:
    if summary:
        return "Summary of what came before"
    return "Earlier message of the model" if isinstance(message, AIMessage) else f"Message of the kind {message.type}"


def _made(title: str, source: str, message: BaseMessage, origin: str) -> Piece:
    """What is no text (a picture, a file) is not sent, and counts as left out."""
    text = str(message.text)
    known = _OF_THE_MODEL if isinstance(message, AIMessage) else frozenset[str]()
    other = not isinstance(message.content, str) and any(not _is_text(block, known) for block in message.content)
    missing = {"cut": 1} if other else {}
    return {"title": title, "source": source, "trusted": False, "text": text, "origin": origin, **missing}


def _is_text(block: Any, known: Collection[str]) -> bool:
    return isinstance(block, str) or (isinstance(block, Mapping) and block.get("type") in {"text", *known})


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
