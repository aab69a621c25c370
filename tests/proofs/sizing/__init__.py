"""A gateway full of pauses, and everybody who reads it."""
