"""Pauses that wait while the account is deployed into, and where each of them is to be seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from local.agents_setup import role_arn
from placet.aws.table import DynamoTable
from placet.records.keys import Keys
from tests.e2e.reviewers import JsonReviewer
from tests.e2e.signed import Signed, pause_body
from tests.proofs.rehearsing.account import DECIDERS, Account
from tests.proofs.rehearsing.assemblies import role

KEYS = Keys("main")
PATIENCE_S = 300  # of somebody who looks for a pause: the sweep that lists what is orphaned comes once a minute


@dataclass
class Waiting:
    """The pauses of one rehearsal: by id, what each of them is about, and whose it is."""

    account: Account
    captured: dict[str, tuple[str, str]] = field(default_factory=dict)
    patience_s: float = PATIENCE_S

    def agent(self, name: str) -> Signed:
        """An agent under its own role."""
        credentials = self.account.aws.assume(role_arn(role(name)), name)
        return Signed(self.account.api_url, credentials)

    def operator(self) -> Signed:
        return Signed(self.account.api_url, self.account.operator_credentials())

    def reviewer(self, name: str) -> JsonReviewer:
        """Somebody with a fresh token."""
        return JsonReviewer(self.account.api_url, self.account.access_token(name))

    def capture(self, agent: str, what: str, *calls: tuple[str, dict[str, Any]]) -> str:
        """A pause that a reviewer can see; its id."""
        run = f"rehearsal-{what.replace(' ', '-')}"
        body = pause_body(run, *calls, entity=f"order:{len(self.captured)}", requester="elif@rehearsal.test")
        pause = str(self.agent(agent).taken("POST", "/v1/pauses", body)["pause"])
        self.captured[pause] = what, agent
        self.shown(pause)
        return pause

    def shown(self, pause: str) -> None:
        """Wait until a reviewer sees it."""
        assert until(lambda: self.head(pause).get("notified_ms"), self.patience_s), (
            f"{self.told(pause)} was never shown"
        )

    def head(self, pause: str) -> dict[str, Any]:
        """The pause's record; empty when it is gone."""
        table = DynamoTable(self.account.table_name, self.account.client("dynamodb"))
        return table.get(KEYS.head(pause)) or {}

    def by_name(self, what: str) -> str:
        """The id of the pause that is about this."""
        return next(pause for pause, (about, _) in self.captured.items() if about == what)

    def told(self, pause: str) -> str:
        return f"{self.captured[pause][0]} ({pause})"

    def decide(self, pause: str, decision: str, *names: str, **more: Any) -> None:
        """Every open call of it, by these people one after the other."""
        for name in names:
            person = self.reviewer(name)
            for call in person.detail(pause)["calls"]:
                if call["state"] == "pending" and call["may_decide"]:
                    person.decide(call, decision, **more)

    def offered(self, pause: str) -> list[dict[str, Any]]:
        """The decided calls, as its agent picks them up."""
        agent = self.agent(self.captured[pause][1])
        found: list[dict[str, Any]] = []

        def look() -> bool:
            found[:] = [one for one in pages(agent, "/v1/resumes", "resumes") if one["pause"] == pause]
            return bool(found)

        assert until(look, self.patience_s), f"{self.told(pause)} was not offered to its agent"
        return list(found[0]["calls"])

    def go_on(self, pause: str) -> None:
        """Its agent does what was accepted and says that its run has gone on."""
        calls, agent = self.offered(pause), self.agent(self.captured[pause][1])
        for call in calls:
            if call["state"] in ("accepted", "edited") and call.get("permit") == "free":
                claim(agent, call)
                agent.taken("POST", f"/v1/calls/{call['call']}/outcome", {"worker": "w1", "permit": "done"})
        agent.taken("POST", f"/v1/resumes/{pause}/outcome", {"state": "resumed"})

    def places(self) -> dict[str, str]:
        """By pause, where it is: ended, listed as stuck, in an inbox, offered to its agent; empty for one that nobody sees."""
        if not self.captured:
            return {}
        stuck = {
            one["pause"]: f"stuck: {one['reason']}" for one in pages(self.operator(), "/v1/operations/stuck", "stuck")
        }
        inbox = {
            row["pause"]: "inbox" for name in DECIDERS for row in pages(self.reviewer(name), "/v1/reviews", "reviews")
        }
        return {pause: self._place(pause, stuck, inbox) for pause in self.captured}

    def _place(self, pause: str, stuck: dict[str, str], inbox: dict[str, str]) -> str:
        state = self.head(pause).get("state", "gone")
        if state == "ended":
            return "ended"
        if found := stuck.get(pause, inbox.get(pause)):
            return found
        try:
            rows = pages(self.agent(self.captured[pause][1]), "/v1/resumes", "resumes")
            return "offered" if any(one["pause"] == pause for one in rows) else ""
        except AssertionError:  # its agent is not in the registry any more
            return ""

    def invisible(self) -> tuple[dict[str, str], list[str]]:
        """Where everything is, and a sentence for each pause that nobody sees although there was time to list it."""
        places: dict[str, str] = {}

        def all_seen() -> bool:
            places.update(self.places())
            return all(places.values())

        until(all_seen, self.patience_s, every=3)
        return places, [f"nobody sees {self.told(pause)}" for pause, place in places.items() if not place]


def claim(agent: Signed, call: dict[str, Any]) -> None:
    """Take the permit of a decided call."""
    agent.taken("POST", f"/v1/calls/{call['call']}/claim", {"digest": call["digest"], "worker": "w1"})


def pages(who: Signed | JsonReviewer, path: str, rows: str) -> Iterator[dict[str, Any]]:
    """Every row of a list that has pages."""
    after = ""
    while True:
        status, answer = who.call("GET", f"{path}?after={after}" if after else path)
        assert status == 200, (path, status, answer)
        yield from answer[rows]
        if not (after := answer.get("next") or ""):
            return


def until(look: Callable[[], Any], patience_s: float, every: float = 0.3) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + patience_s
    while not look():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True
