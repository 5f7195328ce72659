"""Evaluators that compare records field by field: field_accuracy, field_prf, json_quality.

Found by `registry.EVALUATORS` and called by `score.evaluate`; they are views of the comparisons of a batch.
Must not import from `score`, `plan`, `read` or `ask`.
"""
