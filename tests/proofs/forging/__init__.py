"""Inputs that somebody forged: who they seem to be from, what they seem to be of, and what they seem to say."""
