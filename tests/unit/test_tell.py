"""Sinks: who is told what, what becomes of one that refuses, and mail that did not reach its reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from placet.model.errors import Busy, Refused
from placet.model.sinks import WAITS, Sink, sink_of
from placet.service.tell import tell
from tests.gateway import REFUND, Gateway

DETAIL = {"version": 1, "event": "visible", "pause": "p", "id": "p#visible#1"}


@dataclass
class Outlets:
    """Sinks in memory; `error` is raised until it is taken away."""

    told: list[tuple[str, str]] = field(default_factory=list)
    error: Exception | None = None

    def tell(self, sink: Sink, detail: Mapping[str, Any], headline: str) -> None:
        if self.error:
            raise self.error
        self.told.append((sink.name, headline))


def ports(gateway: Gateway, outlets: Outlets) -> Any:
    return replace(gateway.ports, outlets=outlets)


def test_a_sink_is_told_without_what_the_calls_would_do(gateway: Gateway) -> None:
    head, outlets = gateway.shown(REFUND), Outlets()
    sinks = (Sink("a", "slack"), Sink("b", "slack", headline=True))
    for name in ("a", "b"):
        assert tell(ports(gateway, outlets), sinks, name, {**DETAIL, "pause": head.pause}) == "told"
    assert outlets.told == [("a", ""), ("b", head.card.title)]
    assert "240.5" in head.card.title


def test_a_headline_of_a_pause_that_is_gone_or_damaged_is_empty(gateway: Gateway) -> None:
    head, outlets = gateway.shown(REFUND), Outlets()
    del gateway.table.items[gateway.keys.head(head.pause)]["card"]
    for pause in (head.pause, "gone"):
        tell(ports(gateway, outlets), [Sink("b", "slack", headline=True)], "b", {**DETAIL, "pause": pause})
    assert outlets.told == [("b", ""), ("b", "")]


def test_a_sink_that_refuses_is_marked_named_and_not_tried_in_a_loop(gateway: Gateway) -> None:
    outlets = Outlets(error=Refused("delivery_refused", "hooks.example answered 404."))
    assert tell(ports(gateway, outlets), [Sink("a", "slack")], "a", DETAIL) == "refused"
    assert ("sink_refused", {"sink": "a", "code": "delivery_refused"}) in gateway.log
    assert gateway.table.get(gateway.keys.sink("a"))["refused"] == "hooks.example answered 404."
    outlets.error = None
    assert tell(ports(gateway, outlets), [Sink("a", "slack")], "a", DETAIL) == "told"
    assert gateway.table.get(gateway.keys.sink("a"))["refused"] == ""


def test_what_may_be_told_later_is_tried_again(gateway: Gateway) -> None:
    with pytest.raises(Busy):
        tell(ports(gateway, Outlets(error=Busy("later"))), [Sink("a", "slack")], "a", DETAIL)
    assert gateway.table.get(gateway.keys.sink("a")) is None


@pytest.mark.parametrize(("name", "detail"), [("b", DETAIL), ("a", {**DETAIL, "version": 2}), ("a", {})])
def test_a_sink_or_a_contract_that_is_gone(gateway: Gateway, name: str, detail: dict[str, Any]) -> None:
    outlets = Outlets()
    assert tell(ports(gateway, outlets), [Sink("a", "slack")], name, detail) == "gone"
    assert outlets.told == []


def test_a_sink_as_the_settings_write_it() -> None:
    assert sink_of({"name": "a", "kind": "sns", "topic": "t"}) == Sink("a", "sns", "t", events=WAITS)
    assert sink_of({"name": "a", "kind": "sns", "topic": "t", "events": ["decided"]}).events == ("decided",)
