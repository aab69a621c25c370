"""A webhook is called where its name points to, once, under its certificate, and never at a private address."""

from __future__ import annotations

import dataclasses
import ipaddress
import itertools
import json
import socket
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from placet.aws.delivering import Delivering
from placet.aws.delivering.addresses import reachable, read
from placet.aws.delivering.posting import Posting, place_of, resolved
from placet.aws.delivering.signing import KEPT_S, Secrets
from placet.aws.delivering.webhooks import Webhooks
from placet.model.canonical import parse
from placet.model.errors import Busy, Refused
from placet.model.pauses import Agent
from tests.contract.faults import LOST, Answering, name_of, refusal
from tests.proofs.pushing.authority import Authority
from tests.proofs.pushing.server import ADDRESS, Answer, Hook, serving

NAME, OTHER = "agent.example", "other.example"
SECRET, NEXT = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + "A" * 40
TEXT = '{"type":"placet.decided","pause":"k3v","generation":2,"resume":{"run":"t-1","amount":1240.00,"who":"Zoë"}}'
PAYLOAD = parse(TEXT)
AUTHORITY = Authority()
SERVING, TRUSTING = AUTHORITY.serving(NAME), AUTHORITY.trusting()


@pytest.fixture
def hook() -> Iterator[Hook]:
    with serving(SERVING) as running:
        yield running


def agent(hook: Hook, name: str = NAME, path: str = "/decided?v=1") -> Agent:
    return Agent("hooked-agent", "role", "owner", "webhook", url=hook.url(name, path), secret="hooks/agent")


def posting(*addresses: str, **more: Any) -> Posting:
    """To these addresses by every name; loopback is allowed where the server listens and nowhere else."""
    given = {"context": TRUSTING, "total_s": 5.0, "allowed": lambda one: str(one) == ADDRESS or reachable(one), **more}
    return Posting(lambda host, port: list(addresses or (ADDRESS,)), **given)


def webhooks(way: Posting | None = None, *, secret: Any = None, now: datetime | None = None) -> Webhooks:
    secrets = secret or Secrets(Answering({"SecretString": SECRET}))
    return Webhooks(secrets, way or posting(), lambda: now or datetime.now(UTC))


def refused(job: Any) -> str:
    with pytest.raises(Refused) as error:
        job()
    assert error.value.code == "delivery_refused"
    return error.value.detail


# --- one delivery -----------------------------------------------------------------------------------------------------


def test_one_signed_post_that_the_public_library_verifies(hook: Hook) -> None:
    webhooks().deliver(agent(hook), PAYLOAD)
    (request,) = hook.requests
    assert request.body.decode() == TEXT, "numbers and letters as they were written"
    assert request.headers["webhook-id"] == "k3v-2"
    assert Webhook(SECRET).verify(request.body, request.headers)["pause"] == "k3v"
    assert (request.path, request.name, request.headers["host"]) == ("/decided?v=1", NAME, f"{NAME}:{hook.port}")
    assert request.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "change", [{"body": TEXT.replace("1240", "1241").encode()}, {"headers": {"webhook-id": "k3v-3"}}]
)
def test_a_changed_delivery_does_not_verify(hook: Hook, change: dict[str, Any]) -> None:
    webhooks().deliver(agent(hook), PAYLOAD)
    (request,) = hook.requests
    changed = dataclasses.replace(request, **change | {"headers": request.headers | change.get("headers", {})})
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(changed.body, changed.headers)


def test_every_attempt_has_the_same_id_and_a_time_of_its_own(hook: Hook) -> None:
    first = datetime.now(UTC) - timedelta(minutes=2)
    webhooks(now=first).deliver(agent(hook), PAYLOAD)
    webhooks().deliver(agent(hook), PAYLOAD)
    one, two = (request.headers for request in hook.requests)
    assert one["webhook-id"] == two["webhook-id"]
    assert one["webhook-timestamp"] == str(int(first.timestamp())) < two["webhook-timestamp"]


