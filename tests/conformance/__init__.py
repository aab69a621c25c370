"""Public suites, written by others, that play against Placet: agentbarrier and crashresume. `python -m tests.conformance`.

They run in an environment of their own, where nothing of the gateway is imported: the agent speaks through `placet.client`, the
reviewer and the operator through the HTTP routes, and everything they talk to is the deployed local stack.
"""
