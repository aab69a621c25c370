"""What the proof of deploys plays with: a house whose policy, registry and people change while pauses of every state wait in it."""
