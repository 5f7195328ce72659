"""Evaluators of answers in words: quality, facts, list coverage, grounding, retrieval, similarity, RAGAS metrics.

Found by name through `fieldwise.registry` and called by `score/` with a batch, or with one case for the judge `ragas`.
Must not import `score`, `plan`, `read` or `ask`, and does no I/O.
"""
