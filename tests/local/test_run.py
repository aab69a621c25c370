"""`make run` from outside: ready, directions, and a clean end; and one sentence when it cannot start."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from local.folders import MARK
from local.processes import Emulators, group_exists
from local.run_state import KEPT, is_up, read_state, remove_remains
from local.settings import LocalSettings
from tests.shared import synthesize

MOST_MB = 900  # of a start with its functions' environments
LOCAL = [sys.executable, "-m", "local"]

FIRST_MOMENTS = """
import os, runpy, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal: a job in the background ignores it
import local.signals as signals
ready = signals.interrupts_end_at_once
def then():
    ready()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    import time
    time.sleep(1)  # as if importing took so long
signals.interrupts_end_at_once = then
sys.argv = ["local", "run"]
runpy.run_module("local", run_name="__main__")
"""


@pytest.fixture
def environment(tmp_path):
    """Free ports, and a home whose environments and caches are the real ones."""
    settings = LocalSettings().on_free_ports()
    for path in LocalSettings().home.iterdir():
        if path.name.startswith("venv-") or path.name == "cache":
            (tmp_path / path.name).symlink_to(path)
    return os.environ | {
        "PLACET_PORT": str(settings.gateway_port),
        "PLACET_STEPS_PORT": str(settings.steps_port),
        "PLACET_API_PORT": str(settings.api_port),
        "PLACET_BEDROCK_PORT": str(settings.bedrock_port),
        "PLACET_HOME": str(tmp_path),
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_is_ready_and_ends_without_a_trace(environment, tmp_path, number):
    synthesize()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment |= {"HOME": str(elsewhere), "TMPDIR": str(elsewhere)}
    environment |= {"RUSTUP_HOME": str(Path.home() / ".rustup")}  # pip, which makes a layer, asks for Rust's version
    with subprocess.Popen([*LOCAL, "run"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("  Stop"):
                break
        text = "".join(said)
        told = re.search(r"^ready: seconds=\d+ processes=(\d+) memory_mb=(\d+)$", text, re.MULTILINE)
        assert told, text
        assert 4 <= int(told.group(1)) <= LocalSettings.idle + 4
        assert 200 < int(told.group(2)) <= MOST_MB
        assert f"http://localhost:{environment['PLACET_API_PORT']}/inbox" in text
        assert "maria" in text
        run = tmp_path / f"run-{environment['PLACET_PORT']}"
        group = int(re.search(r'"group": (\d+)', (run / "state.json").read_text()).group(1))
        assert group_exists(group)
        process.send_signal(number)
        process.stdout.read()
        assert process.wait(20) == 0
    assert not group_exists(group)
    assert sorted(path.name for path in run.iterdir()) == [MARK, "logs"]
    assert [*elsewhere.iterdir()] == [], "a program that was started keeps something in a folder that it shares"


def test_stop_ends_a_start_that_was_left_behind(environment):
    synthesize()
    with subprocess.Popen([*LOCAL, "run"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert any(line.startswith("ready:") for line in process.stdout)
        done = subprocess.run([*LOCAL, "stop"], env=environment, capture_output=True, text=True, check=False)
        process.stdout.read()
        assert (done.stdout, process.wait(20)) == ("stop: ended\n", 0), done.stderr


def test_stop_with_nothing_to_stop_says_so(environment, tmp_path):
    done = subprocess.run([*LOCAL, "stop"], env=environment, capture_output=True, text=True, check=False)
    nothing = f"stop: nothing of Placet is running on port {environment['PLACET_PORT']}"
    assert (done.returncode, done.stdout) == (0, f"{nothing}\n")
    with up(tmp_path, 4999):
        done = subprocess.run([*LOCAL, "stop"], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == f"{nothing}; on port 4999 it is: PLACET_PORT=4999 make stop\n"


def test_a_port_that_a_start_of_the_same_home_has_is_told_with_the_command_that_ends_it(environment, tmp_path):
    taken = int(environment["PLACET_API_PORT"])
    with up(tmp_path, 4999, taken) as first, socket.socket() as its:
        its.bind(("127.0.0.1", taken))
        its.listen()
        done = subprocess.run([*LOCAL, "run"], env=environment, capture_output=True, text=True, check=False)
        assert f"taken by a start of Placet, process {first.pid}, which PLACET_PORT=4999 make stop ends." in done.stderr
        assert sorted(path.name for path in (tmp_path / "run-4999").iterdir()) == [MARK, "state.json", "tmp"]


def test_stop_says_that_somebody_else_has_the_port(environment):
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(environment["PLACET_PORT"])))
        other.listen()
        done = subprocess.run([*LOCAL, "stop"], env=environment, capture_output=True, text=True, check=False)
    nothing = f"stop: nothing of Placet is running on port {environment['PLACET_PORT']}"
    assert done.stdout == f"{nothing}, where another program listens\n"


def test_a_number_that_went_to_another_process_is_no_start():
    assert not is_up({"pid": os.getpid(), "born": "1"})
    assert not is_up({"pid": 2**22 + 1, "born": ""})


@contextmanager
def up(home, port, *ports):
    """A process that has the words of a start in its command, and its folder."""
    run = home / f"run-{port}"
    (run / "tmp").mkdir(parents=True)
    (run / MARK).touch()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "placet.local"]) as process:
        (run / "state.json").write_text(json.dumps({"pid": process.pid, "group": None, "port": port, "ports": ports}))
        try:
            yield process
        finally:
            process.kill()


def test_stop_ends_what_its_folder_names_and_nothing_else(environment, tmp_path):
    port = int(environment["PLACET_PORT"])
    with up(tmp_path, port) as mine, up(tmp_path, 4999) as other:
        done = subprocess.run([*LOCAL, "stop"], env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr, mine.wait(5)) == ("stop: ended\n", "", -signal.SIGTERM)
        assert other.poll() is None


def test_a_second_start_on_the_same_ports_is_told_of_the_first_and_takes_nothing_of_it(environment, tmp_path):
    """Neither its files when it starts, nor when it ends because it was refused. Nothing listens yet: the first is booting."""
    port = environment["PLACET_PORT"]
    with up(tmp_path, int(port)) as first:
        done = subprocess.run([*LOCAL, "run"], env=environment, capture_output=True, text=True, check=False)
        (line,) = done.stderr.splitlines()
        assert (
            f"Placet runs here already: process {first.pid}, http://localhost:{environment['PLACET_API_PORT']}" in line
        )
        assert f"End it: PLACET_PORT={port} make stop." in line
        assert f"Or start another beside it: PLACET_PORT={int(port) + 100} PLACET_STEPS_PORT=" in line
        assert sorted(path.name for path in (tmp_path / f"run-{port}").iterdir()) == [MARK, "state.json", "tmp"]


def test_a_start_on_other_ports_has_a_folder_of_its_own(environment, tmp_path):
    """A port of it is taken, so it does not get far; but as far as the first start's files would have gone."""
    taken = environment["PLACET_API_PORT"]
    with up(tmp_path, 4999), socket.socket() as other:
        other.bind(("127.0.0.1", int(taken)))
        other.listen()
        subprocess.run([*LOCAL, "run"], env=environment, capture_output=True, text=True, check=False)
        assert sorted(path.name for path in (tmp_path / "run-4999").iterdir()) == [MARK, "state.json", "tmp"]


