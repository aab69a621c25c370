"""The gateway's address as people mistype it: one sentence that says what to write."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from placet.cli import __main__ as cli
from placet.client import ClientError, Gateway
from placet.client.address import EXAMPLE, address

WRONG = [
    ("localhost:4568", "does not begin with http:// or https://. Write http://localhost:4568."),
    ("127.0.0.1:4568/", "Write http://127.0.0.1:4568."),
    ("abc.execute-api.eu-west-1.amazonaws.com", "Write https://abc.execute-api.eu-west-1.amazonaws.com."),
    ("//abc.example", "Write https://abc.example."),
    ("ftp://abc.example", "does not begin with http:// or https://. Write https://abc.example."),
    ("https://abc.example/prod", "is more than the address of the API. Write https://abc.example."),
    ("https://abc.example/v1/pauses", "Write https://abc.example."),
    ("http://localhost:4568/inbox?after=x", "Write http://localhost:4568."),
    ("https://abc.example#here", "Write https://abc.example."),
    ("https://me:secret@abc.example", "Write https://abc.example."),
    ("http://localhost:45680000", "its port is no number below 65536."),
    ("http://localhost:http", "its port is no number below 65536."),
    ("localhost:http", "its port is no number below 65536."),
    ("https://", f"it names no host. Write it like {EXAMPLE}."),
    ("https:///prod", "it names no host."),
    ("https://a b.example", "it names no host."),
    ("https://<your-api>", "it names no host."),
    ("$PLACET_URL", "it names no host."),
]
RIGHT = {
    "http://localhost:4568": "http://localhost:4568",
    "https://abc.example/": "https://abc.example",
    "https://abc.example:8443//": "https://abc.example:8443",
    " https://abc.example\n": "https://abc.example",
    "http://[::1]:4568": "http://[::1]:4568",
    "HTTPS://abc.example": "https://abc.example",
}


@pytest.mark.parametrize(("given", "says"), WRONG, ids=[given for given, _ in WRONG])
def test_what_is_no_address_is_said_with_what_to_write(given, says, monkeypatch):
    monkeypatch.setenv("PLACET_URL", given)
    with pytest.raises(ClientError) as caught:
        Gateway()
    assert str(caught.value).startswith("PLACET_URL is ")
    assert "secret" not in str(caught.value)
    assert says in str(caught.value)
    shown = CliRunner().invoke(cli.main, ["stuck"])
    assert (shown.exit_code, shown.output.startswith("placet: PLACET_URL is ")) == (2, True)
    assert shown.output.count("\n") == 1
    monkeypatch.delenv("PLACET_URL")
    with pytest.raises(ClientError, match=r"^The url is "):
        Gateway(given)


@pytest.mark.parametrize("given", ["", "  "])
def test_no_address_is_said_with_an_example(given, monkeypatch):
    monkeypatch.setenv("PLACET_URL", given)
    with pytest.raises(ClientError, match=f"pass url or set PLACET_URL, for example to {EXAMPLE}"):
        Gateway()
    shown = CliRunner().invoke(cli.main, ["stuck"])
    assert (shown.exit_code, "set PLACET_URL" in shown.output) == (2, True)


@pytest.mark.parametrize(("given", "taken"), RIGHT.items())
def test_an_address_is_taken_with_or_without_a_slash(given, taken):
    assert address(given) == taken
