"""What runs inside the emulators' own processes: MiniStack with its corrections, and the state machine's interpreter.

These modules run in the emulators' virtual environments (no pydantic, no jinja2 there) and import nothing else of placet.
"""
