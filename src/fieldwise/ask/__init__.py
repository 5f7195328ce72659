"""Answers to the questions of judges: model endpoints, embeddings, programs, answer cache, rate limits and budget.

Called by `score/` and `engines/` through `open_asker` and `load_embedder`.
Must not import `score`, `plan`, `read`, `evaluators` or `matchers`.
"""
