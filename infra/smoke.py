"""``make smoke``: what only AWS can say, asked of the deployed gateway without harm, about four minutes.

    python -m infra.smoke [--region REGION] [--role ARN] [--url URL] [--json]

Every step is played although an earlier one failed, unless it stands on that one. What smoke makes (roles under the path
/placet-smoke/, an execution, a schedule, the state of an alarm) is taken back, also after Ctrl-C. What stays is the audit record
of one pause of the tool ``placet_smoke``, and one mail about it to the group that decides unknown tools. With a reviewer's access
token in PLACET_TOKEN a person's decision is played too; without one the pause ends by its deadline.

Tried against fakes and on a local emulator; it has not yet run in a real account.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError

from infra import smoke_rights
from infra.deployed import NotSaid, deployed_settings, session_in
from infra.settings import SettingsError
from infra.smoke_agent import page
from infra.smoke_alarm import alarm
from infra.smoke_flow import Flow
from infra.smoke_ground import Ground, SmokeFailed, SmokeSkipped, demand

ERRORS = (SmokeFailed, ClientError, BotoCoreError, OSError, KeyError, ValueError, StopIteration, AttributeError)


@dataclass(frozen=True)
class Step:
    """One question; ``needs`` names the steps without which it cannot be asked."""

    name: str
    play: Callable[[], str]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Said:
    """What a step said: ``ok``, ``FAIL``, or ``skip`` with the reason why it was not played."""

    result: str
    step: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.result:<6}{self.step:<14}{self.sentence}"


def steps(ground: Ground) -> tuple[Step, ...]:
    """All steps, in order: the ones that stand alone first."""
    flow = Flow(ground)
    return (
        Step("strangers", partial(strangers, ground)),
        Step("login page", partial(login_page, ground)),
        Step("token rights", partial(smoke_rights.token_rights, ground)),
        Step("decide rights", partial(smoke_rights.decide_rights, ground)),
        Step("batch rights", partial(smoke_rights.batch_rights, ground)),
        Step("delivery", partial(smoke_rights.delivery, ground)),
        Step("mail", partial(smoke_rights.mail, ground)),
        Step("alarm", partial(alarm, ground)),
        Step("capture", flow.capture),
        Step("wait", flow.wait, ("capture",)),
        Step("timer", flow.timer, ("capture",)),
        Step("decision", flow.decision, ("capture",)),
        Step("end", flow.end, ("capture", "wait")),
        Step("pick-up", flow.pick_up, ("capture", "end")),
        Step("claim", flow.claim, ("pick-up",)),
        Step("resumed", flow.resumed, ("pick-up",)),
    )


def strangers(ground: Ground) -> str:
    """Nobody gets in unsigned."""
    answers = {path: page(ground.api + path)[0] for path in ("/v1/gates", "/v1/reviews")}
    demand(answers["/v1/gates"] in (401, 403), f"an unsigned agent's call was answered {answers['/v1/gates']}")
    demand(answers["/v1/reviews"] == 401, f"a reviewer's call without a token was answered {answers['/v1/reviews']}")
    return f"unsigned calls are refused: {answers['/v1/gates']} for agents' routes, 401 for reviewers'"


def login_page(ground: Ground) -> str:
    """Sign-in leads to the managed login pages, and their style is in place; what they draw by script is not looked at."""
    status, body, arrived = page(ground.api + "/sign-in/start")
    where = f"{urlsplit(arrived).netloc}{urlsplit(arrived).path}"
    demand(
        "Login pages unavailable" not in body,
        "the login pages have no style: AWS::Cognito::ManagedLoginBranding is missing",
    )
    demand(urlsplit(arrived).netloc != urlsplit(ground.api).netloc, f"sign-in stayed at {where}, answered {status}")
    demand(status == 200 and "/error" not in where, f"the login page answers {status} at {where}")
    return f"sign-in leads to {urlsplit(arrived).netloc}, which shows a page"


def play(ground: Ground) -> Iterator[Said]:
    """What each step says; what was made is still there afterwards, for ``ground.undo.run()``."""
    passed: set[str] = set()
    for step in steps(ground):
        missing = [name for name in step.needs if name not in passed]
        if missing:
            yield Said("skip", step.name, f"needs {' and '.join(missing)}")
            continue
        try:
            said = Said("ok", step.name, step.play())
            passed.add(step.name)
        except SmokeSkipped as why:
            said = Said("skip", step.name, str(why))
        except ERRORS as error:
            said = Said("FAIL", step.name, _sentence(error))
        yield said


def _sentence(error: Exception) -> str:
    return (
        str(error)
        if isinstance(error, SmokeFailed | ClientError | BotoCoreError)
        else f"{type(error).__name__}: {error}"
    )


def run(ground: Ground, tell: Callable[[str], None]) -> dict[str, Any]:
    """Plays everything, takes everything back, and answers what was said; an interruption ends the playing, not the taking back."""
    said: list[Said] = []
    interrupted = False
    try:
        for one in play(ground):
            said.append(one)
            tell(str(one))
    except KeyboardInterrupt:
        interrupted = True
        tell("smoke: interrupted; what was made is being removed")
    finally:
        ground.undo.run()
    counts = {name: sum(one.result == name for one in said) for name in ("ok", "skip", "FAIL")}
    held = not interrupted and not counts["FAIL"] and not ground.undo.left
    return {
        "passed": held,
        "interrupted": interrupted,
        "steps": [asdict(one) for one in said],
        "counts": counts,
        "left_behind": list(ground.undo.left),
    }


def main() -> int:
    """Prints one line per step, or all of it as JSON; 1 when one failed or something was left behind, 130 when interrupted."""
    options = _options()
    try:
        session, token = session_in(options.region), os.environ.get("PLACET_TOKEN", "")
        ground = Ground(session, deployed_settings(), role=options.role, token=token, url=options.url)
    except (NotSaid, SettingsError) as error:
        print("".join(f"smoke: {line}\n" for line in str(error).splitlines()), end="", file=sys.stderr)
        return 1
    except (ClientError, BotoCoreError) as error:
        print(
            f"smoke: the stacks cannot be read: {error} → check credentials and region; before: make deploy",
            file=sys.stderr,
        )
        return 1
    signal.signal(signal.SIGTERM, _as_interrupt)
    found = run(ground, _silent if options.json else _tell)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        print("".join(f"smoke: left behind: {one}\n" for one in found["left_behind"]), end="")
        if unplayed := _unplayed(found):
            print(f"smoke: {unplayed}")
        counts = found["counts"]
        print(
            f"smoke: {_ended(found)} ok={counts['ok']} skipped={counts['skip']} "
            f"failed={counts['FAIL']} left_behind={len(found['left_behind'])}"
        )
    return 130 if found["interrupted"] else int(not found["passed"])


def _unplayed(found: dict[str, Any]) -> str:
    """What was not proven because no pause could be captured; empty when one was tried."""
    skipped = [one["step"] for one in found["steps"] if one["result"] == "skip"]
    if "capture" not in skipped:
        return ""
    return f"no pause was played, so {', '.join(skipped)} say nothing about this deployment: see the line of capture for a way"


def _ended(found: dict[str, Any]) -> str:
    return "interrupted" if found["interrupted"] else "passed" if found["passed"] else "failed"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.smoke", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--region", help="default: AWS_REGION, AWS_DEFAULT_REGION, or that of your profile")
    parser.add_argument("--role", help="ARN of an agent's role that you may assume (default: one is made and removed)")
    parser.add_argument("--url", default="", help="address of the API, where it is not the output ApiUrl")
    parser.add_argument("--json", action="store_true", help="what every step said, as one JSON document")
    return parser.parse_args()


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(line: str) -> None:
    print(line, flush=True)


def _silent(_line: str) -> None:
    return None


if __name__ == "__main__":
    sys.exit(main())
