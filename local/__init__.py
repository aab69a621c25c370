"""The embedded AWS: starts the emulators, deploys what ``make synth`` wrote, plays the demo agents.

Nothing in here is shipped to Lambda. What differs from a deployment with ``cdk deploy`` is one list: ``differences.py``.
"""
