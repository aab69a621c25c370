"""Placet for Bedrock agents: action-group Lambdas that act under permits. See docs/bedrock.md."""

from placet.client.bedrock.verifying import verified_action

__all__ = ["verified_action"]
