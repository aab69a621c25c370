"""What `python -m tests.proofs rehearsal` plays with: an account of its own, assemblies, pauses that wait, what is left over."""
