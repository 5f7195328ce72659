"""Causes: why two values differ, each a decorated function with its label, advice and examples.

Called by `score.causes` and, for labels and advice, by the reports; a cause sees one pair of values and its context.
Must not import from other packages than `kernels`, `model` and `registry`.
"""
