"""A second model: one pause of two calls, every read a step of its own, for what needs an open sibling."""
