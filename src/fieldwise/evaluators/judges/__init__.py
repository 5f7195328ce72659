"""Evaluators: judges."""
