"""From an empty account to an approval that came through."""

from __future__ import annotations

from local.agents_setup import role_arn
from local.arrangements import verify_mail_identity
from local.deploy import prepare
from tests.gateway import DELETE, REFUND
from tests.proofs.rehearsing.account import DECIDERS, ENVIRONMENT
from tests.proofs.rehearsing.assemblies import AGENTS, role
from tests.proofs.rehearsing.play import Play
from tests.proofs.rehearsing.scripts import Script


def steps(play: Play, script: Script) -> None:
    """Bootstrap, look, deploy, enter people, approve."""
    play.step("bootstrap", lambda on: bootstrap(on, script))
    play.step("doctor before", lambda on: doctor(on))
    play.step("first deploy", lambda on: on.deploy("the first deploy", script.base))
    play.step("the same again", lambda on: again(on, script))
    play.step("sender", lambda on: sender(on, script))
    play.step("roles", roles)
    play.step("reviewers", reviewers)
    play.step("doctor after", lambda on: doctor(on, "somebody is in each of"))
    play.step("an approval", approval)
    play.step("smoke", smoke)


def bootstrap(on: Play, script: Script) -> str:
    """As the documents say it."""
    on.account.cdk("bootstrap", ENVIRONMENT, "--app", str(script.base)).taken("cdk bootstrap")
    assert on.account.described("CDKToolkit")["StackStatus"] == "CREATE_COMPLETE"
    return "CDKToolkit is there"


def doctor(on: Play, *told: str) -> str:
    """Nothing is in the way; it says what is expected of it."""
    said = on.account.python("infra.doctor").taken("doctor")
    missing = [one for one in told if one not in said]
    assert not missing, f"doctor does not say {missing}"
    return said.strip().splitlines()[-1]


def again(on: Play, script: Script) -> str:
    """A deploy of what is deployed changes nothing."""
    before = on.account.functions()
    said = on.account.cdk_deploy_unchanged(script.base).taken("cdk deploy")
    assert said.count("(no changes)") == 2, "a second deploy of the same changed something"
    assert on.account.functions() == before
    return "both stacks: no changes"


def sender(on: Play, script: Script) -> str:
    """Nobody can click here, so the identity is verified by itself."""
    verify_mail_identity(prepare(on.account.of(script.base)))
    return "the sender's identity is verified"


def roles(on: Play) -> str:
    """The policies of the outputs are attached."""
    names = [role(one) for one in AGENTS]
    on.account.make_roles(names)
    return f"{len(names)} agents and the operators have their policies"


def reviewers(on: Play) -> str:
    """By the command, under the owner's credentials."""
    on.account.enter_reviewers()
    said = on.account.python("placet.cli", "reviewers", "list", "--accounts").taken("reviewers list")
    assert all(f"{name}@example.com" in said for name in DECIDERS), said
    return "two people in their groups"


def approval(on: Play) -> str:
    """Captured, mailed, decided on the pages' own routes, picked up, claimed, reported, ended."""
    waiting = on.waiting
    refund = waiting.capture("support-agent", "a first approval", REFUND)
    waiting.decide(refund, "accept", "maria")
    waiting.go_on(refund)
    assert waiting.head(refund)["state"] == "ended"
    rejected = waiting.capture("billing-agent", "a first rejection", DELETE)
    waiting.decide(rejected, "reject", "jonas", reason="not these")
    waiting.go_on(rejected)
    assert any(refund in mail.text for mail in on.account.outbox()), "nobody was mailed"
    return "one accepted and run, one rejected, both ended"


def smoke(on: Play) -> str:
    """What only AWS can say: asked of the emulator, with a reviewer's token, so that a decision is played too."""
    words = ["infra.smoke", "--role", role_arn(role("support-agent"))]
    said = on.account.python(*words, PLACET_TOKEN=on.account.access_token("maria"))
    failed = [line.strip() for line in said.said.splitlines() if line.startswith("FAIL")]
    assert not failed, "; ".join(failed)
    return said.taken("smoke").strip().splitlines()[-1]
