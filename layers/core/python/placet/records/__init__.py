"""What is stored, and on which conditions: keys, item shapes, named clauses and the exact write of every verb. Pure.

Keys and measured cost: docs/data-model.md.
"""
