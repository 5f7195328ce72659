"""Runs on disk or in object storage: parts, manifest, index, locks, resume, tags and baselines.

Called by `engines`, `api`, `cli` and `web`; `Run` is part of the public API.
Must not import `engines`, `report`, `api` or the applications.
"""
