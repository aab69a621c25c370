"""A webhook is called where its name points to, under its certificate, and never at a private address."""

from __future__ import annotations

import dataclasses
import ipaddress
import itertools
import socket

import pytest

from placet.aws.delivery.addresses import reachable, read
from placet.aws.delivery.https import Posting, place_of, resolved
from placet.model.errors import Busy, Refused
from tests.contract.hooking import (
    OTHER,
    PAYLOAD,
    TRUSTING,
    agent,
    posting,
    refused,
    webhooks,
)
from tests.proofs.pushing.connections import noted
from tests.proofs.pushing.server import ADDRESS, Hook

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
    with noted() as reached:
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


def test_a_name_is_resolved_once_and_the_connection_goes_to_that_very_address(hook: Hook) -> None:
    turning = Turning([[ADDRESS], ["127.0.0.9"]])
    way = Posting(turning, lambda one: str(one) == ADDRESS, TRUSTING)
    with noted() as reached:
        webhooks(way).deliver(agent(hook), PAYLOAD)
    assert (turning.asked, reached) == (1, [(ADDRESS, hook.port)])


def test_one_private_address_among_others_is_enough_and_nothing_is_connected_to(hook: Hook) -> None:
    with noted() as reached:
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