@pytest.mark.parametrize("status", [200, 202, 204])
def test_2xx_is_delivered(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    webhooks().deliver(agent(hook), PAYLOAD)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_busy(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    with pytest.raises(Busy, match=str(status)):
        webhooks().deliver(agent(hook), PAYLOAD)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 413, 422])
def test_4xx_is_refused_for_good(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status)
    assert refused(lambda: webhooks().deliver(agent(hook), PAYLOAD)) == f"{NAME} answered {status}."


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_is_refused_and_not_followed(hook: Hook, status: int) -> None:
    hook.plan = lambda request: Answer(status, {"location": hook.url(NAME, "/elsewhere")})
    refused(lambda: webhooks().deliver(agent(hook), PAYLOAD))
    assert len(hook.requests) == 1


@pytest.mark.parametrize("how", [Answer(lost=True), Answer(late_s=30), Answer(drop_s=0.05)])
def test_an_answer_that_does_not_come_in_time_is_busy(hook: Hook, how: Answer) -> None:
    """One drop every 50 ms never lets a read time out; the whole of it does."""
    hook.plan = lambda request: how
    began = time.monotonic()
    with pytest.raises(Busy):
        webhooks(posting(total_s=0.5)).deliver(agent(hook), PAYLOAD)
    assert time.monotonic() - began < 2
    assert len(hook.requests) == 1


def test_a_server_that_only_shakes_hands_does_not_hold_anybody() -> None:
    with socket.create_server((ADDRESS, 0)) as silent:
        began = time.monotonic()
        with pytest.raises(Busy):
            posting(total_s=0.3).post(f"https://{NAME}:{silent.getsockname()[1]}/", b"{}", {})
    assert time.monotonic() - began < 2


def test_of_the_answer_only_the_status_is_read(hook: Hook) -> None:
    hook.plan = lambda request: Answer(200, size=1 << 40)
    began = time.monotonic()
    webhooks().deliver(agent(hook), PAYLOAD)
    assert time.monotonic() - began < 2


# --- where it goes ----------------------------------------------------------------------------------------------------

PRIVATE = """
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.254 127.0.0.1 127.1.2.3 169.254.169.254 169.254.170.2 169.254.100.5
172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1
240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::1 64:ff9b:1:7f00::1 100::1 2001::1
2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe::
2002:808:808:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd00:ec2::23 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1
"""
PUBLIC = """
8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.32.0.1 192.0.1.1 198.20.0.1 223.255.255.254 2606:4700::1111
2a00:1450:4001::200e ::ffff:8.8.8.8 64:ff9b::808:808 2001:4860:4860::8888
"""


@pytest.mark.parametrize("address", PRIVATE.split())
def test_private_addresses_are_refused_in_every_notation(address: str) -> None:
    assert not reachable(read(address))
    way = Posting(lambda host, port: ["8.8.8.8", address], context=TRUSTING)
    assert "not a public one" in refused(lambda: way.post("https://agent.example/", b"{}", {}))


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses_are_not(address: str) -> None:
    assert reachable(read(address))


def test_nothing_that_the_library_knows_to_be_special_gets_through_our_own_list() -> None:
    for first, rest in itertools.product(range(256), ("0.0.1", "1.2.3", "64.0.1", "88.99.1", "168.0.1", "254.169.254")):
        one = ipaddress.IPv4Address(f"{first}.{rest}")
        assert not reachable(one) or (one.is_global and not one.is_multicast and not one.is_reserved), one


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost", "[::1]", "[::ffff:7f00:1]"]
)
def test_numbers_that_mean_this_machine_are_refused_by_the_resolver_of_this_machine(host: str) -> None:
    reached: list[Any] = []
    with listening(reached):
        with pytest.raises((Refused, Busy)):
            Posting(context=TRUSTING).post(f"https://{host}/", b"{}", {})
        assert reached == []


