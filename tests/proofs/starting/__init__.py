"""Runs started beside each other on a busy machine: the gateway in this process, its parties on threads of their own."""