def test_one_folder_for_all_would_be_seen(environment, tmp_path, monkeypatch):
    """The planted bug: the run's folder goes by the checkout, and who is refused removes what is there."""
    settings = LocalSettings.from_environment(environment)
    monkeypatch.setattr(Emulators, "_refuse_a_second", lambda self: None)
    with up(tmp_path, settings.gateway_port):
        emulators = Emulators(settings)
        emulators._clear()
        emulators._note()
        assert read_state(settings.run)["pid"] == os.getpid()
        emulators.stop()
        assert sorted(settings.run.iterdir()) == [settings.run / MARK, settings.logs]


def test_a_taken_port_is_one_sentence_and_the_way_out(environment):
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(environment["PLACET_API_PORT"])))
        other.listen()
        done = subprocess.run([*LOCAL, "run"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    port = int(environment["PLACET_API_PORT"])
    assert line.startswith(
        f"placet: Port {port} on this machine is taken by another program, or by Placet of another folder. "
    )
    assert re.search(r"Choose another: PLACET_API_PORT=\d+ make run$", line)


def test_the_remains_of_killed_starts_are_removed_and_nothing_else(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as living:
        for name, state in {
            "run-dead": {"pid": 2**22 + 1},
            "run-alive": {"pid": living.pid},
            "run-young": None,
        }.items():
            (tmp_path / name / "tmp").mkdir(parents=True)
            (tmp_path / name / MARK).touch()
            if state:
                (tmp_path / name / "state.json").write_text(json.dumps(state))
        (tmp_path / "run").mkdir()
        remove_remains(tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run-alive", "run-young"]
        remove_remains(tmp_path, now=time.time() + 7200)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run-alive"]
        living.kill()


def test_half_made_layers_and_archives_of_earlier_code_are_removed(tmp_path):
    assets = tmp_path / "cache" / "assets"
    (tmp_path / "cache" / "making-x" / "python").mkdir(parents=True)
    (tmp_path / "cache" / "layer-x").mkdir()
    assets.mkdir()
    (tmp_path / "cache" / MARK).touch()
    (assets / "half.partial").touch()
    for number in range(KEPT + 5):
        (assets / f"{number:02}.zip").touch()
        os.utime(assets / f"{number:02}.zip", (number, number))
    remove_remains(tmp_path)  # somebody may be making them
    assert (assets / "half.partial").exists()
    remove_remains(tmp_path, now=time.time() + 7200)
    assert sorted(path.name for path in assets.iterdir()) == [f"{number:02}.zip" for number in range(5, KEPT + 5)]
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.name not in ("assets", MARK)] == ["layer-x"]


def test_stop_after_a_kill_says_that_nothing_runs_any_more(environment, tmp_path):
    run = tmp_path / f"run-{environment['PLACET_PORT']}"
    run.mkdir()
    (run / MARK).touch()
    (run / "state.json").write_text(json.dumps({"pid": 2**22 + 1}))
    done = subprocess.run([*LOCAL, "stop"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "stop: nothing of Placet is running any more; its state is removed\n")


def test_ctrl_c_in_the_first_moments_is_a_sentence(environment):
    """While the commands are imported. What the interpreter says before that is not ours."""
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_MOMENTS], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.terminate()
    assert (process.returncode, said) == (130, "\nplacet: ended.\n")


def test_output_that_nobody_reads_is_no_traceback(environment):
    with subprocess.Popen(
        [*LOCAL, "differences"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait(20)) == ("", 1)
