"""Results → summary with intervals, gates, exit code, run-to-run statistics, agreement of judges with labels.

Called by `engines`, `store`, `report`, `study`, `api` and the applications. Must not import any of them, nor touch files.
"""
