"""Evaluators: records, answers, geometry, judges and checks; each module registers the evaluator of its name.

Found by name through `fieldwise.registry`, which imports one module per name, and called by `score/`.
Must not import `score`, `plan`, `read`, `ask` or anything above them.
"""
