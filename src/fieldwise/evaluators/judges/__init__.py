"""Evaluators that ask a model or a program (`llm_judge`, `code_judge`), and `composite`, which combines other evaluators.

Found by name through `fieldwise.registry` and called by `score/`; a judge is a generator that yields questions and receives replies.
Must not import `score`, `plan`, `read` or `ask`, and does no I/O but reading its own prompt files.
"""
