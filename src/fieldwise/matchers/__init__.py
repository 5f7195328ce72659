"""Matchers: each file decides when two values agree, for batches of pairs; the file has the matcher's name.

Called by `score.matching`, which decides absence, NaN and crashes; a matcher sees only values that are present on both sides.
Must not import from other packages than `kernels`, `model` and `registry`.
"""
