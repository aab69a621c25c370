"""Pauses, calls, decisions and permits as values and pure functions: no AWS, no clock, no environment."""
