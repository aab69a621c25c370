"""The verbs: capture, dispatch, notify, escalate, review, decide, resume, execute, and sweep behind them.

Each verb is one module with one function a handler calls; they know the ports of `placet.service.ports`, not AWS.
"""
