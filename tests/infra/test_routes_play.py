"""What is played of the routes: all that are deployed, on the ports that a handler asks for and under the rights of its role.

`make proof-rights` plays each of them, and judges what they asked for in both directions. The routes are the handlers' own, held
here against those that are deployed; and a route that lacks a right or a port does not play.
"""

from __future__ import annotations

import pytest

from infra.checks.template import Templates
from infra.constructs import api
from placet import wiring
from tests.functions.calling import Called, every_route
from tests.infra.guarded_gateway import Guarded
from tests.infra.guarded_table import rights_of
from tests.infra.playing import BEFORE, MORE, played, ports_of, wire

UNDO = Called("operate", "POST /v1/operations/calls/{id}/undo", "operator")


def test_what_is_played_is_what_is_deployed() -> None:
    tables = (api.AGENT_ROUTES, api.OPERATOR_ROUTES, api.REVIEWER_ROUTES, api.PAGE_ROUTES)
    deployed = {(verb, route) for table in tables for verb, routes in table.items() for route in routes}
    assert {(one.function, one.route) for one in every_route()} == deployed
    assert not {*BEFORE, *MORE} - {route for _, route in deployed}


def test_a_verb_that_reads_what_its_role_may_not_is_seen(templates: Templates, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: an operator's undo reads the freeze mark first, and its function might only write it."""
    granted = rights_of(templates)
    granted["operate"] -= {one for one in granted["operate"] if (one.action, one.pattern) == ("GetItem", "T#*#F#*")}
    gateway = Guarded.under(granted)
    wire(gateway, monkeypatch)
    with pytest.raises(AssertionError, match=r"operate: GetItem on T#main#F#"):
        played(gateway, UNDO)


def test_a_port_that_a_handler_did_not_ask_for_is_missed(templates: Templates, monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = Guarded.under(rights_of(templates))
    wire(gateway, monkeypatch)
    monkeypatch.setattr(wiring, "ports", lambda *names: ports_of(gateway, ()))
    with pytest.raises(AssertionError, match="500"):
        played(gateway, UNDO)
