"""Runs of Bedrock agents: a caller's turn, the answer to a control, and what happens when the session is gone."""
