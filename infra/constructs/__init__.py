"""The parts that the gateway stack is composed of."""
