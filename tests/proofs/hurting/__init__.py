"""What the proof of damage plays: items that are hurt in every way, beside healthy pauses in every state, and everybody at work."""
