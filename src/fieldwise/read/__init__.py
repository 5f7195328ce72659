"""Read files and in-memory data into `Cases`, and suite YAML into a `Document` with line numbers. Bad data becomes diagnostics.

Called by `api`, `engines` (shards), `score` (records in text), `store`, `cli`, `web` and the pytest plugin.
Must not import `plan`, `ask`, `importers`, evaluators, matchers or causes, nor anything above them.
"""
