"""People come and go: memberships change, groups empty, somebody is away with or without a delegate, and delegates decide."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from placet.model.states import Verdict
from placet.service import members
from placet.service.away import away, back
from placet.service.decide import Decision
from placet.service.escalate import escalate
from tests.proofs.stateful.acting import AGENTS
from tests.proofs.stateful.chances import EDGE, MOSTLY, SOME, any_pause, may_be_decided
from tests.proofs.stateful.handing import Handing
from tests.proofs.stateful.house import MENU, PEOPLE
from tests.proofs.stateful.standing_in import next_moment

HOUR_MS = 3_600_000
SUBS = list(PEOPLE)
REFUSED = (
    "absence_over",
    "delegate_unknown",
    "delegates_in_circle",
    "delegates_too_many",
    "delegate_full",
    "not_found",
)


class Leaving(Handing):
    """The rules, and those of Handing."""

    @rule(sub=st.sampled_from(SUBS), joins=st.booleans())
    def joins_or_leaves(self, sub: str, joins: bool) -> None:
        """Memberships change."""
        for group in PEOPLE[sub]:
            if joins:
                members.add(self.house.ports, self.house.people[sub], group)
            else:
                self.house.remove(sub, group)

    @rule(
        sub=st.sampled_from(SUBS),
        delegate=st.sampled_from(["", *SUBS, "olga", "lena"]),
        hours=st.sampled_from([1, 3, 30]),
        later=st.sampled_from([0, 0, 1]),
    )
    def goes_away(self, sub: str, delegate: str, hours: int, later: int) -> None:
        """Somebody is not here for a while, from now or soon on, and names somebody or nobody."""
        since = self.house.now_ms + later * HOUR_MS
        ports, person, until = self.house.ports, members.reviewer(self.house.ports, sub), since + hours * HOUR_MS
        self.quietly("away", *REFUSED, do=lambda: away(ports, person, since, until, delegate, sub))

    @rule(sub=st.sampled_from(SUBS))
    def is_back(self, sub: str) -> None:
        """Somebody is here again."""
        self.quietly(
            "back", "not_found", do=lambda: back(self.house.ports, members.reviewer(self.house.ports, sub), sub)
        )

    @rule(group=st.sampled_from(["finance", "approvers", "board"]), leaves=st.booleans(), comes_back=MOSTLY)
    def group_empties(self, group: str, leaves: bool, comes_back: bool) -> None:
        """Everybody of a group leaves or is away while something waits; mostly they come back."""
        self.comes_into_the_queue([MENU[4 if group == "approvers" else 0]], AGENTS["support-agent"], False, "wait")
        subs = [sub for sub, groups in PEOPLE.items() if group in groups]
        self.act("all of a group are gone", lambda: [self._is_gone(sub, group, leaves) for sub in subs])
        self.house.gateway.clock.move(60)
        self.sweeps(True)
        if comes_back:
            self.act("all of a group are there", lambda: [self._is_there(sub, group) for sub in subs])
            self.house.gateway.clock.move(60)
            self.sweeps(True)

    def _is_gone(self, sub: str, group: str, leaves: bool) -> None:
        person = members.reviewer(self.house.ports, sub)
        if leaves or not person.groups:
            self.house.remove(sub, group)
        else:
            away(self.house.ports, person, self.house.now_ms, self.house.now_ms + 3 * HOUR_MS, "", sub)

    def _is_there(self, sub: str, group: str) -> None:
        members.add(self.house.ports, self.house.people[sub], group)
        back(self.house.ports, members.reviewer(self.house.ports, sub), sub)

    @rule(
        tool=st.sampled_from([MENU[0], MENU[2], MENU[4]]),
        chain=st.booleans(),
        ends=st.sampled_from(["", "", "it is over", "who is away leaves", "who stands in leaves", "back"]),
        by_ms=EDGE,
        no=st.booleans(),
    )
    def stands_in(self, tool: tuple[str, dict[str, object]], chain: bool, ends: str, by_ms: int, no: bool) -> None:
        """Olga decides in Maria's place, or would have until a moment ago; Maria herself agrees as well."""
        self.comes_into_the_queue([tool], AGENTS["support-agent"], False, "wait")
        if not self.house.pauses:
            return
        self.goes_away("maria", "lena" if chain else "olga", 1, 0)
        if chain:
            self.goes_away("lena", "olga", 3, 0)
        if ends == "it is over":
            self.house.time_is(self.house.absence_of("maria")[1] + by_ms)
        elif ends == "back":
            self.is_back("maria")
        elif ends:
            self.joins_or_leaves("maria" if ends == "who is away leaves" else "olga", False)
        pause, number, _ = self.call(0, may_be_decided)
        verdict = Verdict.REJECT if no else Verdict.ACCEPT
        for sub in ("olga", "maria"):
            self.decide(pause, number, sub, Decision(verdict, *self.shown_of(pause, number, True), reason="no" * no))
        self.is_back("maria")
        self.joins_or_leaves("maria", True)
        self.joins_or_leaves("olga", True)

    @any_pause
    @rule(some=SOME, by_ms=EDGE, lost=st.booleans())
    def moment_comes(self, some: int, by_ms: int, lost: bool) -> None:
        """A reminder or a level is due: its timer fires just then, or is lost and the sweep comes."""
        pause, _, call = self.call(some, may_be_decided)
        if may_be_decided(call):
            self.house.time_is(next_moment(call) + by_ms)
            self._moment_passes(pause, lost)

    @rule(by_ms=EDGE, lost=st.booleans(), sub=st.sampled_from(["bela", "maria", "olga"]))
    def level_comes(self, by_ms: int, lost: bool, sub: str) -> None:
        """Those of a later level are asked, and one decides around that moment."""
        self.comes_into_the_queue([MENU[4]], AGENTS["support-agent"], False, "wait")
        if not self.house.pauses:
            return
        pause, number, call = self.call(0, may_be_decided)
        if not call.get("levels_ms"):
            return
        self.house.time_is(call["levels_ms"][0] + by_ms)
        self._moment_passes(pause, lost)
        self.accept(pause, number, sub)

    def _moment_passes(self, pause: str, lost: bool) -> None:
        if lost:
            self.house.gateway.clock.move(91)
            self.sweeps(True)
        else:
            self.quietly("escalate", do=lambda: escalate(self.house.ports, pause))
            self.act("functions", self.house.functions)
