"""The same race through the deployed product: people with access tokens, one decision each on one call, at one moment."""

from __future__ import annotations

import json
import random
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from local.browser import Browser
from local.people import Reviewer as Account
from local.seed import seed_members
from local.sign_in import access_token
from local.stack import LocalStack
from placet.aws.table import DynamoTable
from placet.client import Gateway, GatewayRefused
from placet.model.pauses import Reviewer, call_id
from placet.records.heads import Head
from tests.e2e.agents import capture, gateway_of, until
from tests.gateway import REFUND
from tests.proofs.racing.crew import Course, ports_on
from tests.proofs.racing.jobs import Job, Told
from tests.proofs.racing.judging import LOST, mixed_jobs, one_decided
from tests.proofs.racing.scene import Scene
from tests.proofs.racing.tables import dynamodb_at
from tests.proofs.racing.tally import Tally

KIND = "over HTTP"


def raced(say: Callable[[str], None], stack: LocalStack, rounds: int, deciders: int, seed: int) -> Tally:
    """Rounds against `POST /v1/reviews/{call}/decision`, and four claims of what was decided."""
    tally, chance = Tally(), random.Random(seed)  # noqa: S311 - repeatable, guards nothing
    agent, people = gateway_of(stack), accounts(stack, deciders)
    tokens = {one.sub: access_token_of(stack, one) for one in people}
    reviewers = [Reviewer(one.sub, one.name, one.email) for one in people]
    scene = Scene(ports_on(Course(stack.endpoint, stack.table_name), dynamodb_at(stack.endpoint)))
    began = time.monotonic()
    for number in range(1, rounds + 1):
        head = shown(stack, agent, scene)
        jobs = mixed_jobs(chance, head, reviewers)
        told = at_once([lambda job=job: posted(stack.api_url, job, tokens[job.facts["reviewer"].sub]) for job in jobs])
        tally.count(KIND, told, LOST)
        after = scene.outcome(head.pause)
        one_decided(tally, KIND, told, after)
        _claims(tally, agent, after.head)
        if number % max(1, rounds // 5) == 0:
            say(f"race: over HTTP: {number} of {rounds} rounds, {time.monotonic() - began:.0f} s")
    return tally


def accounts(stack: LocalStack, count: int) -> list[Account]:
    """So many people of the user pool, members of finance."""
    cognito, pool, made = stack.client("cognito-idp"), stack.outputs["UserPoolId"], []
    for number in range(count):
        username, password = f"racer-{secrets.token_hex(4)}", f"Racer-{secrets.token_hex(8)}"
        email = f"{username}@example.com"
        facts = {"email": email, "email_verified": "true", "name": f"Racer {number}"}
        attributes = [{"Name": name, "Value": value} for name, value in facts.items()]
        answer = cognito.admin_create_user(
            UserPoolId=pool, Username=username, UserAttributes=attributes, MessageAction="SUPPRESS"
        )
        cognito.admin_set_user_password(UserPoolId=pool, Username=username, Password=password, Permanent=True)
        sub = next(one["Value"] for one in answer["User"]["Attributes"] if one["Name"] == "sub")
        made.append(Account(username, password, sub, email, f"Racer {number}", ("finance",)))
    seed_members(stack.aws, stack.table_name, {one.username: one for one in made})
    return made


def access_token_of(stack: LocalStack, account: Account) -> str:
    """This person's access token."""
    callback = f"{stack.api_url}/sign-in/callback"
    return access_token(stack.settings.login_url, stack.outputs["ClientId"], callback, account)


def shown(stack: LocalStack, agent: Gateway, scene: Scene) -> Head:
    """A pause that went the whole way into the reviewers' queue."""
    pause = capture(agent, REFUND).pause
    table = DynamoTable(stack.table_name, stack.client("dynamodb"))
    until(lambda: (table.get(scene.ports.keys.head(pause)) or {}).get("notified_ms"), f"pause {pause} in the queue")
    return scene.outcome(pause).head


def posted(api_url: str, job: Job, token: str) -> Told:
    """One decision as the API takes it, and what it says."""
    asked = job.facts["decision"]
    body = {"decision": asked.verdict.value, "revision": asked.revision, "digest": asked.digest, "reason": asked.reason}
    body |= {"arguments": asked.arguments, "new_digest": asked.new_digest} if asked.arguments else {}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    time.sleep(job.after_ms / 1000)
    url = f"{api_url}/v1/reviews/{job.facts['call']}/decision"
    page = Browser().open("POST", url, json.dumps(body).encode(), headers)
    said = json.loads(page.body)
    if page.status == 200:
        return Told(job, 200, value=SimpleNamespace(**said))
    return Told(job, page.status, said.get("code", ""), members=said, lost_write=page.status == 409)


def at_once(jobs: list[Callable[[], Any]]) -> list[Any]:
    """Everybody on a thread of his own, all at one moment."""
    ready = threading.Barrier(len(jobs))

    def begin(job: Callable[[], Any]) -> Any:
        ready.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(begin, jobs))


def _claims(tally: Tally, agent: Gateway, head: Head) -> None:
    """Four workers at once: one gets the permit when the call may run, nobody otherwise."""
    told = at_once([lambda worker=f"w{number}": _claim(agent, head, worker) for number in range(4)])
    kind = "claims over HTTP"
    tally.count(kind, told, frozenset({"permit_claimed", "call_not_approved"}))
    won = sum(one.won for one in told)
    tally.won[f"{kind}: {'one worker' if won else 'nobody'}"] += 1
    tally.expect(kind, won == int(head.calls[0].state.may_run), f"{won} workers got the permit")


def _claim(agent: Gateway, head: Head, worker: str) -> Told:
    job, call = Job("claim", {"worker": worker}), call_id(head.pause, 1)
    try:
        return Told(job, 200, value=replace(agent.claim(call, head.calls[0].digest, worker)))
    except GatewayRefused as error:
        return Told(job, error.status, error.code, lost_write=error.status == 409)
