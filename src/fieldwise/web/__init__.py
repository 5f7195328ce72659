"""The web application: pages and the HTTP API for stored runs, behind a guard that checks every request.

Called by `fieldwise view` and by programs that mount `fieldwise.web.app.create_app`.
It holds no metrics or decisions, and must not import `fieldwise.cli`, `fieldwise.mcp` or `fieldwise.pytest_plugin`.
"""