@pytest.mark.parametrize(
    "url",
    ["http://agent.example/", "https://", "https://user:x@agent.example/", "https://agent.example:0x1/", "ftp://a/",
     "https://agent.example/a b", "https://agent.example/\r\nx: y", "https://agent.example:99999/", "//agent.example", "https://[::1/"],
)  # fmt: skip
def test_what_is_no_plain_https_address_is_refused(url: str) -> None:
    refused(lambda: place_of(url))


def test_the_port_and_host_of_an_address() -> None:
    assert place_of("https://Agent.Example") == place_of("https://agent.example:443/")
    assert place_of("https://[2606:4700::1111]:8443/x").named == "[2606:4700::1111]:8443"


@dataclasses.dataclass
class Turning:
    """A name server that says one thing first and another afterwards."""

    answers: list[list[str]]
    asked: int = 0

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class listening:
    """Notes every address that this process connects to while it is on."""

    _on: list[list[Any]] = []  # noqa: RUF012 - one hook for the process, it cannot be taken off again
    _hooked = False

    def __init__(self, noted: list[Any]) -> None:
        self._noted = noted
        if not listening._hooked:
            sys.addaudithook(listening._audit)
            listening._hooked = True

    @staticmethod
    def _audit(event: str, given: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            for noted in listening._on:
                noted.append(given[1])

    def __enter__(self) -> None:
        listening._on.append(self._noted)

    def __exit__(self, *error: object) -> None:
        listening._on.remove(self._noted)


def test_a_name_is_resolved_once_and_the_connection_goes_to_that_very_address(hook: Hook) -> None:
    turning, reached = Turning([[ADDRESS], ["127.0.0.9"]]), []
    way = Posting(turning, lambda one: str(one) == ADDRESS, TRUSTING)
    with listening(reached):
        webhooks(way).deliver(agent(hook), PAYLOAD)
    assert (turning.asked, reached) == (1, [(ADDRESS, hook.port)])


def test_one_private_address_among_others_is_enough_and_nothing_is_connected_to(hook: Hook) -> None:
    reached: list[Any] = []
    with listening(reached):
        refused(lambda: webhooks(posting(ADDRESS, "10.0.0.1")).deliver(agent(hook), PAYLOAD))
        refused(lambda: webhooks(posting(ADDRESS, "no address")).deliver(agent(hook), PAYLOAD))
    assert (reached, hook.requests) == ([], [])


def test_the_next_address_is_taken_when_one_does_not_answer(hook: Hook) -> None:
    allowed = {"127.0.0.8", ADDRESS}
    webhooks(posting("127.0.0.8", ADDRESS, allowed=lambda one: str(one) in allowed)).deliver(agent(hook), PAYLOAD)
    assert len(hook.requests) == 1


def test_a_certificate_of_another_name_is_not_taken(hook: Hook) -> None:
    with pytest.raises(Busy, match="did not prove"):
        webhooks().deliver(agent(hook, OTHER), PAYLOAD)
    assert hook.requests == []


def test_a_certificate_of_nobody_we_know_is_not_taken(hook: Hook) -> None:
    with pytest.raises(Busy, match="did not prove"):
        webhooks(posting(context=None)).deliver(agent(hook), PAYLOAD)
    assert hook.requests == []


def test_no_proxy_of_the_environment_is_asked(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    webhooks().deliver(agent(hook), PAYLOAD)
    assert len(hook.requests) == 1


def no_address(host: str, port: int) -> list[str]:
    raise socket.gaierror("no such name")


@pytest.mark.parametrize(
    "way", [Posting(no_address), Posting(lambda host, port: []), posting("127.0.0.8", allowed=bool)]
)
def test_a_name_without_an_address_and_a_port_without_a_listener_are_busy(way: Posting) -> None:
    with pytest.raises(Busy):
        way.post("https://agent.example:9/", b"{}", {})


def test_the_machine_resolves_each_address_once() -> None:
    assert resolved("127.0.0.1", 443) == ["127.0.0.1"]


# --- the secret -------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Watch:
    """Seconds that stand until they are moved."""

    at: float = 1000.0

    def __call__(self) -> float:
        return self.at


def test_a_secret_is_kept_for_five_minutes_and_not_longer() -> None:
    watch, manager = Watch(), Answering({"SecretString": SECRET})
    secrets = Secrets(manager, watch)
    for moved in (0.0, KEPT_S - 1, 1.0):
        watch.at += moved
        assert secrets.signing("hooks/agent").secrets == (SECRET,)
    assert [one for _, one in manager.requests] == [{"SecretId": "hooks/agent"}] * 2


def test_while_a_secret_is_replaced_both_sign(hook: Hook) -> None:
    webhooks(secret=Secrets(Answering({"SecretString": f"{SECRET}\n{NEXT}"}))).deliver(agent(hook), PAYLOAD)
    (request,) = hook.requests
    for one in (SECRET, NEXT):
        assert Webhook(one).verify(request.body, request.headers)


def test_a_kept_secret_that_is_refused_is_read_anew_before_anybody_is_bothered(hook: Hook) -> None:
    manager = Answering({"SecretString": SECRET}, {"SecretString": NEXT})
    sending = webhooks(secret=Secrets(manager))
    sending.deliver(agent(hook), PAYLOAD)

    def verified(secret: str, request: Any) -> Answer:
        try:
            Webhook(secret).verify(request.body, request.headers)
        except WebhookVerificationError:
            return Answer(401)
        return Answer(204)

    hook.plan = lambda request: verified(NEXT, request)
    with pytest.raises(Busy, match="replaced"):
        sending.deliver(agent(hook), PAYLOAD)
    sending.deliver(agent(hook), PAYLOAD)
    hook.plan = lambda request: verified(SECRET, request)
    with pytest.raises(Busy, match="replaced"):
        sending.deliver(agent(hook), PAYLOAD)
    refused(lambda: sending.deliver(agent(hook), PAYLOAD))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hunter2",
        "whsec_",
        "whsec_short",
        "whsec_!!!!" + "A" * 40,
        f"{SECRET} nonsense",
        json.dumps({"key": SECRET}),
    ],
)
def test_what_is_no_signing_secret_is_refused(text: str) -> None:
    assert SECRET not in refused(lambda: Secrets(Answering({"SecretString": text})).signing("hooks/agent"))


