"""Evaluators of boxes, polygons and points: iou_score, coordinate_distance, detection.

Found by `registry.EVALUATORS` and called by `score.evaluate`; the arithmetic is in `kernels`.
Must not import from `score`, `plan`, `read` or `ask`.
"""
