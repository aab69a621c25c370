"""Capturing what a run asks: the same words from every process, because all of it is read off the checkpoints."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from placet.client.errors import ClientError, GatewayRefused, NotCapturable, NotExact
from placet.client.gateway import Gateway
from placet.client.langchain import own
from placet.client.langchain.collecting import before_of, collected, with_left_out
from placet.client.langchain.own import Own
from placet.client.langchain.pauses import facts_of, native_of, pending_ids, says_of
from placet.client.langchain.refusals import (
    about_the_schema,
    declined,
    for_the_developer,
    is_the_developers,
    is_the_models,
)
from placet.client.langchain.run_metadata import About
from placet.client.records import Pause

log = logging.getLogger(__name__)

SEEN_WITHIN_S = 5.0


@dataclass(frozen=True)
class Capturing:
    """Attributes:
    schemas: by tool name, what the gateway is told of each tool.
    own: functions of the agent's builder.
    """

    gateway: Gateway
    schemas: dict[str, dict[str, Any]]
    own: Own = field(default_factory=Own)

    def first(self, agent: Any, config: RunnableConfig, result: Any) -> Pause | None:
        """Capture what an invoke returned, once the checkpointer shows it too; None when nothing is asked."""
        asked = frozenset(item.id for item in result.interrupts)
        until = time.monotonic() + SEEN_WITHIN_S
        while pending_ids(agent.get_state(config)) != asked:
            if time.monotonic() > until:
                raise NotCapturable("The checkpointer does not show the pause that the run returned.")
            time.sleep(0.1)
        return self.pending(agent, config)

    def pending(self, agent: Any, config: RunnableConfig, *, maybe_captured: bool = False) -> Pause | None:
        """The captured pause of what the run asks now; None when it asks nothing.

        Calls that the gateway does not take for what the model wrote (arguments that break the tool's schema, too large) are
        declined: the pause that comes back then has no id, and its answers tell the model. With `maybe_captured` a person
        may have decided already, before a deploy changed the tool's schema: then the schema is left out instead.

        Raises:
            NotTaken, NotExact: what the agent's own code says of the run, or the tool's schema, is not what the gateway takes.
        """
        state = agent.get_state(config)
        if not state.interrupts:
            return None
        try:
            return self._capture(state)
        except (GatewayRefused, NotExact) as error:
            if maybe_captured and about_the_schema(error):
                return self._capture(state, schemas=False)
            if is_the_models(state, error):
                return declined(state, error)
            if is_the_developers(error):
                raise for_the_developer(error) from error
            return self._stored(state, error)

    def _stored(self, state: StateSnapshot, error: ClientError) -> Pause:
        stored = error.members.get("pause") if isinstance(error, GatewayRefused) else None
        if not isinstance(stored, str):
            raise error
        log.warning("pause %s was captured before in other words; going on with what is stored", stored)
        return _same_questions(state, self.gateway.pause(stored))

    def _capture(self, state: StateSnapshot, *, schemas: bool = True) -> Pause:
        about = About.of(state.metadata) or About()
        told = self._told(about, state.values)
        return self.gateway.capture(
            "langchain",
            str(state.config["configurable"]["thread_id"]),
            native_of(state, self.schemas if schemas else {}),
            entity=about.entity,
            requester=about.requester,
            **told,
            says=says_of(state) if about.says is None else about.says,
            facts={**facts_of(state), **(about.facts or {})},
            wait_at_most_s=about.wait_at_most_s,
            before=before_of(state.values),
        )

    def _told(self, about: About, values: Any) -> dict[str, Any]:
        """Evidence, confidence and numbers: what was said of the run, else the builder's function, else what is collected."""
        found: dict[str, Any] = {"confidence": about.confidence, "numbers": about.numbers}
        failed: list[dict[str, Any]] = []
        for name, function, check in (
            ("confidence", self.own.confidence, own.confidence),
            ("numbers", self.own.numbers, own.numbers),
        ):
            if found[name] is None and function is not None:
                try:
                    found[name] = own.asked(name, function, values, check)
                except own.NotHad as why:
                    failed.append(own.not_had(name, why))
        return {**found, "evidence": [*self._evidence(about, values), *failed]}

    def _evidence(self, about: About, values: Any) -> list[Any]:
        if about.evidence is not None:
            return with_left_out(about.evidence, values)
        if self.own.evidence is None:
            return collected(values)
        try:
            return with_left_out(own.asked("evidence", self.own.evidence, values, own.pieces), values)
        except own.NotHad as why:
            return [own.missing_evidence(why), *collected(values)]


def _same_questions(state: StateSnapshot, stored: Pause) -> Pause:
    """A pause captured by an earlier release may differ in schema or evidence, never in its questions."""
    if not pending_ids(state) <= {call.interrupt_id for call in stored.calls}:
        raise NotCapturable(f"The run asks questions that pause {stored.pause} does not have.")
    return stored
