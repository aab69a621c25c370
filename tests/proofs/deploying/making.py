"""How a pause gets into each state: every function brings a run of a name into one, and returns the pause's id."""

from __future__ import annotations

import contextlib

from placet.model.canonical import digest, parse
from placet.model.errors import Conflict
from placet.model.pauses import Agent, call_id
from placet.model.states import PermitState, Verdict
from placet.records.keys import SEVERAL
from placet.service.cancel import cancel
from placet.service.execute import claim, outcome
from placet.service.leases import lease
from placet.service.resume import LEASE_MS, resume, take
from placet.service.went_on import resumed
from tests.proofs.deploying.cast import DESK
from tests.proofs.deploying.house import REFUND, House
from tests.proofs.world.agents import Effect
from tests.proofs.world.cast import BILLING, MINUTE, SUPPORT
from tests.proofs.world.touching import Crash

PURGE, CLIMB, ERASE = ("purge", {"table": "a"}), ("climb", {"height": 3}), ("erase", {"table": "b"})
LESS = '{"amount":400}'


def captured(house: House, name: str) -> str:
    pause = house.capture(name)
    house.forgotten()
    return pause


def wait_began(house: House, name: str) -> str:
    pause = house.capture(name)
    house.perform(house.messages.pop(0))  # dispatch; the machine's task is still under way
    house.hold()
    return pause


def shown(house: House, name: str) -> str:
    for key in [key for key in house.table.items if "#M#" in key.pk]:
        del house.table.items[key]  # its people were not mailed lately, so that they would be now
    house.mail.away = True
    pause = house.shown(name)
    house.mail.away = False
    return pause


def nobody_comes(house: House, name: str) -> str:
    pause = house.shown(name)
    house.fates[pause] = "nothing"
    return pause


def expired(house: House, name: str) -> str:
    pause = house.shown(name)
    house.clock.move(20 * MINUTE)
    house.drain()
    return pause


def asked_again(house: House, name: str) -> str:
    """Its approval got too old before anybody used it."""
    pause = offered(house, name)
    house.clock.move(31 * MINUTE)
    with contextlib.suppress(Conflict):
        claims(house, pause)
    house.drain()
    return pause


def level(house: House, name: str) -> str:
    """Widened to the second level, as a widening leaves it."""
    pause = house.shown(name, CLIMB)
    house.table.items[house.keys.head(pause)] |= {"level": 1, "wpk": house.keys.queue("ladder", 1)}
    return pause


def level_of_several(house: House, name: str) -> str:
    """The same, of calls of two classes."""
    pause = house.shown(name, REFUND, CLIMB)
    house.table.items[house.keys.head(pause)] |= {"level": 1, "wpk": house.keys.queue(SEVERAL, 1)}
    return pause


def one_of_two(house: House, name: str) -> str:
    pause = house.shown(name, REFUND, ("refund", {"amount": 600}))
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def several(house: House, name: str) -> str:
    return house.shown(name, REFUND, PURGE)


def one_of_several(house: House, name: str) -> str:
    pause = several(house, name)
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def voted(house: House, name: str) -> str:
    pause = house.shown(name, ERASE)
    house.decides("maria", pause, 1)
    return pause


def decided(house: House, name: str, agent: Agent = SUPPORT) -> str:
    pause = house.shown(name, agent=agent)
    house.decides("maria", pause, 1)
    house.forgotten()
    return pause


def offered(house: House, name: str, keyed: bool = False) -> str:
    pause = house.shown(name, keyed=keyed)
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def rejected(house: House, name: str) -> str:
    pause = house.shown(name)
    house.decides("jonas", pause, 1, Verdict.REJECT)
    house.drain()
    return pause


def edited(house: House, name: str) -> str:
    pause = house.shown(name)
    house.decides("jonas", pause, 1, Verdict.EDIT, arguments=LESS, new_digest=digest(parse(LESS)))
    house.drain()
    return pause


