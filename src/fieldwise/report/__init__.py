"""Reports: a stored run, a diff, an audit or a trend as terminal text, Markdown, HTML, JUnit, GitHub commands, tables and JSON.

Called by the applications (`cli`, `web`, `pytest_plugin`); every report renders the one page model of `run_view`.
Must not import the applications, `api`, `engines` or `study`, and uses `store` only for types: a report gets a run, it does not open one.
"""
