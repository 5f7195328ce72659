"""Executors of a run: this process, worker processes, Ray; and the totals and warnings of a run.

Called by `api` and the pages of a run in progress. Must not import `api`, `study` or an application.
"""
