"""Semantic similarity of texts: WordPiece tokens, guards for what an embedding misses (numbers, negation, names), calibration.

Called by the matcher `semantic`, the evaluators of answers and `fieldwise.calibration`; imports nothing of fieldwise but kernels.
"""
