"""Placet: the human-approval gateway for AI agents on AWS."""
