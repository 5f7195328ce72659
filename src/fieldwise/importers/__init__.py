"""Importers: one file for each format of a vendor or another tool, found by name in `registry.IMPORTERS`.

Called by `read/` with a parsed JSON document. They yield `ImportedRecord`s and import nothing but `model`, `registry` and each other's
private helpers (modules with a leading underscore).
"""
