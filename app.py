"""Synthesizes Placet's two stacks: no account and no look-ups; the network only for the dependency layer's wheels."""

from infra.app import placet

placet().synth()
