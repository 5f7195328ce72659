"""Evaluators: records."""
