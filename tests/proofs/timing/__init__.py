"""What `tests.proofs.time` plays with: a quarter of a year, the people in it, and an oracle of their moments."""