def passed(house: House, name: str) -> str:
    pause = house.capture(name, ("refund", {"amount": 5}))
    house.drain()
    return pause


def leased(house: House, name: str) -> str:
    pause = offered(house, name)
    assert take(house.ports("pick_up"), SUPPORT, pause)
    return pause


def claims(house: House, pause: str, worker: str = "dead") -> str:
    head = house.head(pause)
    claim(house.ports("execute"), SUPPORT, call_id(pause, 1), head.calls[0].digest, worker)
    return pause


def claimed(house: House, name: str) -> str:
    return claims(house, leased(house, name))


def claimed_beside_open(house: House, name: str) -> str:
    return claims(house, one_of_two(house, name))


def freed(house: House, name: str) -> str:
    """A tool that takes a key; its attempt never reported, and the permit is free again."""
    pause = claims(house, offered(house, name, keyed=True))
    house.clock.move(301)
    house.sweep()
    return pause


def done(house: House, name: str) -> str:
    pause = acts(house, leased(house, name))
    outcome(house.ports("execute"), SUPPORT, call_id(pause, 1), "dead", PermitState.DONE, "r")
    return pause


def acts(house: House, pause: str) -> str:
    claims(house, pause)
    effect = Effect(call_id(pause, 1), "", house.head(pause).calls[0].digest, "dead")
    house.processes[SUPPORT.name].ledger.append(effect)
    return pause


def went_on(house: House, name: str) -> str:
    """The run went on while the report on its call is missing."""
    pause = claims(house, offered(house, name))
    resumed(house.ports("execute"), SUPPORT, pause)
    house.processes[SUPPORT.name].threads[name, f"cp-{name}"].pending.clear()
    return pause


def unknown(house: House, name: str) -> str:
    pause = acts(house, leased(house, name))
    outcome(house.ports("execute"), SUPPORT, call_id(pause, 1), "dead", PermitState.UNKNOWN, "")
    return pause


def stuck(house: House, name: str) -> str:
    """Its wait failed before anybody saw it."""
    pause = house.capture(name)
    house.forgotten()
    house.post("list", {"tenant": "main", "pause": pause, "gen": 1, "list": "wait_failed"})
    house.drain()
    return pause


def resume_failed(house: House, name: str) -> str:
    pause = decided(house, name, BILLING)
    house.post("list", {"tenant": "main", "pause": pause, "gen": 1, "list": "resume_failed"})
    house.drain()
    return pause


def cancelled(house: House, name: str) -> str:
    pause = house.shown(name)
    house.processes[SUPPORT.name].cancel(house.processes[SUPPORT.name].threads[name, f"cp-{name}"])
    house.drain()
    return pause


def cancelled_claimed(house: House, name: str) -> str:
    pause = claims(house, offered(house, name))
    cancel(house.ports("execute"), SUPPORT, pause, "the user left")
    house.drain()
    return pause


def lambda_leased(house: House, name: str) -> str:
    """Its function was being called when the one that called it died."""
    pause = decided(house, name, BILLING)
    assert lease(house.ports("resume"), house.head(pause), LEASE_MS)
    return pause


def queued(house: House, name: str) -> str:
    pause = house.shown(name, agent=DESK)
    house.decides("maria", pause, 1)
    house.drain()
    return pause


def queue_leased(house: House, name: str) -> str:
    pause = queued(house, name)
    house.queue = [one for one in house.queue if one["pause"] != pause]
    assert take(house.ports("pick_up"), DESK, pause)
    return pause


def bedrock_decided(house: House, name: str) -> str:
    pause = house.asked(name)
    house.decides("maria", pause, 1)
    house.forgotten()
    return pause


def bedrock_answering(house: House, name: str) -> str:
    """The executor has run it; the function died while the answer was under way."""
    pause = house.asked(name)
    house.decides("maria", pause, 1)
    house.forgotten()
    house.runtime.deadly = True
    with contextlib.suppress(Crash):
        resume(house.ports("resume"), pause)
    house.runtime.deadly = False
    house.forgotten()
    return pause
