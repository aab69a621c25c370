"""Decisions delivered to Bedrock agents: every mode, decision and fault, played to the end and counted."""
