"""README's list of what is missing is true; whoever builds one of these strikes it from the list and from here."""

from __future__ import annotations

import pytest

from placet.frameworks import NAMES
from placet.model.canonical import MAX_BODY_BYTES
from tests.docs.reading import PACKAGE, ROOT, without_code

LIST = without_code(ROOT / "README.md").partition("## Not there yet")[2]
SERVICE = {path.stem: path.read_text() for path in (PACKAGE / "service").glob("*.py")}

MISSING = {
    "Frameworks other than LangChain, LangGraph and Bedrock Agents": set(NAMES) == {"bedrock", "langchain"},
    "A stop flag": not any("stopped" in text or "stop_flag" in text for text in SERVICE.values()),
    "Captures over 256 KB": MAX_BODY_BYTES == 256 * 1024,
    "evals": not (PACKAGE / "evals").exists(),
}


@pytest.mark.parametrize("words", MISSING)
def test_what_the_readme_calls_missing_is_missing(words: str) -> None:
    assert words in LIST, "the list does not say it any more: strike it here too"
    assert MISSING[words], "it is there now: strike it from README.md and from here"
