"""Moves of calls and permits that the model makes, and those of the code that it leaves out."""

from __future__ import annotations

MOVES = {
    ("call", "pending", "accepted"),
    ("call", "pending", "edited"),
    ("call", "pending", "rejected"),
    ("call", "pending", "expired"),
    ("call", "pending", "cancelled"),
    ("call", "accepted", "pending"),
    ("call", "edited", "pending"),
    ("permit", "none", "free"),
    ("permit", "free", "claimed"),
    ("permit", "claimed", "done"),
    ("permit", "claimed", "failed"),
    ("permit", "claimed", "unknown"),
    ("permit", "claimed", "free"),
    ("permit", "free", "none"),
    ("permit", "free", "unknown"),
    ("permit", "unknown", "done"),
    ("permit", "unknown", "failed"),
}
NOT_MODELLED = {
    ("call", "pending", "superseded"): "as cancelled, with the name of the pause that took its place",
    ("call", "passed", "pending"): "as accepted: a call that passed by itself is one that was accepted at capture",
}
