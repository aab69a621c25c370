"""What the proof of schemas plays with: schemas with values that fit and break them, numbers, weapons, and the watch."""
