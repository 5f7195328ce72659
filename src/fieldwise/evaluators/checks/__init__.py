"""Evaluators that check one output by itself: text checks, limits, JSON Schema, constraints between fields, tool calls.

Found by name through `fieldwise.registry` and called by `score/` with a batch.
Must not import `score`, `plan`, `read` or `ask`, and does no I/O.
"""
