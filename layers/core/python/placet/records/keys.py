"""Partition and sort keys of the one table. Tenant is the first part of every key; no part of a partition holds `#`.

IAM tells partitions apart by patterns like `T#*#P#*`, whose stars take a `#` too: a name with one could be another kind.
"""

from __future__ import annotations

from typing import NamedTuple

SCHEMA_VERSION = 1
SEVERAL = "several."  # the queue of pauses whose open calls belong to several classes; no class has a dot in its name


class Key(NamedTuple):
    """The primary key of one item."""

    pk: str
    sk: str


class Keys:
    """Builds every key of one tenant."""

    def __init__(self, tenant: str) -> None:
        if not tenant or "#" in tenant:
            raise ValueError("a tenant needs a name without '#'")
        self.tenant = tenant
        self._t = f"T#{tenant}"

    def pause(self, pause: str) -> str:
        """The partition of a pause: its head, bodies and events."""
        return f"{self._t}#P#{_part(pause)}"

    def head(self, pause: str) -> Key:
        """The small mutable record of a pause."""
        return Key(self.pause(pause), "HEAD")

    def body(self, pause: str, digest: str) -> Key:
        """An immutable body under the first half of its digest."""
        return Key(self.pause(pause), f"BODY#{digest[:32]}")

    def revision(self, pause: str, number: int, revision: int, digest: str) -> Key:
        """The arguments that an edit made of a call; two editors of one revision do not share a key."""
        return Key(self.pause(pause), f"REV#{number}#{revision}#{digest[:32]}")

    def answer(self, pause: str, number: int, digest: str) -> Key:
        """What an agent answered to a question about a call."""
        return Key(self.pause(pause), f"ANSWER#{number}#{digest[:32]}")

    def event(self, pause: str, fact: str) -> Key:
        """An event under a name that is unique per fact."""
        return Key(self.pause(pause), f"E#{fact}")

    def token(self, pause: str, gen: int) -> Key:
        """The task token, in its own partition: IAM can fence off a partition, not a sort key."""
        return Key(f"{self._t}#K#{_part(pause)}", f"TOKEN#{gen}")

    def member(self, sub: str, group: str) -> Key:
        """One person's membership of one group."""
        return Key(self.person(sub), f"G#{group}")

    def person(self, sub: str) -> str:
        """The partition of a person's memberships."""
        return f"{self._t}#U#{_part(sub)}"

    def group_member(self, group: str, sub: str) -> Key:
        """The same membership, found from the group: whom to mail."""
        return Key(self.group(group), f"U#{sub}")

    def group(self, group: str) -> str:
        """The partition of a group's people."""
        return f"{self._t}#G#{_part(group)}"

    def badges(self, sub: str) -> str:
        """The partition of a person's badges: of what their sign-in said."""
        return f"{self._t}#I#{_part(sub)}"

    def badge(self, sub: str, group: str) -> Key:
        """One person's badge of one group."""
        return Key(self.badges(sub), f"G#{group}")

    def badge_holders(self, group: str) -> str:
        """The partition of those who have a group's badge."""
        return f"{self._t}#J#{_part(group)}"

    def badge_holder(self, group: str, sub: str) -> Key:
        """The same badge, found from the group."""
        return Key(self.badge_holders(group), f"U#{sub}")

    def absences(self) -> str:
        """The partition of who is away: one for all, because who stands in for whom is asked of all of them together."""
        return f"{self._t}#O#away"

    def absence(self, sub: str) -> Key:
        """That one person is away."""
        return Key(self.absences(), sub)

    def session(self, hashed: str) -> Key:
        """A signed-in browser, under the SHA-256 of its cookie."""
        return Key(f"{self._t}#S#{_part(hashed)}", "SESSION")

    def session_run(self, agent: str, run: str) -> Key:
        """The record of a Bedrock run, in its agent's own partition."""
        return Key(self._run(agent, run), "RUN")

    def control(self, agent: str, run: str, turn: int) -> Key:
        """What the agent asked for at the end of one turn."""
        return Key(self._run(agent, run), f"CONTROL#{turn}")

    def completion(self, agent: str, run: str, turn: int) -> Key:
        """What the agent said at the end of one turn."""
        return Key(self._run(agent, run), f"TURN#{turn}")

    def _run(self, agent: str, run: str) -> str:
        return f"{self._t}#N#{_part(agent)}#{_part(run)}"

    def mailbox(self, sub: str) -> Key:
        """When a person was last mailed, and why mail to them is refused: one person's, whatever groups they are in."""
        return Key(f"{self._t}#M#{_part(sub)}", "MAIL")

    def held_mail(self, shard: int = 0) -> str:
        """Work list: people who are owed a mail of what waits, by the moment at which they may get it."""
        return f"{self._t}#W#mail#{shard}"

    def open_count(self, agent: str) -> Key:
        """How many pauses of an agent wait for people, by class."""
        return Key(f"{self._t}#C#{_part(agent)}", "OPEN")

    def sink(self, name: str) -> Key:
        """That a sink refused what it was told."""
        return Key(f"{self._t}#Y#{_part(name)}", "SINK")

    def freeze(self) -> Key:
        """The mark that stops captures, decisions and claims, for the time of a restore."""
        return Key(f"{self._t}#F#freeze", "FREEZE")

    def new(self, shard: int = 0) -> str:
        """Work list: captured, not yet shown to anybody."""
        return f"{self._t}#W#new#{shard}"

    def queue(self, action_class: str, level: int, shard: int = 0) -> str:
        """Work list: waits for the reviewers of a class at a level; of SEVERAL, for those of more than one class."""
        return f"{self._t}#Q#{action_class}.{level}#{shard}"

    def out(self, agent: str, shard: int = 0) -> str:
        """Work list: decided, the run has not gone on yet. This is the agent's pick-up list."""
        return f"{self._t}#W#out#{agent}#{shard}"

    def stuck(self, shard: int = 0) -> str:
        """Work list: cannot go on by itself."""
        return f"{self._t}#W#stuck#{shard}"

    def history(self, action_class: str) -> str:
        """The partition that counts how long people took for this class, by day."""
        return f"{self._t}#H#{_part(action_class)}"

    def lists(self) -> str:
        """The partition that remembers every work list that was ever written to."""
        return f"{self._t}#L#lists"

    def remembered(self, work_list: str) -> Key:
        """One work list, by its key in the `work` index: it outlives the agent or class that it is named after."""
        return Key(self.lists(), work_list)

    def entity(self, entity: str) -> str:
        """The partition of pauses about one business thing."""
        return f"{self._t}#E#{_escaped(entity)}"

    def run(self, agent: str, run: str) -> str:
        """The partition of pauses of one run: a run's name is its agent's own."""
        return f"{self._t}#R#{_part(agent)}#{_escaped(run)}"

    def budget(self, hashed: str, day: str) -> Key:
        """The counter of a budget, under the hash of its name: that may be anybody's text. `day` is empty for one of a run."""
        return Key(f"{self._t}#B#{_part(hashed)}", f"BUDGET#{day}" if day else "BUDGET")

    def seen(self, hashed: str) -> Key:
        """That something was there before, under the hash of what it is."""
        return Key(f"{self._t}#D#{_part(hashed)}", "SEEN")

    def samples(self) -> str:
        """The partition of pauses that were let pass and drawn for a look afterwards."""
        return f"{self._t}#A#samples"

    def old_entity(self, entity: str) -> str:
        """Find index, of earlier releases: pauses about one business thing."""
        return f"{self._t}#E#{entity}"

    def old_run(self, run: str) -> str:
        """Find index, of earlier releases: pauses of the runs of this name, whoever's they are."""
        return f"{self._t}#R#{run}"


def _escaped(name: str) -> str:
    """A name that its agent chose, without `#`; different names stay different."""
    return name.replace("%", "%25").replace("#", "%23")


def _part(name: str) -> str:
    if "#" in name:
        raise ValueError("a part of a partition's name holds a '#'")
    return name
