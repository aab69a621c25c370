"""Bedrock Agents in one process: the real verbs, an unmodified SDK client, and the small runtime over HTTP."""
