"""The head of a pause, read from its stored item. Old versions are read here; unknown ones are parked (promise 11)."""

from __future__ import annotations

from dataclasses import dataclass

from placet.frameworks import is_taken
from placet.model.states import CallState, PauseState, ResumeState
from placet.records.calls import HeadCall, read_call
from placet.records.cards import Card, card_in
from placet.records.lanes import STEP, Stands, lane_at, moment_at
from placet.records.ops import Item
from placet.records.reading import reads, typed


@dataclass(frozen=True)
class Head:
    """The small mutable record of a pause.

    Attributes:
        body: digest of the immutable body of revision 1.
        level: index of the reviewers' level in whose queue it stands: the highest that a call of it has reached or was handed to.
        gen: generation of the state machine's execution.
        card: what lists show.
        cancelled: why the run does not want it any more; `successor`: the pause that took its place.
        stuck: why it cannot go on by itself.
        mails_missed: people who are still to be mailed: by the notify that shows the pause, or by the sweep once `wsk` is earlier
            than its next moment. `mails_tried`: how often that left somebody out. `mails_why`: empty for the first of all mails,
            else `reminded`, `widened`, `handed` or `answered`.
        said: whether an open pause has events that its page tells: somebody commented, asked, or gave it more time.
        wsk: the moment by which somebody has to do something about it; 0 when it is on no list. `lane`: what comes before that
            moment in the stored number (`records.lanes`), in ms; 0 but in a queue.
        held_ms: until when its run is kept from going on, because a decision may be taken back; 0 when it is not.
        by: the verb that captured it; empty when its agent handed it in, and in records from before it was written.
        lease_until_ms, holder, sending: of the lease on its decisions; who took it, by a name of that one try, and whether it is
            only to send them.
        delivered_ms, delivered_gen: when the decisions were last sent to the agent, and of which generation; 0 when never.
    """

    pause: str
    state: PauseState
    open_calls: int
    run: str
    agent: str
    framework: str
    requester: str
    owner: str
    level: int
    gen: int
    epoch: int
    body: str
    timeout_s: int
    captured_ms: int
    notified_ms: int
    deadline_ms: int
    resume_state: ResumeState
    fence: int
    cancelled: str
    successor: str
    stuck: str
    mails_missed: tuple[str, ...]
    wpk: str
    card: Card
    calls: tuple[HeadCall, ...]
    mails_tried: int = 0
    delivered_ms: int = 0
    delivered_gen: int = 0
    lease_until_ms: int = 0
    holder: str = ""
    sending: bool = False
    wsk: int = 0
    by: str = ""
    mails_why: str = ""
    said: bool = False
    lane: int = 0
    held_ms: int = 0

    def call(self, number: int) -> HeadCall | None:
        """One call by its number."""
        return next((call for call in self.calls if call.number == number), None)

    def is_leased(self, now_ms: int) -> bool:
        """Whether somebody works on its decisions; who only sends them keeps nobody from taking them."""
        return self.lease_until_ms > now_ms and not self.sending

    def is_held(self, now_ms: int) -> bool:
        """Whether its run waits for the end of the time in which a decision may be taken back; once handed out it waits no more."""
        return self.held_ms > now_ms and not self.cancelled and self.resume_state is not ResumeState.OFFERED

    def may_take_back(self, call: HeadCall, now_ms: int) -> bool:
        """Whether the decision on a call may still be taken back: to its agent and to who asked, it waits.

        No more once its run may go on, though by a clock that is behind there would be time.
        """
        is_out = not self.open_calls and not self.held_ms
        return call.undo_ms > now_ms and not (is_out or self.cancelled or self.resume_state is ResumeState.OFFERED)

    @property
    def askers(self) -> tuple[str, ...]:
        """Every text that names somebody who asked for it; of what takes a call back also who is kept out with that one."""
        return (self.requester, *self.card.kept_out)

    @property
    def kept_out(self) -> tuple[str, ...]:
        """Every text that names somebody who has no say in it: who asked for it, and the owner of its agent."""
        return (*self.askers, self.owner)

    @property
    def stands(self) -> Stands:
        """Where it stands in its list, as it is stored."""
        return Stands(self.lane + self.wsk)

    @property
    def pending(self) -> tuple[HeadCall, ...]:
        """The calls that wait for a person."""
        return tuple(call for call in self.calls if call.state is CallState.PENDING)


@reads("head of this pause")
def read_head(item: Item) -> Head:
    """The head in a stored item. Raises Parked, Damaged."""
    head = typed(as_written(item))
    if not head.calls or head.open_calls != len(head.pending):
        raise ValueError("its calls are not those that it counts")
    if head.notified_ms and not all(call.deadline_ms for call in head.pending):
        raise ValueError("a call that is shown would wait for ever")
    if not is_taken(head.framework):
        raise ValueError("nothing here can answer its framework")
    return head


def as_written(item: Item) -> Head:
    """The head as its attributes say, whether or not they agree with one another; raises whatever an odd one raises."""
    return Head(
        pause=item["pk"].rpartition("#")[2],
        state=PauseState(item["state"]),
        open_calls=item["open_calls"],
        run=item["run"],
        agent=item["agent"],
        framework=item["framework"],
        requester=item.get("requester", ""),
        owner=item.get("owner", ""),
        level=item["level"],
        gen=item["gen"],
        epoch=item["epoch"],
        body=item["body"],
        timeout_s=item["timeout_s"],
        captured_ms=item["captured_ms"],
        notified_ms=item.get("notified_ms", 0),
        deadline_ms=item.get("deadline_ms", 0),
        resume_state=ResumeState(item["resume_state"]),
        fence=item["fence"],
        cancelled=item.get("cancelled", ""),
        successor=item.get("successor", ""),
        stuck=item.get("stuck", ""),
        mails_missed=tuple(item.get("mails_missed", ())),
        mails_tried=item.get("mails_tried", 0),
        wpk=item.get("wpk", ""),
        card=card_in(item),
        calls=tuple(
            read_call(int(number), raw) for number, raw in sorted(item["calls"].items(), key=lambda p: int(p[0]))
        ),
        delivered_ms=item.get("delivered_ms", 0),
        delivered_gen=item.get("delivered_gen", 0),
        lease_until_ms=item.get("lease_until_ms", 0),
        holder=item.get("holder", ""),
        sending=item.get("sending", False),
        wsk=moment_at(item.get("wsk", 0)),
        by=item.get("by", ""),
        mails_why=item.get("mails_why", ""),
        said=item.get("said", False),
        lane=lane_at(item.get("wsk", 0)) * STEP,
        held_ms=item.get("held_ms", 0),
    )
