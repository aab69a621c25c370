"""A small world around the verbs, in one process: the stream, the state machine, timers, agents and what they do outside.

Every call that a process makes to something outside itself is a `Touch`: a proof may let it happen, lose its answer, or let the
process die of it.
"""
