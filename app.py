"""Synthesizes Placet's two stacks into ``cdk.out``: no account, no look-ups, no network but the package index for the layer."""

from infra.app import placet

placet().synth()
