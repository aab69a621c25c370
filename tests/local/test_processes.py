"""The emulators as processes: loopback only, one group, nothing left behind, and one sentence when it does not work."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from local import venvs
from local.choosing import others
from local.emulator.launch import addresses
from local.errors import LocalError, PortTaken, StepFailed
from local.folders import MARK
from local.processes import Emulators, answers, group_exists, wait_until
from local.settings import LocalSettings

ONE_OF_IPV6 = "00000000000000000000000001000000"  # [::1], as the kernel's table has it
START_AND_STAY = """
import sys, time
from local.folders import MARK
from local.processes import Emulators
from local.settings import LocalSettings
gateway, steps, api, bedrock = map(int, sys.argv[1:])
emulators = Emulators(LocalSettings(gateway, steps, api, bedrock))
emulators.start()
print(emulators.group, flush=True)
time.sleep(60)
"""


@pytest.fixture
def settings():
    settings = LocalSettings().on_free_ports()
    yield settings
    shutil.rmtree(settings.run, ignore_errors=True)


def ports_of(settings):
    return settings.gateway_port, settings.steps_port, settings.api_port, settings.bedrock_port


def listeners(ports):
    """The local addresses that listen on these ports, read from the kernel's table (Linux)."""
    found = set()
    for line in (
        Path("/proc/net/tcp").read_text().splitlines()[1:] + Path("/proc/net/tcp6").read_text().splitlines()[1:]
    ):
        address, state = line.split()[1], line.split()[3]
        host, port = address.split(":")
        if state == "0A" and int(port, 16) in ports:
            found.add(host)
    return found


def test_start_answers_and_stop_leaves_only_the_logs(settings):
    emulators = Emulators(settings)
    emulators.start()
    group = emulators.group
    assert answers(f"{settings.endpoint}/_ministack/health")
    assert emulators.alive()
    emulators.stop()
    assert not group_exists(group)
    assert not emulators.alive()
    left = sorted(path.relative_to(settings.run) for path in settings.run.rglob("*"))
    assert left == [
        Path(MARK),
        Path("logs"),
        *(Path("logs", f"{name}.log") for name in ("bedrock", "ministack", "steps")),
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's table of sockets")
def test_only_this_machine_can_reach_it(bench):
    ports = set(ports_of(bench.settings))
    assert listeners(ports) - {ONE_OF_IPV6} == {"0100007F"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's table of sockets")
def test_both_addresses_of_localhost_are_ours_where_people_are_sent(bench):
    """Chromium may ask [::1] first: somebody else's listener there would be the page on which a reviewer signs in."""
    for port in (bench.settings.gateway_port, bench.settings.api_port):
        assert listeners({port}) == {"0100007F", *([ONE_OF_IPV6] if "[::1]" in addresses() else [])}
        for host in addresses():
            known, another = (status_of(host, port, named) for named in (f"localhost:{port}", "evil.example"))
            assert known in (200, 404)  # the bench has no API
            assert another == 403


def status_of(host, port, named):
    asked = urllib.request.Request(f"http://{host}:{port}/_ministack/health", headers={"Host": named})
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310 - loopback only
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_killed_starter_takes_its_emulators_with_it(settings):
    ports = [str(port) for port in ports_of(settings)]
    with subprocess.Popen([sys.executable, "-c", START_AND_STAY, *ports], stdout=subprocess.PIPE, text=True) as starter:
        group = int(starter.stdout.readline())
        assert group_exists(group)
        starter.kill()
    assert wait_until(lambda: not group_exists(group), patience=10)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("taken", ["gateway_port", "steps_port", "api_port", "bedrock_port"])
def test_a_taken_port_is_said_with_the_way_out(settings, taken, host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, getattr(settings, taken)), family=family),
        pytest.raises(PortTaken, match="is taken by another program") as caught,
    ):
        Emulators(settings).start()
    assert re.fullmatch(r"Choose another: PLACET_\w*PORT=\d+ make run", caught.value.way_out)


def test_a_missing_environment_is_said_with_the_way_out(settings, monkeypatch, tmp_path):
    missing = venvs.Venv(tmp_path / "nowhere", tmp_path / "pins.txt", "nothing")
    monkeypatch.setitem(venvs.VENVS, "ministack", missing)
    with pytest.raises(StepFailed, match="is missing") as caught:
        Emulators(settings).start()
    assert caught.value.way_out == "Install it: make setup-local"


