"""Placet for Bedrock agents: talk to one, follow its run, and action-group Lambdas that act under permits. See docs/bedrock.md."""

from placet.client.bedrock.running import Finished, Going, Standing, Stopped, Waiting, follow, invoke
from placet.client.bedrock.verifying import verified_action

__all__ = ["Finished", "Going", "Standing", "Stopped", "Waiting", "follow", "invoke", "verified_action"]
