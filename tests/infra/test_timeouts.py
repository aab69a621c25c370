"""How long things may take, from the inside out: a request to a service, its function, the lease and the task around it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from infra.checks.template import Templates, flat
from placet import wiring
from placet.aws import login, table
from placet.aws.clients import LIMITS, PATIENCE_S
from placet.aws.delivery import https
from placet.service import notify, resume, sweep
from placet.service.bedrock import answering, turns

FUNCTIONS = Path(__file__).parents[2] / "functions"
# Port → what it asks of whom; a client's use in LIMITS, or seconds.
ASKS: dict[str, dict[str, float]] = {
    "bodies": {"s3": LIMITS["s3"].longest_s},
    "ids": {"kms": LIMITS["kms"].longest_s},
    "secrets": {},
    "waits": {"stepfunctions": LIMITS["stepfunctions"].longest_s},
    "timers": {"scheduler": LIMITS["scheduler"].longest_s},
    "mail": {"sesv2": LIMITS["sesv2"].longest_s, "mails": notify.MAIL_BUDGET_MS / 1000},
    "agents": {
        "lambda/agents": LIMITS["lambda/agents"].longest_s,
        "sqs": LIMITS["sqs"].longest_s,
        "secretsmanager": LIMITS["secretsmanager"].longest_s,
        "webhook": https.TOTAL_S + https.CONNECT_S,
    },
    "verbs": {"lambda": LIMITS["lambda"].longest_s, "lambda/asked": LIMITS["lambda/asked"].longest_s},
    "bus": {"events": LIMITS["events"].longest_s},
    "outlets": {
        "sns": LIMITS["sns"].longest_s,
        "secretsmanager": LIMITS["secretsmanager"].longest_s,
        "webhook": https.TOTAL_S + https.CONNECT_S,
    },
    "runtime": {"bedrock-agent-runtime": LIMITS["bedrock-agent-runtime"].longest_s},
    "executors": {"lambda/executors": LIMITS["lambda/executors"].longest_s},
}
# What a function is there for may take nearly all of its time; everything else a third of it.
MAIN = {
    ("resume", "lambda/agents"),
    ("resume", "lambda/executors"),
    ("resume", "bedrock-agent-runtime"),
    ("invoke_agent", "bedrock-agent-runtime"),
    ("invoke_agent", "lambda/asked"),
    *(
        (verb, use) for verb in ("decide", "operate") for use in ("lambda/asked", "lambda")
    ),  # one undo: asked for, then begun
    ("sign_in", "login"),
    ("tell", "webhook"),
}
NOT_ASKED = {(verb, "lambda/asked") for verb in ("sweep", "escalate", "dispatch")}  # they wait for nobody
TABLE_S = table.MOST_LOST * LIMITS["dynamodb"].longest_s + sum(
    table.FIRST_PAUSE_S * 2**attempt for attempt in range(table.ATTEMPTS)
)


def seconds(templates: Templates, verb: str) -> int:
    return next(int(one["Timeout"]) for own, _, one in templates.functions() if own == verb)


def waits_of(verb: str) -> dict[str, float]:
    """Every service that a function may wait for, and for how long at most, from the ports that its handler names."""
    source = (FUNCTIONS / verb / "handler.py").read_text()
    named = {name for call in re.findall(r"wiring\.ports\(([^()]*)\)", source) for name in re.findall(r'"(\w+)"', call)}
    waits = {use: longest for port in named for use, longest in ASKS[port].items() if (verb, use) not in NOT_ASKED}
    return waits | ({"login": login.LONGEST_S} if "wiring.login()" in source else {})


def too_long(verb: str, whole_s: float, waits: dict[str, float]) -> list[str]:
    """The services that may keep this function longer than their share of its time."""
    patient = max(
        (one for one in PATIENCE_S if one < whole_s), default=whole_s
    )  # who asks waits no longer than it may work
    capped = {use: min(longest, patient) if use == "lambda/asked" else longest for use, longest in waits.items()}
    return [use for use, longest in capped.items() if longest >= (whole_s if (verb, use) in MAIN else whole_s / 3)]


def verbs() -> list[str]:
    return sorted(one.parent.name for one in FUNCTIONS.glob("*/handler.py"))


@pytest.mark.parametrize("verb", verbs())
def test_no_service_keeps_a_function_longer_than_its_time(verb: str, templates: Templates) -> None:
    assert not too_long(verb, seconds(templates, verb), waits_of(verb))
    assert seconds(templates, verb) > TABLE_S * 2, "the table, and the answer that it hangs"


@pytest.mark.parametrize("verb", verbs())
def test_every_handler_says_when_its_time_begins(verb: str) -> None:
    source = (FUNCTIONS / verb / "handler.py").read_text()
    assert '    """Entry."""\n    wiring.begin(context)\n' in source


def test_every_port_is_judged() -> None:
    assert set(ASKS) == set(wiring._MAKERS)
    assert set(LIMITS) - {use for asks in ASKS.values() for use in asks} == {"dynamodb"}


def test_one_limit_for_all_would_be_seen() -> None:
    """The planted bug: what every client had once, four attempts of 23 seconds."""
    waits = dict.fromkeys(waits_of("notify"), 4 * 23.0)
    assert too_long("notify", 120, waits) == list(waits)
    assert too_long("decide", 29, dict.fromkeys(waits_of("decide"), 4 * 23.0))


def test_a_mail_that_hangs_at_the_end_of_the_budget_leaves_time_to_write_it_down(templates: Templates) -> None:
    mails = notify.MAIL_BUDGET_MS / 1000 + LIMITS["sesv2"].longest_s
    rest = LIMITS["scheduler"].longest_s * 2 + TABLE_S * 2
    assert mails + rest < seconds(templates, "notify")


def test_the_sweep_leaves_the_mails_to_a_notify_that_is_at_work(templates: Templates) -> None:
    assert 1000 * seconds(templates, "notify") < notify.AT_WORK_MS


def test_the_sweep_ends_what_it_began_last(templates: Templates) -> None:
    assert seconds(templates, "sweep") > sweep.BUDGET_MS / 1000 + TABLE_S


def test_a_function_outlives_the_turn_that_it_waits_for(templates: Templates) -> None:
    """Else nobody would write down that the turn came to nothing, and its run would look busy until the turn is given up."""
    assert seconds(templates, "invoke_agent") > LIMITS["bedrock-agent-runtime"].longest_s


def test_resume_outlives_what_it_begins_at_the_last_moment(templates: Templates) -> None:
    begun_s = answering.BUDGET_MS / 1000
    longest = max(LIMITS[use].longest_s for use in ("bedrock-agent-runtime", "lambda/executors"))
    assert seconds(templates, "resume") > begun_s + longest


def test_resume_outlives_the_agent_that_takes_its_decisions(templates: Templates) -> None:
    assert seconds(templates, "resume") > LIMITS["lambda/agents"].longest_s + TABLE_S


def test_a_lease_outlives_the_longest_invocation_of_an_agent() -> None:
    """Lambda ends every function after 900 seconds; before it begins the decisions are read, and it may take 10 to start."""
    before_s = 2 * LIMITS["dynamodb"].longest_s + LIMITS["lambda/agents"].connect_s + 10
    assert 1000 * (900 + before_s) < resume.INVOCATION_LEASE_MS


def test_a_lease_and_a_turn_outlive_every_function_that_holds_one(templates: Templates) -> None:
    longest_ms = 1000 * max(seconds(templates, verb) for verb in ("invoke_agent", "resume"))
    assert longest_ms < answering.LEASE_MS
    assert longest_ms < turns.TURN_MS


def test_the_machine_waits_for_resume_longer_than_resume_runs(templates: Templates) -> None:
    (machine,) = templates.of("AWS::StepFunctions::StateMachine").values()
    states = json.loads(flat(machine["DefinitionString"]))["States"]
    assert states["Resume"]["TimeoutSeconds"] > seconds(templates, "resume")