@pytest.mark.parametrize(
    "code", ["ResourceNotFoundException", "AccessDeniedException", "DecryptionFailure", "InvalidRequestException"]
)
def test_a_secret_that_cannot_be_read_is_refused(code: str) -> None:
    assert code in refused(lambda: Secrets(Answering(refusal(code))).signing("hooks/agent"))


@pytest.mark.parametrize("error", [refusal("ThrottlingException"), refusal("InternalServiceError"), *LOST], ids=name_of)
def test_a_secret_that_cannot_be_read_now_is_busy(error: Exception) -> None:
    with pytest.raises(Busy):
        Secrets(Answering(error)).signing("hooks/agent")


def test_nothing_is_sent_when_the_secret_cannot_be_read(hook: Hook) -> None:
    with pytest.raises(Busy):
        webhooks(secret=Secrets(Answering(LOST[0]))).deliver(agent(hook), PAYLOAD)
    assert hook.requests == []


# --- which way --------------------------------------------------------------------------------------------------------


def test_each_kind_of_target_has_its_way_and_is_built_once() -> None:
    built: list[str] = []

    @dataclasses.dataclass
    class Way:
        kind: str
        taken: list[str] = dataclasses.field(default_factory=list)

        def deliver(self, agent: Agent, payload: dict[str, Any]) -> None:
            built.append(f"{self.kind} to {agent.name}")

    ways = {kind: (lambda kind=kind: built.append(kind) or Way(kind)) for kind in ("lambda", "sqs", "webhook")}
    delivering = Delivering(ways)
    for name, kind in (("a", "sqs"), ("b", "sqs"), ("c", "webhook")):
        delivering.deliver(Agent(name, "role", "owner", kind), {})
    assert built == ["sqs", "sqs to a", "sqs to b", "webhook", "webhook to c"]
