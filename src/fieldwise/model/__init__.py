"""Types shared by all stages: values, paths, cases, rules, comparisons, results, summaries, diagnostics, locations.

Every other package imports from here.
Imports nothing of fieldwise but `fieldwise.model`; only `locations` and `remote_path` touch files.
"""