def test_an_emulator_that_ends_at_once_is_said_with_its_last_words(settings, monkeypatch, tmp_path):
    fake = tmp_path / "bin" / "python"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'no such luck'\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setitem(venvs.VENVS, "ministack", venvs.Venv(tmp_path, tmp_path / "pins.txt", "nothing"))
    emulators = Emulators(settings)
    with pytest.raises(StepFailed, match="no such luck"):
        emulators.start()
    emulators.stop()


def test_ports_come_from_the_environment():
    given = {"PLACET_PORT": "5001", "PLACET_STEPS_PORT": "5002", "PLACET_API_PORT": "5003", "PLACET_HOME": "/x"}
    given["PLACET_BEDROCK_PORT"] = "5004"
    settings = LocalSettings.from_environment(given)
    assert (settings.endpoint, settings.steps_endpoint) == ("http://127.0.0.1:5001", "http://127.0.0.1:5002")
    assert (settings.api_url, settings.login_url) == ("http://localhost:5003", "http://localhost:5001")
    assert settings.bedrock_endpoint == "http://127.0.0.1:5004"
    assert (settings.run, settings.chosen) == (Path("/x/run-5001"), "PLACET_PORT=5001 ")
    assert (LocalSettings().run.name, LocalSettings().chosen) == ("run", "")
    assert LocalSettings.from_environment({}) == LocalSettings(4566, 4567, 4568, 4569)


@pytest.mark.parametrize("text", ["", "0", "65536", "http"])
def test_a_port_that_is_none_is_said(text):
    with pytest.raises(LocalError, match="PLACET_PORT"):
        LocalSettings.from_environment({"PLACET_PORT": text})


NAMES = ("PLACET_PORT", "PLACET_STEPS_PORT", "PLACET_API_PORT", "PLACET_BEDROCK_PORT")


@pytest.mark.parametrize("port", [6566, 6000, 10080, 22])
@pytest.mark.parametrize("name", NAMES)
def test_a_port_that_browsers_refuse_is_refused_with_one_that_they_open(name, port):
    with pytest.raises(LocalError, match=f"{name} is {port}, which browsers refuse to open") as caught:
        LocalSettings.from_environment({name: str(port)})
    proposed = int(caught.value.way_out.rpartition("=")[2])
    assert LocalSettings.from_environment({name: str(proposed)})


def test_two_equal_ports_are_refused_by_their_names():
    with pytest.raises(LocalError, match="PLACET_STEPS_PORT and PLACET_API_PORT are both 5000") as caught:
        LocalSettings.from_environment({"PLACET_STEPS_PORT": "5000", "PLACET_API_PORT": "5000", "PLACET_PORT": "5100"})
    assert caught.value.way_out == "Choose another: PLACET_API_PORT=5200"


def test_what_is_proposed_beside_a_start_is_free_and_opened_by_browsers():
    ports = dict(zip(NAMES, (6465, 6466, 6467, 6468), strict=True))  # a hundred farther are ports that browsers refuse
    proposed = dict(one.split("=") for one in others(ports).split())
    assert set(LocalSettings.from_environment(proposed).ports) == {port + 300 for port in ports.values()}


def test_of_two_starts_at_once_one_finds_the_other(settings):
    command = [sys.executable, "-c", START_AND_STAY, *map(str, ports_of(settings))]
    starts = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert wait_until(lambda: any(one.poll() is not None for one in starts), patience=30)
    (refused,) = [one for one in starts if one.poll() is not None]
    (running,) = [one for one in starts if one is not refused]
    told = refused.communicate()[1]
    assert f"Placet runs here already: process {running.pid}" in told, told
    assert int(running.stdout.readline()) > 0
    assert answers(f"{settings.endpoint}/_ministack/health")
    assert (settings.run / "tmp").exists()
    running.kill()
    running.communicate()


def test_the_users_own_aws_settings_do_not_reach_the_local_one(bench, monkeypatch, tmp_path):
    script = """
import sys
from local.endpoint import Endpoint
print(Endpoint(sys.argv[1]).client("sts").get_caller_identity()["Account"])
"""
    (tmp_path / "config").write_text(
        "[profile production]\nregion = eu-west-1\nendpoint_url = https://example.invalid\n"
    )
    mine = {
        "AWS_PROFILE": "missing",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_ENDPOINT_URL": "https://example.invalid",
    }
    command = [sys.executable, "-c", script, bench.settings.endpoint]
    done = subprocess.run(command, env=os.environ | mine, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "000000000000", done.stderr


def test_ctrl_c_does_not_reach_the_emulators_directly(bench):
    """They are in a group of their own: it goes to the starter, which ends them in order."""
    assert group_exists(bench.group)
    assert bench.group != os.getpgid(0)
