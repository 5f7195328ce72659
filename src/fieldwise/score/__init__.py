"""Plan × cases → comparisons and results, batch by batch; start at `evaluate.score_batch`.

Called by `api`, `engines`, `study` and the evaluators' tests. Must not import `summarize`, `store`, `report`, `engines` or an application.
"""
