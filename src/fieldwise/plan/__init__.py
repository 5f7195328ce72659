"""Compile a suite into a `Plan`, or report every problem in it: options, rules, gates, inferred rules, the JSON Schema of a suite.

Called by `api`, `score` (rule inference), `cli` and `web`. Pure computation: side files are read by a callable that is passed in.
Must not import `read`, `ask`, `score` or anything above them; evaluators and matchers are reached through `registry` only.
"""
