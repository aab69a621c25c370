"""A town whose services hang, fail, refuse, are gone, answer late or slowly, and the functions that ask them, on a played clock.

Handlers, wiring, adapters and `aws.clients` are the real ones; below the client everything is played: what a request takes comes
from the limits that its client was built with, and a function whose time is over is cut off.
"""
