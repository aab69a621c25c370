"""The emulators as processes: one group, logs in files, a health wait each, and an end that leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from local import venvs
from local.agents.refund_desk import BEDROCK_AGENTS
from local.choosing import another, listens, others
from local.emulator.exchanges import PLACES, Places
from local.errors import AlreadyRunning, PortTaken, StepFailed
from local.folders import make, make_anew
from local.roots import NONE, new_root
from local.run_state import is_up, one_at_a_time, read_state, remove_remains, remove_state, write_state
from local.settings import ACCOUNT, CHECKOUT, REGION, LocalSettings

PACKAGES = (CHECKOUT, CHECKOUT / "layers" / "core" / "python")
PATIENCE = 60.0  # seconds for an emulator to answer; a first boot on a busy machine takes 12


def wait_until(ready: Callable[[], bool], patience: float = PATIENCE, every: float = 0.05) -> bool:
    """Ask until it is so or patience ends; tell which."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if ready():
            return True
        time.sleep(every)
    return ready()


def answers(url: str) -> bool:
    """Whether somebody serves this address; any HTTP status counts."""
    try:
        with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - loopback only
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


class Emulators:
    """MiniStack, the interpreter and Bedrock's runtime; ``start`` and ``stop`` may be called once each."""

    def __init__(self, settings: LocalSettings) -> None:
        self._settings = settings
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._begun = False
        self._root = NONE
        self.left: list[Path] = []  # what looks like the remains of an earlier start and has no mark of ours

    @property
    def group(self) -> int | None:
        """The process group that holds the emulators and every Lambda worker."""
        return next((process.pid for process in self._running.values()), None)

    def start(self) -> None:
        """Start them and wait until all answer; raise AlreadyRunning, PortTaken or StepFailed."""
        with one_at_a_time(self._settings.home):
            self._refuse_a_second()
            self._refuse_taken_ports()
            self._clear()
            self._root = new_root(self._settings.ports)
            self._note()  # from here on the folder is ours, before anything listens
        ours = self._environment()
        self._spawn("ministack", venvs.VENVS["ministack"].python, "local.emulator.launch", ours)
        self._spawn("steps", venvs.VENVS["steps"].python, "local.emulator.interpreter", ours)
        self._spawn("bedrock", Path(sys.executable), "local.bedrock", ours, *self._bedrock_arguments())
        self._note()  # with the group
        self._wait("ministack", f"{self._settings.endpoint}/_ministack/health")
        self._wait("steps", f"{self._settings.steps_endpoint}/moto-api/")
        self._wait("bedrock", f"{self._settings.bedrock_endpoint}/_bedrock/health")

    def stop(self) -> None:
        """End the group, gently first, and remove everything but the logs. A start that was refused has nothing to remove."""
        if not self._begun:
            return
        group = self.group
        if group is not None:
            end_group(group, self._all_ended)
        self._running.clear()
        remove_state(self._settings.run)

    def alive(self) -> bool:
        return bool(self._running) and all(process.poll() is None for process in self._running.values())

    def _all_ended(self) -> bool:
        ended = [process.poll() is not None for process in self._running.values()]
        return all(ended) and not group_exists(self.group)

    def _refuse_a_second(self) -> None:
        state = read_state(self._settings.run)
        if state is None or not is_up(state) or state["pid"] == os.getpid():
            return
        raise AlreadyRunning(
            f"Placet runs here already: process {state['pid']}, {self._settings.api_url}/inbox.",
            f"End it: {self._settings.chosen}make stop. "
            f"Or start another beside it: {others(self._settings.named_ports)} make run",
        )

    def _note(self) -> None:
        settings = self._settings
        root = [self._root.id, self._root.secret]
        write_state(settings.run, group=self.group, port=settings.gateway_port, ports=settings.ports, root=root)

    def _refuse_taken_ports(self) -> None:
        ports = self._settings.named_ports
        for name, port in ports.items():
            if listens(port):
                raise PortTaken(
                    f"Port {port} on this machine is taken{self._by_whom(port)}.",
                    f"Choose another: {name}={another(port, ports)} make run",
                )

    def _by_whom(self, port: int) -> str:
        """Which start of this home listens there, and how it is ended; else what is known of it."""
        for run in self._settings.home.glob("run*"):
            state = read_state(run) or {}
            if port in state.get("ports", ()) and is_up(state):
                return (
                    f" by a start of Placet, process {state['pid']}, which PLACET_PORT={state['port']} make stop ends"
                )
        return " by another program, or by Placet of another folder"

    def _clear(self) -> None:
        make(self._settings.home / "cache")
        self.left = remove_remains(self._settings.home)
        make_anew(self._settings.run)
        self._begun = True
        self._settings.logs.mkdir(exist_ok=True, mode=0o700)
        for folder in self._kept_below().values():
            Path(folder).mkdir(mode=0o700)

    def _kept_below(self) -> dict[str, str]:
        """Where the programs that are started keep anything, by the variable that tells each of them. Their own defaults are
        folders that all starts and users of a machine share: the pool's private keys would be there for everybody."""
        tmp = self._settings.run / "tmp"
        return {
            "TMPDIR": str(tmp),
            "STATE_DIR": str(tmp / "state"),  # MiniStack: keys of user pools, code of functions
            "S3_DATA_DIR": str(tmp / "s3"),
            "MOTO_LAMBDA_DATA_DIR": str(tmp / "lambda"),
        }

    def _environment(self) -> dict[str, str]:
        """What the emulators get to know: nothing of the user's environment but where programs are."""
        settings = self._settings
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
        own = {
            "PYTHONPATH": os.pathsep.join(map(str, PACKAGES)),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self._kept_below(),
            "PLACET_PARENT": str(os.getpid()),
            "PLACET_ENDPOINT": settings.endpoint,
            "PLACET_ACCOUNT": ACCOUNT,
            "PLACET_STEPS_PORT": str(settings.steps_port),
            "PLACET_API_PORT": str(settings.api_port),
            PLACES: json.dumps(vars(_places(settings))),
            "GATEWAY_PORT": str(settings.gateway_port),
            "BIND_HOST": "127.0.0.1",
            "AUTH": "true",
            "LAMBDA_EXECUTOR": "local",
            "PLACET_IDLE": str(settings.idle),
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "LOG_LEVEL": "INFO",
            "DOCKER_HOST": f"unix://{settings.run / 'no-docker.sock'}",  # functions are processes, never containers
            "MINISTACK_REGION": REGION,
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": self._root.id,
            "AWS_SECRET_ACCESS_KEY": self._root.secret,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        return kept | own

    def _bedrock_arguments(self) -> list[str]:
        """The demo's scripted agents, whose Lambdas are MiniStack's."""
        agents = self._settings.run / "tmp" / "bedrock-agents.json"
        agents.write_text(json.dumps(BEDROCK_AGENTS))
        port = str(self._settings.bedrock_port)
        return ["--port", port, "--agents", str(agents), "--lambda", self._settings.endpoint]

    def _spawn(self, name: str, python: Path, module: str, environment: Mapping[str, str], *arguments: str) -> None:
        if not python.exists():
            raise StepFailed(f"{python} is missing.", "Install it: make setup-local")
        with (self._settings.logs / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(  # noqa: S603 - our own module, our own interpreter
                [python, "-P", "-m", module, *arguments],
                env=dict(environment),
                cwd=self._settings.run,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=self.group or 0,
                umask=0o077,
            )

    def _wait(self, name: str, url: str) -> None:
        process = self._running[name]
        wait_until(lambda: process.poll() is not None or answers(url))
        if process.poll() is None and answers(url):
            return
        log = self._settings.logs / f"{name}.log"
        last = next(
            (line for line in reversed(log.read_text(errors="replace").splitlines()) if line.strip()), "no output"
        )
        raise StepFailed(f"{name} did not start ({last.strip()[:200]}).", f"Its log: {log}")


def _places(settings: LocalSettings) -> Places:
    return Places(
        endpoint=settings.endpoint,
        login=settings.login_url,
        api=settings.api_url,
        steps=settings.steps_endpoint,
        bedrock=settings.bedrock_endpoint,
        exchanged=str(settings.exchanged),
    )


def end_group(group: int, ended: Callable[[], bool], patience: float = 5.0) -> None:
    """SIGTERM to the whole group, SIGKILL to what is left of it after some seconds."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGTERM)
        if not wait_until(ended, patience):
            os.killpg(group, signal.SIGKILL)
            wait_until(ended, patience)


def group_exists(group: int | None) -> bool:
    if group is None:
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
